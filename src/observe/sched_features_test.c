/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <string.h>

#include "observe/sched_features.h"

static struct text t;

static const char *shown(const struct kver *v)
{
	text_free(&t);
	export_sched_features(&t, v);
	return text_cstr(&t);
}

static void know(struct kver *v, enum feature f, bool on)
{
	feature_set_add(&v->known, f);
	if (on)
		feature_set_add(&v->features, f);
}

/* The kernel's order, not that of being known; one that is not known is not shown. */
static void test_switches_are_shown_in_the_kernels_order(void **state)
{
	struct kver v = {.schedstat_version = 15};

	know(&v, FEAT_UTIL_EST, true);
	know(&v, FEAT_NEXT_BUDDY, false);
	know(&v, FEAT_GENTLE_FAIR_SLEEPERS, true);
	know(&v, FEAT_SIS_PROP, true);
	assert_string_equal(shown(&v), "GENTLE_FAIR_SLEEPERS NO_NEXT_BUDDY SIS_PROP UTIL_EST \n");
	assert_int_equal(sched_feature_bits(&v), 1 | 4 | 8);
	text_free(&t);
}

/* A rule that is on shows nothing. */
static void test_later_kernels_have_other_orders(void **state)
{
	struct kver v = {.schedstat_version = 15};

	know(&v, FEAT_BASE_SLICE, true);
	know(&v, FEAT_HRTICK_DL, false);
	know(&v, FEAT_SIS_AVG_CPU, false);
	assert_string_equal(shown(&v), "NO_SIS_AVG_CPU \n");
	feature_set_add(&v.features, FEAT_RUNNABLE_COUNT);
	assert_string_equal(shown(&v), "NO_HRTICK_DL BASE_SLICE \n");
	assert_int_equal(sched_feature_bits(&v), 2);
	v.schedstat_version = 16;
	assert_string_equal(shown(&v), "NO_HRTICK_DL \n");
	text_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_switches_are_shown_in_the_kernels_order),
		cmocka_unit_test(test_later_kernels_have_other_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
