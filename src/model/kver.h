/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel as the core sees it: numbers, switches, algorithms, configuration.
 * Filled by kver/ from named deltas and never changed during a run; versions
 * are not compared anywhere else.
 */
#ifndef RUNQLAB_MODEL_KVER_H
#define RUNQLAB_MODEL_KVER_H

#include <stdbool.h>
#include <stdint.h>

enum feature {
#define FEATURE(name, comment) FEAT_##name,
#define RULE(name, comment) FEAT_##name,
#include "model/features.def"
	FEATURE_COUNT
};

/* A set of features; a test with a constant index is one load and one mask. */
struct feature_set {
	uint64_t word[4];
};

_Static_assert(FEATURE_COUNT <= 64 * sizeof(struct feature_set) / sizeof(uint64_t),
	       "every feature has a bit");

static inline bool feature_set_has(const struct feature_set *s, enum feature f)
{
	return (s->word[f / 64] >> (f % 64)) & 1;
}

static inline void feature_set_add(struct feature_set *s, enum feature f)
{
	s->word[f / 64] |= UINT64_C(1) << (f % 64);
}

static inline void feature_set_remove(struct feature_set *s, enum feature f)
{
	s->word[f / 64] &= ~(UINT64_C(1) << (f % 64));
}

struct tunables {
#define TUNABLE(field, file, file_54, unit, low, high, comment) uint64_t field;
#include "model/tunables.def"
};

#define TUNABLE_NONE UINT64_MAX

enum tunable_id {
#define TUNABLE(field, file, file_54, unit, low, high, comment) TUN_##field,
#include "model/tunables.def"
	TUNABLE_COUNT
};

/* What a real-time task weighs where fair code reads its weight. */
enum rt_weight {
	RT_WEIGHT_AS_NICE, /* as its nice value says, from 2.6.38 */
	RT_WEIGHT_DOUBLE,  /* twice that of nice -20, up to 2.6.34 */
	RT_WEIGHT_NONE,    /* nothing, 2.6.35 */
};

enum preempt_model {
	PREEMPT_NONE,
	PREEMPT_VOLUNTARY,
	PREEMPT_FULL
};

struct fair_ops;
struct select_ops;
struct lb_ops;
struct busiest_ops;
struct share_ops;
struct wake_ops;
struct pick_ops;
struct trigger_ops;
struct nohz_ops;
struct domain_rules;
struct util_est_ops;

#define KVER_NAME_BYTES 2048

struct kver {
	char name[KVER_NAME_BYTES];  /* canonical: VERSION[,ITEM]... */
	char version[32];            /* VERSION alone */
	struct feature_set features; /* what is on */
	struct feature_set known;    /* features this version has by name */
	struct tunables tun;
	uint64_t tun_known; /* bit per enum tunable_id: this version has it */
	uint64_t tun_user;  /* ... the user set it: not scaled by the number of CPUs */
	uint32_t hz;        /* ticks per second */
	enum preempt_model preempt;
	bool approximate; /* not every difference of this version is modelled exactly */
	bool rt_only;     /* exact in the real-time class only; fair tasks run as in 3.4 */
	bool has_autogroup;
	bool same_policy_stays;    /* a change of policy that changes nothing does nothing */
	bool tick_skew;            /* each CPU's tick has a phase of its own */
	bool no_hz;                /* idle CPUs stop their tick */
	uint32_t inverse_plus_one; /* see fair/weight.h: inverse weights are rounded the old way */
	enum rt_weight rt_weight;
	uint32_t schedstat_version;
	const char *sched_debug_version;
	const struct fair_ops *fair;
	const struct select_ops *select;
	const struct lb_ops *lb;
	const struct busiest_ops *busiest; /* kernels whose attempts ask it */
	const struct share_ops *share;
	const struct wake_ops *wake;
	const struct pick_ops *pick;
	const struct trigger_ops *trigger;
	const struct nohz_ops *nohz;
	const struct domain_rules *domains;
	const struct util_est_ops *util_est; /* NULL in kernels without PELT */
};

static inline bool kver_has(const struct kver *v, enum feature f)
{
	return feature_set_has(&v->features, f);
}

#endif
