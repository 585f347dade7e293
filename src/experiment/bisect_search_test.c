/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The search with made-up judges: what it finds, and after how many questions. */
#include "support.h"

#include <string.h>

#include "experiment/bisect_search.h"

/* A state is bad when all of ONE or all of OTHER are made; a set of none is never. */
struct fake {
	uint32_t one[4], none, other[4], nother;
	int32_t needs[BISECT_STEPS_MAX]; /* step i is possible only with this one; -1: with any */
	uint32_t nsteps, nasked;
	bool fails;
};

static bool fake_possible(void *arg, const bool *as_bad)
{
	const struct fake *f = arg;

	for (uint32_t i = 0; i < f->nsteps; i++)
		if (as_bad[i] && f->needs[i] >= 0 && !as_bad[f->needs[i]])
			return false;
	return true;
}

static bool all_made(const uint32_t *set, uint32_t n, const bool *as_bad)
{
	for (uint32_t i = 0; i < n; i++)
		if (!as_bad[set[i]])
			return false;
	return n > 0;
}

static bool fake_judge(void *arg, const bool *as_bad, enum bisect_like *out, struct rql_error *e)
{
	struct fake *f = arg;

	assert_true(fake_possible(arg, as_bad));
	f->nasked++;
	*out = all_made(f->one, f->none, as_bad) || all_made(f->other, f->nother, as_bad) ?
		       BISECT_LIKE_BAD :
		       BISECT_LIKE_GOOD;
	return !f->fails || err_set(e, NULL, "no", NULL, NULL);
}

static struct bisect_search s;

static bool run(struct fake *f, struct rql_error *e)
{
	memset(&s, 0, sizeof(s));
	f->nasked = 0;
	s.nsteps = f->nsteps;
	s.arg = f;
	s.possible = fake_possible;
	s.judge = fake_judge;
	return bisect_search_run(&s, e);
}

static struct fake fake_of(uint32_t nsteps)
{
	struct fake f = {.nsteps = nsteps};

	for (uint32_t i = 0; i < BISECT_STEPS_MAX; i++)
		f.needs[i] = -1;
	return f;
}

static uint32_t log2_up(uint32_t n)
{
	uint32_t bits = 0;

	while ((UINT32_C(1) << bits) < n)
		bits++;
	return bits;
}

static void assert_alone(const struct bisect_set *set, uint32_t step, bool adding)
{
	assert_int_equal(set->nsteps, 1);
	assert_int_equal(set->step[0], step);
	assert_int_equal(set->like, adding ? BISECT_LIKE_BAD : BISECT_LIKE_GOOD);
	assert_true(set->as_bad[step] == adding);
}

static void test_one_guilty_step_is_found_within_the_bound(void **state)
{
	static const uint32_t sizes[] = {1, 2, 7, 16, 40, 256};

	for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (uint32_t guilty = 0; guilty < sizes[i]; guilty++) {
			struct fake f = fake_of(sizes[i]);
			struct rql_error e;

			f.one[0] = guilty;
			f.none = 1;
			assert_true(run(&f, &e));
			assert_int_equal(s.culprit, guilty);
			assert_alone(&s.adding, guilty, true);
			assert_alone(&s.removing, guilty, false);
			assert_int_equal(s.njudged, f.nasked + 2);
			assert_in_range(s.njudged, 2, log2_up(sizes[i]) + 4);
		}
	}
}

static void test_steps_bound_together_go_together(void **state)
{
	struct fake f = fake_of(7);
	struct rql_error e;

	/* 2 needs 0, 4 needs 2, 5 needs 4: the culprit 4 comes with 0 and 2, and goes with 5 */
	f.needs[2] = 0;
	f.needs[4] = 2;
	f.needs[5] = 4;
	f.one[0] = 4;
	f.none = 1;
	assert_true(run(&f, &e));
	assert_int_equal(s.culprit, 4);
	assert_alone(&s.adding, 4, true);
	assert_alone(&s.removing, 4, false);
	for (uint32_t i = 0; i < 7; i++) {
		assert_true(s.adding.as_bad[i] == (i == 0 || i == 2 || i == 4));
		assert_true(s.removing.as_bad[i] == (i != 4 && i != 5));
	}
}

