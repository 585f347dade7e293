/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk over the waking CPU's domains. It looks for the lowest domain that
 * allows affine wake-ups and holds both the waking and the previous CPU, and
 * for the highest domain that balances this kind of placement.
 *
 * The three tables differ in when and how an idle CPU of the same cache is looked
 * for: 2.6.34 does it on the walk, so that an idle neighbour by itself makes a
 * domain the affine one; 2.6.35 first decides between the two CPUs and then
 * looks around the winner; so do 3.3 and 3.4, for a group whose CPUs all idle.
 *
 * Power savings and SD_PREFER_LOCAL are off by default and left out.
 * Linux: sched_fair.c select_task_rq_fair(), select_idle_sibling(), 2.6.34 to 3.4.
 */
#include "sched/select/select.h"

#include "base/check.h"
#include "base/fixed.h"

/* What the walk found. */
struct placement {
	struct sched_domain *affine_sd, *sd;
	uint32_t cpu; /* the waking CPU, or what replaces it */
};

/* Shares of the widest domain involved, before loads are compared. */
static void refresh_shares(struct kctx *k, const struct placement *at, struct task *p)
{
	struct sched_domain *widest = at->sd;

	if (!feat(k, FEAT_LB_SHARES_UPDATE) || !k->v->share->update_domain)
		return;
	if (at->affine_sd && (!widest || at->affine_sd->span_weight > widest->span_weight))
		widest = at->affine_sd;
	if (!widest)
		return;
	if (!feat(k, FEAT_SELECT_UNDER_RQ_LOCK)) {
		k->v->share->update_domain(k, widest);
		return;
	}
	rq_unlock(k, task_rq(k->m, p));
	k->v->share->update_domain(k, widest);
	rq_lock(k, task_rq(k->m, p));
}

/* 2.6.34's test for an idle CPU: no fair task in the root group's queue. */
static bool root_cfs_is_empty(const struct kctx *k, uint32_t cpu)
{
	return k->m->cpus[cpu].rq.cfs->nr_running == 0;
}

/* TARGET may be CPU_NONE: then only an idle CPU is an answer. */
static uint32_t idle_sibling_in_walk(struct kctx *k, const struct task *p,
				     const struct sched_domain *sd, uint32_t target)
{
	uint32_t cpu, scanned = 0;

	peek(k);
	if (target == k->cpu->id && root_cfs_is_empty(k, p->cpu))
		return p->cpu;
	mask_for_each_and(cpu, sd->span, p->allowed) {
		scanned++;
		if (root_cfs_is_empty(k, cpu)) {
			target = cpu;
			break;
		}
	}
	charge(k, WORK_SELECT_SCAN, scanned);
	return target;
}

static uint32_t select_idle_in_walk(struct kctx *k, struct task *p, uint32_t sd_flag,
				    uint32_t wake_flags)
{
	uint32_t prev = p->cpu;
	uint32_t new_cpu = k->cpu->id;
	struct placement at = {.cpu = k->cpu->id};
	bool want_affine = false;
	struct sched_domain *sd;

	if (sd_flag & SD_BALANCE_WAKE) {
		want_affine = feat(k, FEAT_AFFINE_WAKEUPS) && mask_test(p->allowed, k->cpu->id);
		new_cpu = prev;
	}
	for (sd = k->cpu->rq.sd; sd; sd = sd->parent) {
		if (!(sd->flags & SD_LOAD_BALANCE))
			continue;
		if (want_affine) {
			uint32_t target = CPU_NONE;

			if (mask_test(sd->span, prev))
				target = at.cpu;
			if (sd->flags & SD_SHARE_PKG_RESOURCES)
				target = idle_sibling_in_walk(k, p, sd, target);
			if (target != CPU_NONE) {
				if (sd->flags & SD_WAKE_AFFINE) {
					at.affine_sd = sd;
					want_affine = false;
				}
				at.cpu = target;
			}
		}
		if (sd->flags & sd_flag)
			at.sd = sd;
	}
	refresh_shares(k, &at, p);
	if (at.affine_sd && wake_affine(k, at.affine_sd, p, wake_flags & WF_SYNC))
		return at.cpu;
	if (!at.sd)
		return new_cpu;
	return find_idlest(k, p, at.sd, at.cpu, sd_flag);
}

const struct select_ops select_ops_idle_in_walk = {
	.name = "idle-in-walk",
	.select = select_idle_in_walk,
};

