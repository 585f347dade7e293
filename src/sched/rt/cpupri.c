/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpupri: for each level of importance, the CPUs whose best real-time task has
 * it. A waker or pusher finds the least busy CPUs without taking a lock; by the
 * time it has locked one of them the answer may be wrong, and often is on a
 * saturated machine.
 *
 * Up to 5.10 only real-time code writes it, so a CPU without real-time
 * tasks is "normal" (level 1) whether it idles or not; level 0 is never used. With CPUPRI_HIGHER
 * a CPU's first deadline task lifts it above all, until a real-time task comes or goes there.
 *
 * Linux: kernel/sched_cpupri.c, kernel/sched/cpupri.c, 2.6.34 to 4.0, 5.4, 6.1.
 * Deviation: a CPU changes its level in one step; the kernel shows it in both
 * for an instant.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/rt/rt.h"

#define LEVEL_NORMAL 1u

uint32_t cpupri_level(uint32_t prio)
{
	if (prio == DL_PRIO)
		return CPUPRI_HIGHER;
	return prio >= MAX_RT_PRIO ? LEVEL_NORMAL : CPUPRI_HIGHER - 1 - prio;
}

static void level_add(struct cpupri *c, uint32_t level, uint32_t cpu)
{
	mask_set(c->mask[level], cpu);
	if (c->count[level]++ == 0)
		c->populated[level / 64] |= UINT64_C(1) << level % 64;
}

static void level_del(struct cpupri *c, uint32_t level, uint32_t cpu)
{
	CHECK(c->count[level] > 0);
	mask_clear(c->mask[level], cpu);
	if (--c->count[level] == 0)
		c->populated[level / 64] &= ~(UINT64_C(1) << level % 64);
}

void cpupri_set(struct kctx *k, uint32_t cpu, uint32_t prio)
{
	struct cpupri *c = &k->m->rd.cpupri;
	uint32_t level = cpupri_level(prio);
	uint32_t old = c->level_of[cpu];

	if (level == old)
		return;
	charge(k, WORK_CPUPRI_SET, 1);
	level_add(c, level, cpu);
	level_del(c, old, cpu);
	c->level_of[cpu] = (uint8_t)level;
}

/* First level from FROM on that has CPUs; CPUPRI_LEVELS: none. */
static uint32_t next_level(const struct cpupri *c, uint32_t from)
{
	for (uint32_t w = from / 64; w < CPUPRI_WORDS; w++) {
		uint64_t bits = c->populated[w];

		if (w == from / 64)
			bits &= UINT64_MAX << from % 64;
		if (bits)
			return w * 64 + (uint32_t)__builtin_ctzll(bits);
	}
	return CPUPRI_LEVELS;
}

bool cpupri_find(struct kctx *k, const struct task *p, struct mask *lowest)
{
	const struct cpupri *c = &k->m->rd.cpupri;
	uint32_t mine = cpupri_level(p->prio);

	CHECK(p->prio < MAX_RT_PRIO);
	charge(k, WORK_CPUPRI_FIND, 1);
	/* 3.2 to 3.15 compare the level with the number of priorities: the two best find nothing */
	if (!feat(k, FEAT_CPUPRI_ALL) && mine >= MAX_RT_PRIO)
		return false;
	for (uint32_t l = next_level(c, 0); l < mine; l = next_level(c, l + 1)) {
		if (!mask_intersects(c->mask[l], p->allowed))
			continue;
		if (lowest)
			mask_and(lowest, c->mask[l], p->allowed);
		return true;
	}
	return false;
}

static struct mask *new_mask(struct machine *m)
{
	void *mem = arena_alloc(m->arena, 1, mask_size(m->ncpus));

	return mem ? mask_init(mem, m->ncpus) : NULL;
}

bool root_domain_init(struct machine *m)
{
	struct root_domain *rd = &m->rd;

	rd->rto_mask = new_mask(m);
	rd->lowest = new_mask(m);
	rd->cpupri.level_of = arena_alloc(m->arena, m->ncpus, sizeof(uint8_t));
	for (uint32_t l = 0; l < CPUPRI_LEVELS; l++)
		rd->cpupri.mask[l] = new_mask(m);
	if (m->arena->failed)
		return false;
	klock_init(&rd->rto_lock, PATH_RTO_LOCK);
	rd->rto_cpu = CPU_NONE;
	for (uint32_t i = 0; i < m->ncpus; i++) {
		rd->cpupri.level_of[i] = LEVEL_NORMAL;
		if (m->cpus[i].online)
			level_add(&rd->cpupri, LEVEL_NORMAL, i);
	}
	return true;
}