static void test_steps_that_act_together_are_all_added(void **state)
{
	/* bad with 3, 8 and 11 only */
	struct fake f = fake_of(16);
	struct rql_error e;

	memcpy(f.one, (uint32_t[]){3, 8, 11}, 3 * sizeof(f.one[0]));
	f.none = 3;
	assert_true(run(&f, &e));
	assert_int_equal(s.culprit, 11);
	assert_int_equal(s.adding.nsteps, 3);
	assert_int_equal(s.adding.step[0], 11);
	assert_int_equal(s.adding.step[1], 8);
	assert_int_equal(s.adding.step[2], 3);
	assert_int_equal(s.adding.like, BISECT_LIKE_BAD);
	for (uint32_t i = 0; i < 16; i++)
		assert_true(s.adding.as_bad[i] == (i == 3 || i == 8 || i == 11));
	/* to be rid of it, one of them is enough */
	assert_alone(&s.removing, 11, false);
}

static void test_steps_that_act_alone_are_all_removed(void **state)
{
	/* bad with 2, and bad with 9 */
	struct fake f = fake_of(16);
	struct rql_error e;

	f.one[0] = 2;
	f.other[0] = 9;
	f.none = f.nother = 1;
	assert_true(run(&f, &e));
	assert_int_equal(s.culprit, 2);
	assert_alone(&s.adding, 2, true);
	assert_int_equal(s.removing.nsteps, 2);
	assert_int_equal(s.removing.step[0], 2);
	assert_int_equal(s.removing.step[1], 9);
	assert_int_equal(s.removing.like, BISECT_LIKE_GOOD);
	for (uint32_t i = 0; i < 16; i++)
		assert_true(s.removing.as_bad[i] == (i != 2 && i != 9));
}

static void test_a_pair_beside_a_single_one(void **state)
{
	/* bad with 1 and 4, and bad with 6: for every place of the three in 8 steps */
	for (uint32_t a = 0; a < 8; a++) {
		for (uint32_t b = a + 1; b < 8; b++) {
			for (uint32_t c = 0; c < 8; c++) {
				struct fake f = fake_of(8);
				struct rql_error e;
				enum bisect_like like;

				f.one[0] = a;
				f.one[1] = b;
				f.none = 2;
				f.other[0] = c;
				f.nother = 1;
				assert_true(run(&f, &e));
				fake_judge(&f, s.adding.as_bad, &like, &e);
				assert_int_equal(like, BISECT_LIKE_BAD);
				assert_int_equal(s.adding.like, like);
				fake_judge(&f, s.removing.as_bad, &like, &e);
				assert_int_equal(like, BISECT_LIKE_GOOD);
				assert_int_equal(s.removing.like, like);
			}
		}
	}
}

/* Bad with any step at all: more than a set holds. */
static bool any_made(void *arg, const bool *as_bad, enum bisect_like *out, struct rql_error *e)
{
	*out = BISECT_LIKE_GOOD;
	for (uint32_t i = 0; i < s.nsteps; i++)
		if (as_bad[i])
			*out = BISECT_LIKE_BAD;
	return true;
}

static void test_a_set_has_a_greatest_size(void **state)
{
	struct fake f = fake_of(40);
	struct rql_error e;

	memset(&s, 0, sizeof(s));
	s.nsteps = 40;
	s.arg = &f;
	s.possible = fake_possible;
	s.judge = any_made;
	assert_true(bisect_search_run(&s, &e));
	assert_alone(&s.adding, 0, true);
	assert_int_equal(s.removing.nsteps, BISECT_SET_MAX);
	assert_int_equal(s.removing.like, BISECT_LIKE_BAD);
}

static void test_a_judge_that_fails_ends_the_search(void **state)
{
	struct fake f = fake_of(16);
	struct rql_error e;

	f.one[0] = 5;
	f.none = 1;
	f.fails = true;
	assert_false(run(&f, &e));
	assert_string_equal(e.what, "no");
	assert_int_equal(f.nasked, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_guilty_step_is_found_within_the_bound),
		cmocka_unit_test(test_steps_bound_together_go_together),
		cmocka_unit_test(test_steps_that_act_together_are_all_added),
		cmocka_unit_test(test_steps_that_act_alone_are_all_removed),
		cmocka_unit_test(test_a_pair_beside_a_single_one),
		cmocka_unit_test(test_a_set_has_a_greatest_size),
		cmocka_unit_test(test_a_judge_that_fails_ends_the_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