/* An idle CPU that shares a cache with TARGET, TARGET itself first. */
static uint32_t idle_sibling_of(struct kctx *k, const struct task *p, uint32_t target)
{
	uint32_t this_cpu = k->cpu->id, prev = p->cpu;
	const struct sched_domain *sd;
	uint32_t scanned = 0;

	peek(k);
	if ((target == this_cpu || target == prev) && idle_cpu(k, target))
		return target;
	for (sd = k->m->cpus[target].rq.sd; sd; sd = sd->parent) {
		uint32_t cpu;

		if (!(sd->flags & SD_SHARE_PKG_RESOURCES))
			break;
		mask_for_each_and(cpu, sd->span, p->allowed) {
			scanned++;
			if (idle_cpu(k, cpu)) {
				target = cpu;
				break;
			}
		}
		/* the lowest domain with both CPUs is near enough */
		if (mask_test(sd->span, this_cpu) && mask_test(sd->span, prev))
			break;
	}
	charge(k, WORK_SELECT_SCAN, scanned);
	return target;
}

/* IDLE_SIBLING: how the version looks for an idle CPU near a target. */
static uint32_t select_near(struct kctx *k, struct task *p, uint32_t sd_flag, uint32_t wake_flags,
			    uint32_t (*idle_sibling)(struct kctx *k, const struct task *p,
						     uint32_t target))
{
	uint32_t this_cpu = k->cpu->id, prev = p->cpu;
	struct placement at = {.cpu = this_cpu};
	bool want_affine = false;
	bool want_sd = true;
	struct sched_domain *sd;

	if (sd_flag & SD_BALANCE_WAKE)
		want_affine = mask_test(p->allowed, this_cpu);
	for (sd = k->cpu->rq.sd; sd; sd = sd->parent) {
		if (!(sd->flags & SD_LOAD_BALANCE))
			continue;
		if (want_affine && (sd->flags & SD_WAKE_AFFINE) && mask_test(sd->span, prev)) {
			at.affine_sd = sd;
			want_affine = false;
		}
		if (!want_sd && !want_affine)
			break;
		if (sd->flags & sd_flag)
			at.sd = sd;
	}
	refresh_shares(k, &at, p);
	if (at.affine_sd) {
		if (this_cpu == prev || wake_affine(k, at.affine_sd, p, wake_flags & WF_SYNC))
			return idle_sibling(k, p, this_cpu);
		return idle_sibling(k, p, prev);
	}
	if (!at.sd)
		return sd_flag & SD_BALANCE_WAKE ? prev : this_cpu;
	return find_idlest(k, p, at.sd, this_cpu, sd_flag);
}

static uint32_t select_affine_then_idle(struct kctx *k, struct task *p, uint32_t sd_flag,
					uint32_t wake_flags)
{
	return select_near(k, p, sd_flag, wake_flags, idle_sibling_of);
}

const struct select_ops select_ops_affine_then_idle = {
	.name = "affine-then-idle",
	.select = select_affine_then_idle,
};

/*
 * First allowed CPU of a group that is wholly idle, in the LLC's domain and
 * then in the lower ones, TARGET's own group first; so a whole idle core is
 * taken before an idle thread of TARGET's core, and an idle thread of another
 * busy core never.
 */
static uint32_t idle_group_near(struct kctx *k, const struct task *p, uint32_t target)
{
	struct sched_domain *sd, *llc = NULL;
	uint32_t scanned = 0;

	peek(k);
	if ((target == k->cpu->id || target == p->cpu) && idle_cpu(k, target))
		return target;
	for (sd = k->m->cpus[target].rq.sd; sd; sd = sd->parent)
		if (sd->flags & SD_SHARE_PKG_RESOURCES)
			llc = sd;
	for (sd = llc; sd; sd = sd->child) {
		struct sched_group *g = sd->groups;

		do {
			bool may_run = mask_intersects(g->cpus, p->allowed);
			uint32_t i = 0;

			while (may_run && i < g->ncpus && idle_cpu(k, g->cpu[i]))
				i++;
			scanned += may_run ? i + (i < g->ncpus) : 0;
			if (may_run && i == g->ncpus) {
				charge(k, WORK_SELECT_SCAN, scanned);
				return mask_next_and(g->cpus, p->allowed, 0);
			}
			g = g->next;
		} while (g != sd->groups);
	}
	charge(k, WORK_SELECT_SCAN, scanned);
	return target;
}

static uint32_t select_idle_group(struct kctx *k, struct task *p, uint32_t sd_flag,
				  uint32_t wake_flags)
{
	if (p->nr_allowed == 1)
		return p->cpu;
	return select_near(k, p, sd_flag, wake_flags, idle_group_near);
}

const struct select_ops select_ops_idle_group = {
	.name = "idle-group",
	.select = select_idle_group,
};
