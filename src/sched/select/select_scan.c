/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A waking task stays near the waker or near where it was, and there takes an idle CPU of
 * the cache; new tasks and those that exec go down to the idlest CPU of the widest domain
 * that spreads them.
 *
 * Linux: kernel/sched/fair.c select_task_rq_fair(), 5.4, 5.5, 6.1, 6.12.
 * Deviation: no energy model. A task that exits wakes nobody here, so a sync hint always holds.
 */
#include "base/fixed.h"
#include "sched/select/select_pelt.h"

static uint32_t select_scan(struct kctx *k, struct task *p, uint32_t sd_flag, uint32_t wake_flags)
{
	uint32_t cpu = k->cpu->id, prev = p->cpu, new_cpu = prev;
	bool sync = wake_flags & WF_SYNC, want_affine = false;
	struct sched_domain *tmp, *sd = NULL;

	/* sched_exec() asks for a bound task too */
	if (p->nr_allowed == 1 && sd_flag != SD_BALANCE_EXEC)
		return p->cpu;
	if (sd_flag & SD_BALANCE_WAKE) {
		record_wakee(k, p);
		want_affine = !wake_wide(k, p) &&
			      (feat(k, FEAT_ASYM_WAKE_SCAN) || !wake_cap(k, p, cpu, prev)) &&
			      mask_test(p->allowed, cpu);
	}
	for (tmp = k->cpu->rq.sd; tmp; tmp = tmp->parent) {
		if (!(tmp->flags & SD_LOAD_BALANCE) && !feat(k, FEAT_SD_ALL_BALANCE))
			break;
		if (want_affine && (tmp->flags & SD_WAKE_AFFINE) && mask_test(tmp->span, prev)) {
			if (cpu != prev)
				new_cpu = wake_affine_pelt(k, tmp, p, prev, sync);
			sd = NULL;
			break;
		}
		if (tmp->flags & sd_flag)
			sd = tmp;
		else if (!want_affine)
			break;
	}
	if (sd)
		return find_idlest_pelt(k, p, sd, cpu, prev, sd_flag);
	if (sd_flag & SD_BALANCE_WAKE) {
		new_cpu = select_idle_sibling_scan(k, p, prev, new_cpu);
		if (want_affine && !feat(k, FEAT_RECENT_USED_PREV))
			k->cpu->rq.curr->recent_used_cpu = cpu;
	}
	return new_cpu;
}

const struct select_ops select_ops_scan = {
	.name = "scan",
	.select = select_scan,
};
