/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of this folder only: a small machine where nothing costs anything
 * until a test says so, and tasks that do what a list says, noting when they
 * were asked. After its list a task exits.
 *
 * rig_init(); set prices and fields of rig.cfg; rig_task() for each task;
 * rig_run(); look at rig.asked; rig_end().
 */
#ifndef RUNQLAB_ENGINE_SCRIPT_H
#define RUNQLAB_ENGINE_SCRIPT_H

#include "base/check.h"
#include "base/fixed.h"
#include "engine/internal.h"
#include "kver/kver.h"
#include "sched/domain/fake_topology.h"

#define RIG_TASKS 8u
#define RIG_STEPS 64u
#define US NS_PER_US
#define MS NS_PER_MS

struct rig;

/* One task, a workload of its own. */
struct rig_task {
	struct behaviour behaviour; /* first */
	struct rig *rig;
	const struct action *actions;
	uint32_t count, at;
	const struct mask *cpus;
	uint64_t asked[RIG_STEPS]; /* when it asked for the n-th action */
};

struct rig {
	struct topology *topo;
	struct kver v;
	struct prices prices;
	struct engine_config cfg;
	struct engine_work_config work[RIG_TASKS];
	struct rig_task task[RIG_TASKS];
	uint64_t masks_mem[RIG_TASKS][MASK_WORDS(64)];
	struct engine *eng;
	struct rql_error error;
	enum engine_end end;
};

static inline void rig_next(struct behaviour *b, uint32_t index, uint64_t now_ns,
			    struct action *out)
{
	struct rig_task *t = (struct rig_task *)(void *)b;

	CHECK(index == 0);
	if (t->at < RIG_STEPS)
		t->asked[t->at] = now_ns;
	if (t->at < t->count)
		*out = t->actions[t->at];
	else
		out->kind = ACTION_EXIT;
	t->at++;
}

static inline void rig_attr(struct behaviour *b, uint32_t index, struct task_attr *out)
{
	const struct rig_task *t = (struct rig_task *)(void *)b;

	CHECK(index == 0);
	out->cpus = t->cpus;
}

static const struct behaviour_ops rig_ops = {.next = rig_next, .attr = rig_attr};

/* TOPO is freed by rig_end(). */
static inline void rig_init(struct rig *rig, struct topology *topo, const char *kernel)
{
	memset(rig, 0, sizeof(*rig));
	CHECK(topo->ncpus <= 64);
	CHECK(kver_parse(kernel, &rig->v, &rig->error));
	rig->topo = topo;
	rig->prices.hardware.smt_slowdown_pct = 100;
	rig->cfg = (struct engine_config){
		.topo = topo,
		.v = &rig->v,
		.prices = &rig->prices,
		.seed = 1,
		.duration_ns = TIME_NEVER,
		.memory_limit_bytes = UINT64_C(1) << 30,
		.events_limit = UINT64_C(1) << 40,
		.work = rig->work,
	};
}

/* A task on CPU and nowhere else that does COUNT actions. Its number. */
static inline uint32_t rig_task(struct rig *rig, uint32_t cpu, const struct action *actions,
				uint32_t count)
{
	uint32_t i = rig->cfg.nwork++;
	struct rig_task *t = &rig->task[i];
	struct mask *only;

	CHECK(i < RIG_TASKS);
	only = mask_init(rig->masks_mem[i], rig->topo->ncpus);
	mask_set(only, cpu);
	t->behaviour.ops = &rig_ops;
	t->behaviour.ntasks = 1;
	t->behaviour.nlocks = 2;
	t->rig = rig;
	t->actions = actions;
	t->count = count;
	t->cpus = only;
	rig->work[i] = (struct engine_work_config){
		.behaviour = &t->behaviour, .start_cpu = cpu, .group = ENGINE_ROOT_GROUP};
	return i;
}

#define RIG_TASK(rig, cpu, actions)                                                                \
	rig_task(rig, cpu, actions, (uint32_t)(sizeof(actions) / sizeof((actions)[0])))

static inline void rig_run(struct rig *rig)
{
	rig->eng = engine_create(&rig->cfg, &rig->error);
	CHECK(rig->eng);
	rig->end = engine_run(rig->eng, &rig->error);
}

static inline void rig_end(struct rig *rig)
{
	engine_destroy(rig->eng);
	fake_free(rig->topo);
}

/* When task T asked for its N-th action. */
static inline uint64_t asked(const struct rig *rig, uint32_t t, uint32_t n)
{
	CHECK(n < rig->task[t].at);
	return rig->task[t].asked[n];
}

#define DO(what, ...)                                                                              \
	{                                                                                          \
		.kind = ACTION_##what, __VA_ARGS__                                                 \
	}

/* An action without arguments. */
#define PLAIN(what) DO(what, .flags = 0)

#endif
