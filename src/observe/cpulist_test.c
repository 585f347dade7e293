/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "observe/cpulist.h"

#define WIDTH 4096u

static uint64_t memory[1 + WIDTH / 64];
static char text[CPULIST_BYTES(WIDTH)];

static struct buf put(const struct mask *m)
{
	struct buf b;

	buf_init(&b, text, sizeof(text));
	cpulist_put(&b, m);
	return b;
}

static void test_runs_are_joined(void **state)
{
	static const struct {
		uint32_t cpus[6], count;
		const char *list;
	} rows[] = {
		{{0}, 0, ""},
		{{0}, 1, "0"},
		{{0, 1}, 2, "0-1"},
		{{0, 2, 3, 4, 9, 4095}, 6, "0,2-4,9,4095"},
		{{62, 63, 64, 65, 127, 128}, 6, "62-65,127-128"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mask *m = mask_init(memory, WIDTH);

		for (uint32_t j = 0; j < rows[i].count; j++)
			mask_set(m, rows[i].cpus[j]);
		put(m);
		assert_string_equal(text, rows[i].list);
	}
}

static void test_last_bit_of_the_width_ends_a_run(void **state)
{
	struct mask *m = mask_init(memory, WIDTH);

	mask_fill(m, WIDTH);
	put(m);
	assert_string_equal(text, "0-4095");
}

static void test_longest_lists_fit(void **state)
{
	for (uint32_t period = 2; period < 6; period++) {
		for (uint32_t run = 1; run < period; run++) {
			struct mask *m = mask_init(memory, WIDTH);

			for (uint32_t cpu = 0; cpu < WIDTH; cpu++)
				if (cpu % period < run)
					mask_set(m, cpu);
			assert_false(put(m).cut);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_are_joined),
		cmocka_unit_test(test_last_bit_of_the_width_ends_a_run),
		cmocka_unit_test(test_longest_lists_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
