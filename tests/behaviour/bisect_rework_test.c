/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each patch of "sched/fair: rework the CFS load balance" (2019), planted among changes without an
 * effect, is found by bisection with few comparisons. The good kernel is 5.4 with what the patch
 * needs. Two have no work that shows them: P1 acts only where CPUs have priorities, which no machine that can
 * be named has, and P2 renames a field. Bisection says that the ends cannot be told apart.
 *
 * Described in docs/BISECT.md.
 */
#include "support.h"

#include <string.h>

#include "experiment/bisect.h"

/* A work text that begins with a slash is a task group. */
#define WORK_MAX 6

struct plant {
	const char *patch, *machine, *work[WORK_MAX], *duration;
	const char *needs, *beside; /* deltas of both kernels, and of the bad one */
	enum metric_id metric;
	uint32_t nseeds;
	bool shows;
};

/* They are switches of 5.4 that nothing in these runs acts on. */
#define IDLE_CHANGES ",WARN_DOUBLE_CLOCK,NO_NONTASK_CAPACITY"
#define TYPES ",+lb-asym-mark,+lb-no-small-fix,+lb-group-types"

/* clang-format off */
#define SHELLS "arm64-2x4", {"shell8:iterations=4"}, NULL
#define MESSAGES "arm64-2x4", {"hackbench:groups=3,loops=8"}, NULL
#define UNEVEN "2x4x2", {"spin:n=11", "spin:n=3,nice=5"}, "400ms"
#define REALTIME "arm64-2x4", {"periodic:n=4,period=10ms,run=8ms,policy=fifo,cpus=0-3", "periodic:n=8,period=12ms,run=5ms"}, "400ms"
#define SLEEPERS "2x4x2", {"spin:n=21", "periodic:n=30,period=20ms,run=3ms"}, "500ms"
#define UNLIKE "biglittle-4+4", {"periodic:n=10,period=20ms,run=9ms"}, "3s"

static const struct plant plants[] = {
	{"lb-asym-mark",       MESSAGES, "",                 ",+lb-sum-h-nr",                METRIC_MIGRATIONS, 3, false},
	{"lb-sum-h-nr",        MESSAGES, "",                 ",+lb-asym-mark",               METRIC_MIGRATIONS, 3, false},
	{"lb-no-small-fix",    UNEVEN,   ",+lb-asym-mark",   ",+lb-sum-h-nr",                METRIC_MIGRATIONS, 5, true},
	{"lb-group-types",     SHELLS,   ",+lb-asym-mark,+lb-no-small-fix", ",+lb-sum-h-nr,+lb-misfit-util", METRIC_ELAPSED_S, 5, true},
	{"lb-all-classes",     REALTIME, TYPES,              ",+lb-sum-h-nr,+lb-misfit-util", METRIC_MIGRATIONS, 5, true},
	{"lb-load-avg",        SLEEPERS, TYPES,              ",+lb-sum-h-nr,+lb-misfit-util", METRIC_FAIRNESS, 5, true},
	{"lb-spread-cpus",     SHELLS,   TYPES,              ",+lb-sum-h-nr,+lb-misfit-util", METRIC_ELAPSED_S, 5, true},
	{"lb-misfit-util",     UNLIKE,   TYPES,              ",+lb-sum-h-nr",                METRIC_CONTEXT_SWITCHES, 12, true},
	{"wake-load-avg",      MESSAGES, "",                 ",+lb-asym-mark,+lb-sum-h-nr",  METRIC_MIGRATIONS, 5, true},
	{"idlest-single-load", SHELLS,   ",+wake-load-avg",  ",+lb-asym-mark,+lb-sum-h-nr",  METRIC_WAKEUP_LATENCY_NS_P99, 5, true},
	{"idlest-types",       MESSAGES, "",                 ",+lb-asym-mark,+lb-sum-h-nr",  METRIC_MIGRATIONS, 5, true},
};
/* clang-format on */

static void must(bool ok, const struct rql_error *e)
{
	if (!ok)
		fail_msg("%s: %s", e->where, e->what);
}

static void build(struct scenario *s, const struct plant *x)
{
	char good[256], bad[512];
	struct rql_error e;

	snprintf(good, sizeof(good), "5.4%s", x->needs);
	snprintf(bad, sizeof(bad), "%s,+%s%s" IDLE_CHANGES, good, x->patch, x->beside);
	scenario_init(s);
	must(scenario_set_machine(s, x->machine, &e), &e);
	must(scenario_add_kernel(s, good, &e), &e);
	must(scenario_add_kernel(s, bad, &e), &e);
	for (uint32_t i = 0; i < WORK_MAX && x->work[i]; i++)
		must(x->work[i][0] == '/' ? scenario_add_cgroup(s, x->work[i], &e) :
					    scenario_add_work(s, x->work[i], &e),
		     &e);
	if (x->duration)
		must(scenario_set_duration(s, x->duration, &e), &e);
	must(scenario_finish(s, &e), &e);
}

static uint32_t log2_up(uint32_t n)
{
	uint32_t bits = 0;

	while (1u << bits < n)
		bits++;
	return bits;
}

static void check_plant(const struct plant *x)
{
	struct scenario s;
	struct bisect b = {.scenario = &s, .metric = x->metric, .nseeds = x->nseeds};
	struct rql_error e;

	build(&s, x);
	must(bisect_execute(&b, &e), &e);
	if (b.differ != x->shows)
		fail_msg("%s: the ends %s", x->patch, b.differ ? "differ" : "are alike");
	if (x->shows) {
		char item[BISECT_ITEM_BYTES] = "", planted[64];

		snprintf(planted, sizeof(planted), "+%s", x->patch);
		for (uint32_t i = 0; i < b.plan.nchanges; i++)
			if (b.plan.change[i].step == b.search.culprit)
				bisect_plan_item(&b.plan, &b.plan.change[i], item);
		assert_string_equal(item, planted);
		assert_true(b.plan.nsteps >= 4);
		if (b.search.njudged > log2_up(b.plan.nsteps) + 4)
			fail_msg("%s: %u comparisons for %u steps", x->patch, b.search.njudged,
				 b.plan.nsteps);
		assert_int_equal(b.search.adding.nsteps, 1);
		assert_int_equal(b.search.removing.nsteps, 1);
		assert_int_equal(b.search.adding.like, BISECT_LIKE_BAD);
		assert_int_equal(b.search.removing.like, BISECT_LIKE_GOOD);
	}
	bisect_free(&b);
	scenario_free(&s);
}

static void test_each_planted_patch_is_found(void **state)
{
	for (size_t i = 0; i < sizeof(plants) / sizeof(plants[0]); i++)
		check_plant(&plants[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_planted_patch_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
