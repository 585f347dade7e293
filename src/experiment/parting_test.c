/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where two streams of records part, made by hand and by simulations. */
#include "support.h"

#include <string.h>

#include "experiment/parting.h"

#define NCPUS 4u

/* Two lists of records, ended by time 0. */
struct lists {
	const struct record *at[2];
	uint32_t nread[2];
	uint32_t fail_at; /* number of records read of the second; 0: never */
};

static bool next(void *arg, uint32_t side, struct parting_side *out, bool *failed,
		 struct rql_error *e)
{
	struct lists *l = arg;

	if (side == 1 && l->fail_at && l->nread[1] == l->fail_at) {
		*failed = true;
		return err_set(e, NULL, "broken", NULL, NULL);
	}
	if (!l->at[side]->time_ns)
		return false;
	out->record = *l->at[side]++;
	l->nread[side]++;
	return true;
}

static struct parting compared(const struct record *first, const struct record *other)
{
	struct lists l = {.at = {first, other}};
	struct parting_source source = {next, &l};
	struct parting p;
	struct rql_error e;

	assert_true(parting_compare(&source, NCPUS, &p, &e));
	return p;
}

#define WAKE(time, cpu, task, target)                                                              \
	{                                                                                          \
		time, cpu, RECORD_WAKE, task, target, 0, 0                                         \
	}
#define END                                                                                        \
	{                                                                                          \
		0, 0, RECORD_WAKE, 0, 0, 0, 0                                                      \
	}

static void test_equal_runs_do_not_part(void **state)
{
	static const struct record a[] = {WAKE(1, 0, 1, 2), WAKE(2, 1, 2, 3), END};
	struct parting p = compared(a, a);

	assert_false(p.differs);
	assert_false(p.chooses);
	assert_int_equal(p.nsame, 2);
}

static void test_another_choice_is_the_difference(void **state)
{
	static const struct record a[] = {WAKE(1, 0, 1, 2), WAKE(2, 1, 2, 3), END};
	static const struct record b[] = {WAKE(1, 0, 1, 2), WAKE(2, 1, 2, 0), END};
	struct parting p = compared(a, b);

	assert_int_equal(p.nsame, 1);
	assert_true(p.differs && p.chooses);
	assert_int_equal(p.first.record.b, 3);
	assert_int_equal(p.other.record.b, 0);
	assert_int_equal(p.first_any.record.b, 3);
}

/* Times shift, and so do the places of CPUs' records among each other. */
static void test_times_and_places_among_cpus_are_no_choice(void **state)
{
	static const struct record a[] = {WAKE(1, 0, 1, 2), WAKE(2, 1, 2, 3), WAKE(3, 0, 4, 1),
					  WAKE(9, 1, 5, 1), END};
	static const struct record b[] = {WAKE(2, 1, 2, 3), WAKE(4, 0, 1, 2), WAKE(5, 1, 5, 2),
					  WAKE(6, 0, 4, 1), END};
	struct parting p = compared(a, b);

	assert_int_equal(p.nsame, 0);
	assert_int_equal(p.first_any.record.cpu, 0);
	assert_int_equal(p.other_any.record.cpu, 1);
	assert_true(p.chooses);
	assert_int_equal(p.first.record.time_ns, 9);
	assert_int_equal(p.first.record.b, 1);
	assert_int_equal(p.other.record.time_ns, 5);
	assert_int_equal(p.other.record.b, 2);
}

static void test_only_times_and_numbers_differ(void **state)
{
	static const struct record a[] = {
		{1, 0, RECORD_BALANCE, 1, 100, 2, 0}, {2, 0, RECORD_EXIT, 7, 1000, 0, 0}, END};
	static const struct record b[] = {
		{1, 0, RECORD_BALANCE, 1, 200, 2, 0}, {3, 0, RECORD_EXIT, 7, 1001, 0, 0}, END};
	struct parting p = compared(a, b);

	assert_true(p.differs);
	assert_false(p.chooses);
	assert_int_equal(p.first_any.record.b, 100);
	assert_int_equal(p.other_any.record.b, 200);
}

