/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "base/arena.h"

#define SIZE 1024

static _Alignas(64) unsigned char block[SIZE];

static void test_objects_are_aligned_and_apart(void **state)
{
	static const size_t sizes[] = {1, 15, 16, 17, 63, 64, 65, 8};
	struct arena a;
	unsigned char *end = block;

	arena_init(&a, block, SIZE);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned char *p = arena_alloc(&a, 1, sizes[i]);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % (sizes[i] >= 64 ? 64 : 16), 0);
		assert_true(p >= end);
		end = p + sizes[i];
	}
	assert_false(a.failed);
	assert_int_equal(a.used, end - block);
}

static void test_whole_block_can_be_given_out(void **state)
{
	struct arena a;

	arena_init(&a, block, SIZE);
	assert_ptr_equal(arena_alloc(&a, SIZE / 64, 64), block);
	assert_false(a.failed);
	assert_null(arena_alloc(&a, 1, 1));
	assert_true(a.failed);
}

static void test_failure_stays_until_it_is_asked_for(void **state)
{
	struct arena a;

	arena_init(&a, block, SIZE);
	assert_null(arena_alloc(&a, 1, SIZE + 1));
	assert_non_null(arena_alloc(&a, 1, 16)); /* a smaller one may still fit */
	assert_true(a.failed);
}

static void test_overflowing_product_fails(void **state)
{
	struct arena a;

	arena_init(&a, block, SIZE);
	assert_null(arena_alloc(&a, SIZE_MAX / 2, 3));
	assert_true(a.failed);
	assert_int_equal(a.used, 0);
}

static void test_padding_never_overflows_the_end(void **state)
{
	struct arena a;

	arena_init(&a, block, 70);
	assert_non_null(arena_alloc(&a, 1, 65));
	assert_null(arena_alloc(&a, 1, 64)); /* padding alone passes the end */
	assert_true(a.failed);
	assert_int_equal(a.used, 65);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects_are_aligned_and_apart),
		cmocka_unit_test(test_whole_block_can_be_given_out),
		cmocka_unit_test(test_failure_stays_until_it_is_asked_for),
		cmocka_unit_test(test_overflowing_product_fails),
		cmocka_unit_test(test_padding_never_overflows_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
