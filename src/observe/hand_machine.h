/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of this folder: a machine filled by hand, without the scheduler. All
 * CPUs are present, online and idle; tasks 1..HAND_TASKS exist in the root
 * group, may run everywhere and belong to no workload. Tests change what they
 * need. Include after support.h; one struct hand_machine is about a megabyte,
 * so give it static storage.
 */
#ifndef RUNQLAB_OBSERVE_HAND_MACHINE_H
#define RUNQLAB_OBSERVE_HAND_MACHINE_H

#include <string.h>

#include "model/machine.h"

#define HAND_CPUS 128u
#define HAND_TASKS 16u
#define HAND_GROUPS 3u
#define HAND_MASKS 8u

struct hand_machine {
	struct machine m;
	struct cpu cpu[HAND_CPUS];
	struct task task[HAND_TASKS];
	struct task_group group[HAND_GROUPS];
	struct cfs_rq cfs_rq[HAND_GROUPS][HAND_CPUS];
	struct entity group_se[HAND_GROUPS][HAND_CPUS];
	struct kver kver;
	struct topology topo;
	struct path_tree paths;
	uint64_t mask_mem[HAND_MASKS][MASK_WORDS(HAND_CPUS)];
	uint32_t nmasks;
};

static inline struct mask *hand_mask(struct hand_machine *h)
{
	return mask_init(h->mask_mem[h->nmasks++], h->m.ncpus);
}

static inline void hand_add_group(struct hand_machine *h, struct task_group *parent,
				  const char *path)
{
	uint32_t g = h->m.ngroups++;
	struct task_group *tg = &h->group[g];

	tg->id = g;
	tg->parent = parent;
	tg->path = path;
	tg->cfs_rq = h->cfs_rq[g];
	tg->se = parent ? h->group_se[g] : NULL;
	list_add(&h->m.groups, &tg->all);
	for (uint32_t i = 0; i < h->m.ncpus; i++) {
		h->cfs_rq[g][i].rq = &h->cpu[i].rq;
		h->cfs_rq[g][i].tg = tg;
		h->group_se[g][i].my_q = &h->cfs_rq[g][i];
	}
}

static inline void hand_add_cpus(struct hand_machine *h)
{
	struct mask *online = hand_mask(h);

	h->m.online = online;
	mask_fill(online, h->m.ncpus);
	for (uint32_t i = 0; i < h->m.ncpus; i++) {
		struct cpu *cpu = &h->cpu[i];

		cpu->id = i;
		cpu->online = true;
		cpu->rq.cpu = i;
		cpu->rq.idle = &cpu->idle_task;
		cpu->rq.stop = &cpu->stop_task;
		cpu->rq.curr = &cpu->idle_task;
		cpu->rq.cfs = &h->cfs_rq[0][i];
	}
}

static inline struct machine *hand_machine_init(struct hand_machine *h, uint32_t ncpus)
{
	struct machine *m = &h->m;

	memset(h, 0, sizeof(*h));
	m->v = &h->kver;
	m->topo = &h->topo;
	m->paths = &h->paths;
	m->cpus = h->cpu;
	m->ncpus = ncpus;
	m->nonline = ncpus;
	m->tick_ns = 1000000;
	m->groups_mem = h->group;
	m->max_groups = HAND_GROUPS - 1;
	m->tasks = h->task;
	m->ntasks = HAND_TASKS;
	m->max_tasks = HAND_TASKS;
	list_init(&m->groups);
	hand_add_cpus(h);
	hand_add_group(h, NULL, "/");
	for (uint32_t i = 0; i < HAND_TASKS; i++) {
		struct task *p = &h->task[i];

		p->id = i + 1;
		p->tg = &h->group[0];
		p->state = TASK_RUNNING;
		p->allowed = m->online;
		p->nr_allowed = ncpus;
		p->migrate_to = CPU_NONE;
	}
	return m;
}

#endif
