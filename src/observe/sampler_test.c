/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "observe/hand_machine.h"
#include "observe/sampler.h"

static struct hand_machine h;

static void test_rows_are_what_the_queues_were(void **state)
{
	struct rql_error e;
	struct sampler *s = sampler_create(4, 3, &e);

	assert_non_null(s);
	hand_machine_init(&h, 4);
	for (uint32_t i = 0; i < 3; i++) {
		for (uint32_t cpu = 0; cpu < 4; cpu++)
			h.cpu[cpu].rq.nr_running = 10 * i + cpu;
		sampler_take(s, &h.m, 100 * i);
	}
	assert_int_equal(s->nsamples, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(s->time_ns[i], 100 * i);
		for (uint32_t cpu = 0; cpu < 4; cpu++)
			assert_int_equal(sampler_row(s, i)[cpu], 10 * i + cpu);
	}
	sampler_free(s);
}

static void test_first_samples_are_kept_and_the_rest_counted(void **state)
{
	struct rql_error e;
	struct sampler *s = sampler_create(2, 2, &e);

	hand_machine_init(&h, 2);
	for (uint32_t i = 0; i < 5; i++) {
		h.cpu[1].rq.nr_running = i;
		sampler_take(s, &h.m, i);
	}
	assert_int_equal(s->nsamples, 2);
	assert_int_equal(s->dropped_count, 3);
	assert_int_equal(sampler_row(s, 1)[1], 1);
	sampler_free(s);
}

static void test_no_room_is_no_sample(void **state)
{
	struct rql_error e;
	struct sampler *s = sampler_create(2, 0, &e);

	assert_non_null(s);
	hand_machine_init(&h, 2);
	sampler_take(s, &h.m, 0);
	assert_int_equal(s->nsamples, 0);
	assert_int_equal(s->dropped_count, 1);
	sampler_free(s);
}

static void test_machine_of_another_size_is_a_bug(void **state)
{
	struct rql_error e;
	struct sampler *s = sampler_create(2, 1, &e);

	hand_machine_init(&h, 3);
	expect_assert_failure(sampler_take(s, &h.m, 0));
	sampler_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_what_the_queues_were),
		cmocka_unit_test(test_first_samples_are_kept_and_the_rest_counted),
		cmocka_unit_test(test_no_room_is_no_sample),
		cmocka_unit_test(test_machine_of_another_size_is_a_bug),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
