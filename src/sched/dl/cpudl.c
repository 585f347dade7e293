/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpudl: a heap of the CPUs by their earliest deadline, the latest on top, and
 * the set of CPUs without deadline tasks. A waker or pusher finds the CPU where a
 * task could run at once without taking a lock; by the time it has locked that
 * CPU the answer may be wrong.
 *
 * Linux: kernel/sched/cpudeadline.c, 3.14 to 4.0.
 * Deviation: the heap's own lock is not modelled.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/dl/dl.h"

static void put(struct cpudl *c, uint32_t at, struct cpudl_item item)
{
	c->heap[at] = item;
	c->place[item.cpu] = at;
}

/* ITEM belongs at AT or above. Returns where it went. */
static uint32_t sift_up(struct cpudl *c, uint32_t at, struct cpudl_item item)
{
	while (at > 0) {
		uint32_t parent = (at - 1) / 2;

		if (!dl_time_before(c->heap[parent].deadline_ns, item.deadline_ns))
			break;
		put(c, at, c->heap[parent]);
		at = parent;
	}
	put(c, at, item);
	return at;
}

/* The item at AT belongs there or below. Of equals the upper, then the left one stays. */
static void sift_down(struct cpudl *c, uint32_t at)
{
	struct cpudl_item item = c->heap[at];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= c->size)
			break;
		if (child + 1 < c->size &&
		    dl_time_before(c->heap[child].deadline_ns, c->heap[child + 1].deadline_ns))
			child++;
		if (!dl_time_before(item.deadline_ns, c->heap[child].deadline_ns))
			break;
		put(c, at, c->heap[child]);
		at = child;
	}
	put(c, at, item);
}

void cpudl_set(struct kctx *k, uint32_t cpu, uint64_t deadline_ns)
{
	struct cpudl *c = &k->m->rd.cpudl;
	struct cpudl_item item = {deadline_ns, cpu};
	uint32_t at = c->place[cpu];

	charge(k, WORK_CPUPRI_SET, 1);
	if (at == CPUDL_NONE) {
		CHECK(c->size < k->m->ncpus);
		mask_clear(c->free, cpu);
		sift_up(c, c->size++, item);
	} else if (dl_time_before(deadline_ns, c->heap[at].deadline_ns)) {
		c->heap[at] = item;
		sift_down(c, at);
	} else {
		sift_up(c, at, item);
	}
}

void cpudl_clear(struct kctx *k, uint32_t cpu)
{
	struct cpudl *c = &k->m->rd.cpudl;
	uint32_t at = c->place[cpu];

	charge(k, WORK_CPUPRI_SET, 1);
	if (at == CPUDL_NONE)
		return;
	c->place[cpu] = CPUDL_NONE;
	mask_set(c->free, cpu);
	/* the last one fills the hole */
	c->size--;
	if (at < c->size)
		sift_down(c, sift_up(c, at, c->heap[c->size]));
}

uint32_t cpudl_find(struct kctx *k, const struct task *p, struct mask *later)
{
	const struct cpudl *c = &k->m->rd.cpudl;

	charge(k, WORK_CPUPRI_FIND, 1);
	if (later) {
		mask_and(later, c->free, p->allowed);
		if (!mask_is_empty(later))
			return mask_first(later);
	}
	if (!c->size || !mask_test(p->allowed, c->heap[0].cpu) ||
	    !dl_time_before(p->dl->deadline_ns, c->heap[0].deadline_ns))
		return CPU_NONE;
	if (later)
		mask_set(later, c->heap[0].cpu);
	return c->heap[0].cpu;
}

bool cpudl_init(struct machine *m)
{
	struct cpudl *c = &m->rd.cpudl;
	void *mem = arena_alloc(m->arena, 1, mask_size(m->ncpus));

	c->heap = arena_alloc(m->arena, m->ncpus, sizeof(struct cpudl_item));
	c->place = arena_alloc(m->arena, m->ncpus, sizeof(uint32_t));
	if (m->arena->failed)
		return false;
	c->free = mask_init(mem, m->ncpus);
	for (uint32_t i = 0; i < m->ncpus; i++) {
		c->place[i] = CPUDL_NONE;
		if (m->cpus[i].online)
			mask_set(c->free, i);
	}
	return true;
}

void cpudl_audit(const struct machine *m)
{
	const struct cpudl *c = &m->rd.cpudl;

	CHECK(c->size + mask_weight(c->free) == m->nonline);
	for (uint32_t i = 0; i < c->size; i++) {
		CHECK(c->place[c->heap[i].cpu] == i);
		CHECK(!mask_test(c->free, c->heap[i].cpu));
		if (i)
			CHECK(!dl_time_before(c->heap[(i - 1) / 2].deadline_ns,
					      c->heap[i].deadline_ns));
	}
}
