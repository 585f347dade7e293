/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether waker and wakee are two of a kind or a master among many servants: each task
 * counts how often it wakes another one than the last time. A pair in which one flips
 * much more often than a cache has CPUs is wide: pulling the servants to their
 * master's cache would stack them.
 *
 * Linux: kernel/sched/fair.c record_wakee(), wake_wide(), wake_cap(); 3.12 on, as of 5.4.
 */
#include "base/fixed.h"

#include "sched/pelt/fits.h"
#include "sched/pelt/pelt.h"
#include "sched/select/select_pelt.h"

void record_wakee(struct kctx *k, struct task *p)
{
	struct task *waker = k->cpu->rq.curr;

	if (jiffies(k) > waker->wakee_flip_decay_at + k->v->hz) {
		waker->wakee_flips >>= 1;
		waker->wakee_flip_decay_at = jiffies(k);
	}
	if (waker->last_wakee != p) {
		waker->last_wakee = p;
		waker->wakee_flips++;
	}
}

bool wake_wide(const struct kctx *k, const struct task *p)
{
	uint32_t master = k->cpu->rq.curr->wakee_flips, slave = p->wakee_flips;
	uint32_t factor = k->cpu->rq.top.sd_llc_size;

	if (master < slave) {
		uint32_t less = master;

		master = slave;
		slave = less;
	}
	return slave >= factor && master >= slave * factor;
}

bool wake_cap(struct kctx *k, struct task *p, uint32_t cpu, uint32_t prev)
{
	uint64_t max = k->m->rd.max_cpu_capacity;
	uint64_t min = min_u64(rq_of_cpu(k->m, prev)->cpu_capacity_orig,
			       rq_of_cpu(k->m, cpu)->cpu_capacity_orig);

	if (!k->m->asym_cpucapacity || max - min < max >> 3)
		return false;
	/* as long asleep as its queue knows */
	update_load_avg_blocked_se(k, p->se.cfs_rq->avg.last_update_time_ns, &p->se);
	return !task_fits_capacity(k, p, min);
}
