/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Orders are those of the kernels' features.h. A switch that a kernel of the family has by
 * delta only (5.5's, or 6.1 without one of its deltas) is left out where it is not known.
 *
 * Linux: kernel/sched/features.h; debug.c sched_feat_show(), 5.4, 6.1, 6.12.
 */
#include "observe/sched_features.h"

#include "base/buf.h"

static const char *const order_54[] = {
	"GENTLE_FAIR_SLEEPERS",
	"START_DEBIT",
	"NEXT_BUDDY",
	"LAST_BUDDY",
	"CACHE_HOT_BUDDY",
	"WAKEUP_PREEMPTION",
	"HRTICK",
	"DOUBLE_TICK",
	"NONTASK_CAPACITY",
	"TTWU_QUEUE",
	"SIS_AVG_CPU",
	"SIS_PROP",
	"WARN_DOUBLE_CLOCK",
	"RT_PUSH_IPI",
	"RT_RUNTIME_SHARE",
	"LB_MIN",
	"ATTACH_AGE_LOAD",
	"WA_IDLE",
	"WA_WEIGHT",
	"WA_BIAS",
	"UTIL_EST",
	"UTIL_EST_FASTUP", /* 5.5 */
	NULL,
};

static const char *const order_61[] = {
	"GENTLE_FAIR_SLEEPERS",
	"START_DEBIT",
	"NEXT_BUDDY",
	"LAST_BUDDY",
	"CACHE_HOT_BUDDY",
	"WAKEUP_PREEMPTION",
	"HRTICK",
	"HRTICK_DL",
	"DOUBLE_TICK",
	"NONTASK_CAPACITY",
	"TTWU_QUEUE",
	"SIS_PROP",
	"SIS_UTIL",
	"WARN_DOUBLE_CLOCK",
	"RT_PUSH_IPI",
	"RT_RUNTIME_SHARE",
	"LB_MIN",
	"ATTACH_AGE_LOAD",
	"WA_IDLE",
	"WA_WEIGHT",
	"WA_BIAS",
	"UTIL_EST",
	"UTIL_EST_FASTUP",
	"LATENCY_WARN",
	"NI_RANDOM", /* of the stable tree */
	"ALT_PERIOD",
	"BASE_SLICE",
	NULL,
};

static const char *const order_612[] = {
	"PLACE_LAG",
	"PLACE_DEADLINE_INITIAL",
	"PLACE_REL_DEADLINE",
	"RUN_TO_PARITY",
	"PREEMPT_SHORT",
	"NEXT_BUDDY",
	"PICK_BUDDY", /* of the stable tree */
	"CACHE_HOT_BUDDY",
	"DELAY_DEQUEUE",
	"DELAY_ZERO",
	"WAKEUP_PREEMPTION",
	"HRTICK",
	"HRTICK_DL",
	"DOUBLE_TICK",
	"NONTASK_CAPACITY",
	"TTWU_QUEUE",
	"SIS_UTIL",
	"WARN_DOUBLE_CLOCK",
	"RT_PUSH_IPI",
	"RT_RUNTIME_SHARE",
	"LB_MIN",
	"ATTACH_AGE_LOAD",
	"WA_IDLE",
	"WA_WEIGHT",
	"WA_BIAS",
	"UTIL_EST",
	"LATENCY_WARN",
	"NI_RANDOM", /* of the stable tree */
	NULL,
};

static const char *const names[FEATURE_COUNT] = {
#define FEATURE(name, comment) #name,
#define RULE(name, comment) NULL,
#include "model/features.def"
};

static const char *const *order_of(const struct kver *v)
{
	if (v->schedstat_version > 15)
		return order_612;
	return kver_has(v, FEAT_RUNNABLE_COUNT) ? order_61 : order_54;
}

/* FEATURE_COUNT: no switch is called so. */
static enum feature feature_called(const char *name)
{
	for (enum feature f = 0; f < FEATURE_COUNT; f++)
		if (names[f] && str_equal(names[f], name))
			return f;
	return FEATURE_COUNT;
}

/* Is NAME in V's file, and on? */
static bool is_listed(const struct kver *v, const char *name, bool *on)
{
	enum feature f = feature_called(name);

	if (f == FEATURE_COUNT || !feature_set_has(&v->known, f))
		return false;
	*on = kver_has(v, f);
	return true;
}

void export_sched_features(struct text *t, const struct kver *v)
{
	const char *const *order = order_of(v);
	bool on;

	for (; *order; order++) {
		if (!is_listed(v, *order, &on))
			continue;
		if (!on)
			text_str(t, "NO_");
		text_str(t, *order);
		text_char(t, ' ');
	}
	text_char(t, '\n');
}

uint64_t sched_feature_bits(const struct kver *v)
{
	const char *const *order = order_of(v);
	uint64_t bits = 0;
	uint32_t n = 0;
	bool on;

	for (; *order; order++)
		if (is_listed(v, *order, &on))
			bits |= (uint64_t)on << n++;
	return bits;
}
