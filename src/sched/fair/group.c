/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Group shares as 2.6.2x to 2.6.37 computed them. From time to time a
 * balancing or waking CPU walks all groups and, for the CPUs of one domain,
 * splits the part of the group's shares that the domain holds in proportion
 * to the group's load on each CPU. A CPU where the group has no task is
 * pretended to have one task of nice 0, so that one arriving there at once
 * has a sensible weight.
 *
 * h_load is a group's load on one CPU seen from the root: the product of the
 * fractions on the way down. It is refreshed with both rq locks held, for all
 * groups of the system, whether or not they have tasks there.
 *
 * The walks use parent and sibling links; children are newest first.
 *
 * Linux: kernel/sched.c tg_shares_up(), update_shares(), update_h_load();
 * kernel/sched_fair.c effective_load(); 2.6.34 and 2.6.35.
 */
#include "sched/fair/group.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/class.h"
#include "sched/fair/cfs_rq.h"
#include "sched/fair/weight.h"

/* Linux: root_task_group_empty(). */
static bool root_group_is_empty(const struct machine *m)
{
	return m->ngroups == 1;
}

struct task_group *tg_next_preorder(struct task_group *tg)
{
	if (tg->child)
		return tg->child;
	for (; tg; tg = tg->parent)
		if (tg->sibling)
			return tg->sibling;
	return NULL;
}

struct task_group *tg_first_postorder(struct task_group *root)
{
	while (root->child)
		root = root->child;
	return root;
}

struct task_group *tg_next_postorder(struct task_group *tg)
{
	if (tg->sibling)
		return tg_first_postorder(tg->sibling);
	return tg->parent;
}

void update_h_load(struct kctx *k, uint32_t cpu)
{
	struct machine *m = k->m;
	struct task_group *tg;
	uint32_t saved;

	if (feat(k, FEAT_STALE_H_LOAD) && root_group_is_empty(m))
		return;
	saved = path_enter(k, PATH_UPDATE_H_LOAD);
	for (tg = &m->groups_mem[0]; tg; tg = tg_next_preorder(tg)) {
		struct cfs_rq *q = &tg->cfs_rq[cpu];

		if (!tg->parent) {
			q->h_load = q->rq->load.weight;
		} else {
			const struct cfs_rq *up = &tg->parent->cfs_rq[cpu];

			q->h_load = up->h_load * k->v->share->part(tg, cpu) / (up->load.weight + 1);
		}
	}
	charge(k, WORK_TG_WALK, m->ngroups);
	path_leave(k, saved);
}

void set_se_shares(struct kctx *k, struct entity *se, uint64_t shares)
{
	bool queued = se->on_rq;

	/* queued: out and in again, so it goes behind equals and loses its buddies */
	if (queued)
		dequeue_entity(k, se->cfs_rq, se, 0);
	se->load.weight = shares;
	se->load.inv = 0;
	if (queued)
		enqueue_entity(k, se->cfs_rq, se, 0);
}

/* What tg_shares_up() knows of one group in one domain. */
struct share_split {
	uint64_t shares;    /* to be split */
	uint64_t rq_weight; /* over this */
};

static void set_cpu_shares(struct kctx *k, struct task_group *tg, uint32_t cpu,
			   const struct share_split *split, uint64_t weight)
{
	struct cfs_rq *q = &tg->cfs_rq[cpu];
	bool boost = weight == 0;
	uint64_t shares;
	int64_t change;

	if (boost)
		weight = NICE_0_LOAD;
	shares = clamp_u64(split->shares * weight / split->rq_weight, MIN_SHARES, MAX_SHARES);
	change = (int64_t)shares - (int64_t)tg->se[cpu].load.weight;
	if ((uint64_t)(change < 0 ? -change : change) <= k->m->tun.shares_thresh)
		return;
	rq_lock(k, q->rq);
	q->rq_weight = boost ? 0 : weight;
	q->shares = boost ? 0 : shares;
	set_se_shares(k, &tg->se[cpu], shares);
	rq_unlock(k, q->rq);
}

/* Linux: tg_shares_up(). */
static void split_group_shares(struct kctx *k, struct task_group *tg, const struct sched_domain *sd)
{
	uint64_t weight[TOPO_CPUS_MAX];
	struct share_split split = {0, 0};
	uint64_t sum_weight = 0;
	uint32_t cpu, n = 0;

	mask_for_each(cpu, sd->span) {
		const struct cfs_rq *q = &tg->cfs_rq[cpu];

		weight[n] = q->load.weight;
		split.rq_weight += weight[n];
		sum_weight += weight[n] ? weight[n] : NICE_0_LOAD;
		split.shares += q->shares;
		n++;
	}
	if (!split.rq_weight)
		split.rq_weight = sum_weight;
	if ((!split.shares && split.rq_weight) || split.shares > tg->shares)
		split.shares = tg->shares;
	if (!sd->parent || !(sd->parent->flags & SD_LOAD_BALANCE))
		split.shares = tg->shares;
	charge(k, WORK_SHARES, n);
	n = 0;
	mask_for_each(cpu, sd->span)
		set_cpu_shares(k, tg, cpu, &split, weight[n++]);
}

static void update_domain_shares(struct kctx *k, struct sched_domain *sd)
{
	struct task_group *tg;
	uint32_t saved;

	if (root_group_is_empty(k->m))
		return;
	/* signed: another CPU's clock may have been ahead when it came by */
	if (delta_s64(k->now_ns, sd->last_update_ns) < (int64_t)k->m->tun.shares_ratelimit_ns)
		return;
	sd->last_update_ns = k->now_ns;
	saved = path_enter(k, PATH_UPDATE_SHARES);
	peek(k);
	for (tg = tg_first_postorder(&k->m->groups_mem[0]); tg; tg = tg_next_postorder(tg))
		if (tg->parent)
			split_group_shares(k, tg, sd);
	path_leave(k, saved);
}

/*
 * Wrapping signed arithmetic of the kernel's long; overflow is not an error
 * there and must not be undefined here.
 */
static int64_t mul_s64(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t effective_load_by_shares(struct kctx *k, const struct task_group *tg, uint32_t cpu,
					int64_t wl, int64_t wg)
{
	const struct entity *se;

	if (!tg->parent)
		return wl;
	if (!wl && feat(k, FEAT_ASYM_EFF_LOAD))
		return 0;
	for (se = &tg->se[cpu]; se; se = se->parent) {
		const struct cfs_rq *q = se->my_q;
		int64_t more = (int64_t)(q->load.weight - q->rq_weight);
		int64_t big_s = (int64_t)q->tg->shares;
		int64_t s = (int64_t)q->shares;
		int64_t rw = (int64_t)q->rq_weight;
		int64_t a, b;

		wl += more;
		wg += more;
		a = mul_s64(big_s, rw + wl);
		b = mul_s64(big_s, rw) + mul_s64(s, wg);
		wl = mul_s64(s, a - b);
		if (b)
			wl /= b;
		wg = 0;
	}
	return wl;
}

static uint64_t part_by_shares(const struct task_group *tg, uint32_t cpu)
{
	return tg->cfs_rq[cpu].shares;
}

const struct share_ops share_ops_domain = {
	.name = "domain-walk",
	.initial_weight = NICE_0_LOAD,
	.update_domain = update_domain_shares,
	.part = part_by_shares,
	.effective_load = effective_load_by_shares,
};
