/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "base/mask.h"

#define WIDTH 130u /* two full words and two bits */

struct box {
	uint64_t mem[1 + (WIDTH + 63) / 64];
};

static struct mask *mask_of(struct box *box, const uint32_t *bits, uint32_t count)
{
	struct mask *m = mask_init(box->mem, WIDTH);

	for (uint32_t i = 0; i < count; i++)
		mask_set(m, bits[i]);
	return m;
}

static const uint32_t edges[] = {0, 1, 63, 64, 127, 128, 129};
#define EDGES (sizeof(edges) / sizeof(edges[0]))

static void test_size_counts_whole_words(void **state)
{
	assert_int_equal(mask_size(1), 8 + 8);
	assert_int_equal(mask_size(64), 8 + 8);
	assert_int_equal(mask_size(65), 8 + 16);
	assert_int_equal(mask_size(WIDTH), sizeof(struct box));
}

static void test_fresh_mask_is_empty_whatever_the_memory_held(void **state)
{
	struct box box = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
	struct mask *m = mask_init(box.mem, WIDTH);

	assert_true(mask_is_empty(m));
	assert_int_equal(mask_weight(m), 0);
	assert_int_equal(mask_first(m), MASK_NONE);
}

static void test_bits_at_word_edges_come_back_in_order(void **state)
{
	struct box box;
	struct mask *m = mask_of(&box, edges, EDGES);
	uint32_t bit, n = 0;

	mask_for_each(bit, m)
		assert_int_equal(bit, edges[n++]);
	assert_int_equal(n, EDGES);
	assert_int_equal(mask_weight(m), EDGES);
	for (uint32_t i = 0; i < EDGES; i++)
		assert_true(mask_test(m, edges[i]));
	assert_false(mask_test(m, 62));
	mask_clear(m, 64);
	assert_false(mask_test(m, 64));
	assert_int_equal(mask_next(m, 64), 127);
}

static void test_search_beyond_the_width_finds_nothing(void **state)
{
	struct box box;
	struct mask *m = mask_of(&box, edges, EDGES);

	assert_int_equal(mask_next(m, 129), 129);
	assert_int_equal(mask_next(m, 130), MASK_NONE);
	assert_int_equal(mask_next(m, 192), MASK_NONE);
	assert_int_equal(mask_next(m, UINT32_MAX), MASK_NONE);
	assert_int_equal(mask_next_and(m, m, 192), MASK_NONE);
}

static void test_fill_leaves_bits_beyond_the_width_zero(void **state)
{
	static const uint32_t widths[] = {0, 1, 63, 64, 65, 128, 130};
	struct box box;

	for (uint32_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct mask *m = mask_init(box.mem, WIDTH);

		mask_fill(m, widths[i]);
		assert_int_equal(mask_weight(m), widths[i]);
		if (widths[i] > 0)
			assert_true(mask_test(m, widths[i] - 1));
		assert_int_equal(mask_next(m, widths[i]), MASK_NONE);
	}
}

static void test_set_algebra(void **state)
{
	static const uint32_t a_bits[] = {0, 63, 64, 129};
	static const uint32_t b_bits[] = {63, 100, 129};
	struct box box_a, box_b, box_r;
	struct mask *a = mask_of(&box_a, a_bits, 4);
	struct mask *b = mask_of(&box_b, b_bits, 3);
	struct mask *r = mask_init(box_r.mem, WIDTH);
	uint32_t bit, n = 0;

	mask_and(r, a, b);
	assert_int_equal(mask_weight(r), 2);
	assert_true(mask_is_subset(r, a));
	assert_true(mask_is_subset(r, b));
	mask_for_each_and(bit, a, b) {
		assert_true(mask_test(r, bit));
		n++;
	}
	assert_int_equal(n, 2);

	mask_or(r, a, b);
	assert_int_equal(mask_weight(r), 5);
	assert_true(mask_is_subset(a, r));
	assert_false(mask_is_subset(r, a));

	mask_andnot(r, a, b);
	assert_int_equal(mask_weight(r), 2);
	assert_false(mask_intersects(r, b));
	assert_true(mask_intersects(a, b));

	mask_copy(r, a);
	assert_true(mask_equal(r, a));
	mask_clear(r, 129);
	assert_false(mask_equal(r, a));
}

static void test_result_may_be_an_operand(void **state)
{
	static const uint32_t a_bits[] = {0, 63, 64};
	static const uint32_t b_bits[] = {63, 128};
	struct box box_a, box_b;
	struct mask *a = mask_of(&box_a, a_bits, 3);
	struct mask *b = mask_of(&box_b, b_bits, 2);

	mask_or(a, a, b);
	assert_int_equal(mask_weight(a), 4);
	mask_andnot(a, a, b);
	assert_int_equal(mask_weight(a), 2);
	mask_and(a, a, b);
	assert_true(mask_is_empty(a));
}

static void init_without_width(void)
{
	struct box box;

	mask_init(box.mem, 0);
}

static void test_mask_without_width_is_a_bug(void **state)
{
	expect_assert_failure(init_without_width());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size_counts_whole_words),
		cmocka_unit_test(test_fresh_mask_is_empty_whatever_the_memory_held),
		cmocka_unit_test(test_bits_at_word_edges_come_back_in_order),
		cmocka_unit_test(test_search_beyond_the_width_finds_nothing),
		cmocka_unit_test(test_fill_leaves_bits_beyond_the_width_zero),
		cmocka_unit_test(test_set_algebra),
		cmocka_unit_test(test_result_may_be_an_operand),
		cmocka_unit_test(test_mask_without_width_is_a_bug),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