static void test_a_run_that_does_more_parts_where_it_does(void **state)
{
	static const struct record a[] = {WAKE(1, 0, 1, 2), END};
	static const struct record b[] = {WAKE(1, 0, 1, 2), WAKE(5, 3, 1, 2), WAKE(4, 2, 1, 2),
					  END};
	struct parting p = compared(a, b);

	assert_true(p.differs && p.chooses);
	assert_false(p.first.there);
	assert_true(p.other.there);
	assert_int_equal(p.other.record.time_ns, 4);
	assert_false(p.first_any.there);
	assert_int_equal(p.other_any.record.time_ns, 5);
}

/* One run is busy on a CPU on which the other does nothing, without end. */
static void test_waiting_records_are_bounded(void **state)
{
	static struct record a[2001], b[2001];
	struct parting p;

	for (uint32_t i = 0; i < 2000; i++) {
		a[i] = (struct record)WAKE(i + 1, 0, i, 1);
		b[i] = (struct record)WAKE(i + 1, 1, i, 1);
	}
	p = compared(a, b);
	assert_true(p.chooses);
	assert_true(p.first.there);
	assert_false(p.other.there);
	assert_int_equal(p.first.record.time_ns, 1);
}

static void test_what_fails_is_told(void **state)
{
	static const struct record a[] = {WAKE(1, 0, 1, 2), WAKE(2, 1, 2, 3), END};
	struct lists l = {.at = {a, a}, .fail_at = 1};
	struct parting_source source = {next, &l};
	struct parting p;
	struct rql_error e;

	assert_false(parting_compare(&source, NCPUS, &p, &e));
	assert_string_equal(e.what, "broken");
}

/* -- simulations -- */

static void must(bool ok, const struct rql_error *e)
{
	if (!ok)
		fail_msg("%s: %s", e->where, e->what);
}

static void build(struct scenario *s, const char *limits)
{
	struct rql_error e;

	scenario_init(s);
	must(scenario_set_machine(s, "1x2x2", &e), &e);
	must(scenario_add_kernel(s, "2.6.35", &e), &e);
	must(scenario_add_kernel(s, "2.6.35,+stale-h-load", &e), &e);
	must(scenario_add_work(s, "spin:n=9", &e), &e);
	must(scenario_set_duration(s, "1s", &e), &e);
	must(scenario_set_limits(s, limits, &e), &e);
	must(scenario_finish(s, &e), &e);
}

static bool find(const struct scenario *s, uint32_t other, struct parting *p, struct rql_error *e)
{
	struct run_setup a = {.scenario = s, .kernel = 0, .seed = 1},
			 b = {.scenario = s, .kernel = other, .seed = 1};
	struct parting_question q = {&a, &b, s->topo.ncpus};

	return parting_find(&q, p, e);
}

static void test_simulations_part_at_the_same_place_each_time(void **state)
{
	struct parting p, again;
	struct scenario s;
	struct rql_error e;

	build(&s, "events=1G");
	must(find(&s, 1, &p, &e), &e);
	must(find(&s, 1, &again, &e), &e);
	assert_true(p.differs && p.chooses);
	assert_true(p.nsame > 0);
	assert_memory_equal(&p, &again, sizeof(p));
	assert_int_equal(p.first.record.kind, RECORD_BALANCE);
	must(find(&s, 0, &p, &e), &e);
	assert_false(p.differs);
	assert_true(p.nsame > 100);
	scenario_free(&s);
}

static void test_a_limit_of_a_simulation_is_told(void **state)
{
	struct parting p;
	struct scenario s;
	struct rql_error e;

	build(&s, "events=100");
	assert_false(find(&s, 0, &p, &e));
	assert_true(e.limit);
	assert_non_null(strstr(e.what, "scheduler events"));
	scenario_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_runs_do_not_part),
		cmocka_unit_test(test_another_choice_is_the_difference),
		cmocka_unit_test(test_times_and_places_among_cpus_are_no_choice),
		cmocka_unit_test(test_only_times_and_numbers_differ),
		cmocka_unit_test(test_a_run_that_does_more_parts_where_it_does),
		cmocka_unit_test(test_waiting_records_are_bounded),
		cmocka_unit_test(test_what_fails_is_told),
		cmocka_unit_test(test_simulations_part_at_the_same_place_each_time),
		cmocka_unit_test(test_a_limit_of_a_simulation_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
