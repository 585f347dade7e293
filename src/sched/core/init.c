/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine at boot: all CPUs idle, domains attached, the root group only.
 * Everything is allocated here, from one arena.
 *
 * Linux: kernel/sched.c sched_init(), sched_init_smp(), init_rootdomain(),
 * sched_create_group(); sched_fair.c update_sysctl().
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/core/core.h"
#include "sched/dl/dl.h"
#include "sched/domain/domain.h"
#include "sched/fair/bandwidth.h"
#include "sched/fair/cfs_rq.h"
#include "sched/fair/group.h"
#include "sched/fair/weight.h"
#include "sched/pelt/clock.h"
#include "sched/pelt/load_avg.h"
#include "sched/rt/rt.h"
#include "sched/select/cpu_sums.h"

/* What the PELT clocks show when a run begins. */
#define PELT_BOOT_NS NS_PER_S

/* 1 + log2 of the number of CPUs, which stops counting at 8. Linux: get_update_sysctl_factor(). */
static uint64_t scaling_factor(uint32_t nonline)
{
	return 1 + log2_floor(min_u32(nonline, 8));
}

static bool user_set(const struct kver *v, enum tunable_id id)
{
	return (v->tun_user >> id) & 1;
}

/* Values as the running kernel has them; what the user set is taken as it is. */
static void scale_tunables(struct machine *m)
{
	uint64_t factor = scaling_factor(m->nonline);
	struct tunables *t = &m->tun;

	*t = m->v->tun;
	if (!user_set(m->v, TUN_latency_ns))
		t->latency_ns *= factor;
	if (!user_set(m->v, TUN_min_granularity_ns))
		t->min_granularity_ns *= factor;
	if (!user_set(m->v, TUN_wakeup_granularity_ns))
		t->wakeup_granularity_ns *= factor;
	if (!user_set(m->v, TUN_base_slice_ns))
		t->base_slice_ns *= factor;
	if (!user_set(m->v, TUN_shares_ratelimit_ns))
		t->shares_ratelimit_ns *= factor;
	/* a write to either sysctl recomputes how many tasks fit one latency */
	if (!user_set(m->v, TUN_nr_latency) &&
	    (user_set(m->v, TUN_latency_ns) || user_set(m->v, TUN_min_granularity_ns)))
		t->nr_latency = (t->latency_ns + t->min_granularity_ns - 1) / t->min_granularity_ns;
}

static void init_special_task(struct machine *m, struct task *p, uint32_t cpu,
			      const struct sched_class *class)
{
	struct task_group *root = &m->groups_mem[0];

	p->cpu = cpu;
	p->state = TASK_RUNNING;
	p->policy = POLICY_NORMAL;
	p->prio = class == &stop_sched_class ? 0 : DEFAULT_PRIO;
	p->class = class;
	p->tg = root;
	p->se.load = weight_of_nice(0);
	p->se.load.weight *= nice_0_load(m->v) / NICE_0_LOAD;
	p->recent_used_cpu = CPU_NONE;
	p->se.cfs_rq = &root->cfs_rq[cpu];
	p->allowed = m->online;
	p->nr_allowed = 1;
	p->migrate_to = CPU_NONE;
	p->avg_wakeup_ns = m->tun.wakeup_granularity_ns;
	list_init(&p->lb_node);
	list_init(&p->migrate_node);
	list_init(&p->rt.run_list);
	list_init(&p->rt.pushable_node);
}

static void set_comm(struct task *p, const char *name)
{
	struct buf b;

	buf_init(&b, p->comm, sizeof(p->comm));
	buf_str(&b, name);
}

static void init_cpu(struct machine *m, const struct sched_config *cfg, uint32_t id)
{
	const struct topo_cpu *tc = &cfg->topo->cpu[id];
	struct cpu *cpu = &m->cpus[id];
	struct rq *rq = &cpu->rq;

	cpu->id = id;
	cpu->lock_next = CPU_NONE;
	cpu->core = tc->core;
	cpu->llc = tc->llc;
	cpu->node = tc->node;
	cpu->online = tc->present && tc->online;
	cpu->k = (struct kctx){.m = m,
			       .cpu = cpu,
			       .v = cfg->v,
			       .prices = cfg->prices,
			       .port = cfg->port,
			       .driver = cfg->driver};

	klock_init(&rq->lock, PATH_RQ_LOCK);
	rq->cpu = id;
	rq->cfs = &m->groups_mem[0].cfs_rq[id];
	rq->idle = &cpu->idle_task;
	rq->stop = &cpu->stop_task;
	rq->curr = rq->idle;
	rq->cpu_power = 1024;
	rq->cpu_capacity_orig = CAPACITY_SCALE;
	rq->cpu_capacity = CAPACITY_SCALE;
	rq->polls = true;
	rq->nohz_stamp_ns = LONG_AGO_NS;
	rq->avg_idle_ns = 2 * m->tun.migration_cost_ns;
	rq->max_idle_balance_cost_ns = m->tun.migration_cost_ns;
	rq->wake_avg_idle_ns = rq->avg_idle_ns;
	rq->newidle_rng = rng_stream(cfg->seed, "newidle", id);
	if (m->v->util_est)
		/* Deviation: 0 in the kernel, but the machine was up before: it went idle once */
		rq->idle_stamp_ns = 1;
	list_init(&rq->migrate_list);
	list_init(&rq->cfs_tasks);
	list_init(&rq->leaf_cfs_rqs);
	list_init(&rq->cfsb_csd);
	kwait_init(&rq->switched_out, PATH_ON_CPU);
	kwait_init(&rq->attached, PATH_ON_RQ_MIGRATING);
	rt_rq_init(m, rq);
	fair_server_init(m, rq);
	rq_pelt_init(&rq->pelt);
	if (m->v->util_est) {
		/* 0 would say that an object was never part of a queue */
		rq->pelt.clock_task_ns = PELT_BOOT_NS;
		rq->pelt.clock_pelt_ns = PELT_BOOT_NS;
	}

	init_special_task(m, rq->idle, id, &idle_sched_class);
	rq->idle->on_cpu = true;
	set_comm(rq->idle, "swapper");
	init_special_task(m, rq->stop, id, &stop_sched_class);
	rq->stop->state = TASK_INTERRUPTIBLE;
	set_comm(rq->stop, "migration");
}

static struct mask *new_mask(struct machine *m)
{
	void *mem = arena_alloc(m->arena, 1, mask_size(m->ncpus));

	return mem ? mask_init(mem, m->ncpus) : NULL;
}

/* What kernels with PELT need beside. */
static bool init_pelt_masks(struct machine *m)
{
	for (uint32_t i = 0; i < m->ncpus; i++) {
		m->cpus[i].lb_mask = new_mask(m);
		m->cpus[i].select_mask = new_mask(m);
		m->cpus[i].select_mask2 = new_mask(m);
	}
	m->nohz.fresh = new_mask(m);
	m->nohz.fresh_with_load = new_mask(m);
	return !m->arena->failed;
}

/* Kernels whose groups share capacities: what each CPU looks up often, what the machine has. */
static void attach_top_domains(struct machine *m, const struct domain_rules *rules,
			       const struct domain_set *set)
{
	m->smt_active = set->has_smt;
	m->asym_cpucapacity = set->has_asym;
	m->cluster_active = set->has_cluster;
	for (uint32_t i = 0; i < m->ncpus; i++) {
		struct rq *rq = &m->cpus[i].rq;

		if (!m->cpus[i].online)
			continue;
		top_domains_find(&rq->top, rq->sd, i, rules);
		rq->cpu_capacity_orig = arch_cpu_capacity(m->topo, i);
		rq->cpu_capacity = rq->cpu_capacity_orig;
		m->rd.max_cpu_capacity = max_u64(m->rd.max_cpu_capacity, rq->cpu_capacity_orig);
	}
}

static void domain_at_boot(struct sched_domain *sd)
{
	sd->last_update_ns = LONG_AGO_NS;
	sd->newidle_call = 512;
	sd->newidle_success = 256;
	sd->newidle_ratio = 512;
}

static bool attach_domains(struct machine *m, const struct sched_config *cfg)
{
	size_t scratch_bytes = domains_scratch_bytes_max(cfg->topo, cfg->v->domains);
	void *scratch_mem = arena_alloc(m->arena, 1, scratch_bytes);
	const struct domain_start start = {.jiffies = 0, .hz = cfg->v->hz};
	struct domain_set set;
	struct arena scratch;

	if (!scratch_mem)
		return false;
	arena_init(&scratch, scratch_mem, scratch_bytes);
	if (!domains_build(&set, cfg->topo, cfg->v->domains, &start, m->arena, &scratch))
		return false;
	for (uint32_t i = 0; i < m->ncpus; i++) {
		m->cpus[i].rq.sd = set.bottom[i];
		if (cfg->v->domains->powers_cpus && set.bottom[i])
			m->cpus[i].rq.cpu_power = set.bottom[i]->groups->cpu_power;
		for (struct sched_domain *sd = set.bottom[i]; sd; sd = sd->parent)
			domain_at_boot(sd);
	}
	if (cfg->v->domains->shares_capacity)
		attach_top_domains(m, cfg->v->domains, &set);
	for (uint32_t i = 0; i < set.ngroups; i++)
		set.group[i]->nr_busy_cpus = set.group[i]->ncpus;
	for (uint32_t i = 0; i < m->ncpus; i++)
		m->cpus[i].rq.nohz_busy = true;
	m->sgroups = set.group;
	m->nsgroups = set.ngroups;
	return !cfg->v->util_est || cpu_sums_init(m);
}

static struct task_group *new_group(struct machine *m, struct task_group *parent, const char *path)
{
	struct task_group *tg = &m->groups_mem[m->ngroups];

	tg->cfs_rq = arena_alloc(m->arena, m->ncpus, sizeof(struct cfs_rq));
	if (!tg->cfs_rq)
		return NULL;
	if (parent) {
		tg->se = arena_alloc(m->arena, m->ncpus, sizeof(struct entity));
		if (!tg->se)
			return NULL;
	}
	tg->id = m->ngroups++;
	tg->parent = parent;
	tg->shares = nice_0_load(m->v);
	tg->path = path;
	for (uint32_t i = 0; i < m->ncpus; i++) {
		cfs_rq_init(&tg->cfs_rq[i], &m->cpus[i].rq, tg);
		if (!parent)
			continue;
		tg->se[i].load.weight = m->v->share->initial_weight;
		tg->se[i].my_q = &tg->cfs_rq[i];
		tg->se[i].cfs_rq = &parent->cfs_rq[i];
		tg->se[i].parent = parent->parent ? &parent->se[i] : NULL;
	}
	if (parent) {
		tg->depth = parent->depth + 1;
		tg->sibling = parent->child;
		parent->child = tg;
	}
	list_add(&m->groups, &tg->all);
	cfs_bandwidth_init(m, tg);
	for (uint32_t i = 0; parent && i < m->ncpus; i++) {
		if (m->v->util_est)
			attach_group_entity(&m->cpus[i].k, &tg->se[i]);
		sync_throttle(&tg->cfs_rq[i]);
	}
	return tg;
}

/* Number after those of the timers of tasks. */
static uint32_t task_timers_end(const struct sched_config *cfg)
{
	return KTIMER_TASKS + (kver_has(cfg->v, FEAT_DL_CLASS) ? 2 * cfg->max_tasks : 0);
}

/* ... of those of groups. */
static uint32_t group_timers_end(const struct sched_config *cfg)
{
	return task_timers_end(cfg) +
	       (kver_has(cfg->v, FEAT_CFS_BANDWIDTH) ? 2 * cfg->max_groups : 0);
}

static struct machine *build(struct arena *a, const struct sched_config *cfg)
{
	struct machine *m = arena_alloc(a, 1, sizeof(*m));

	if (!m)
		return NULL;
	m->v = cfg->v;
	m->prices = cfg->prices;
	m->topo = cfg->topo;
	m->arena = a;
	m->ncpus = cfg->topo->ncpus;
	m->nonline = cfg->topo->nonline;
	m->tick_ns = NS_PER_S / cfg->v->hz;
	m->tick_inverse = UINT64_MAX / m->tick_ns + 1;
	m->seed = cfg->seed;
	m->max_tasks = cfg->max_tasks;
	m->max_groups = cfg->max_groups;
	m->first_group_timer = task_timers_end(cfg);
	m->first_server_timer = group_timers_end(cfg);
	m->cpus = arena_alloc(a, m->ncpus, sizeof(struct cpu));
	m->online = new_mask(m);
	m->idling = new_mask(m);
	m->had_idle_policy = new_mask(m);
	m->nohz.cpu_mask = new_mask(m);
	m->rcu.qs_mask = new_mask(m);
	m->paths = arena_alloc(a, 1, sizeof(struct path_tree));
	m->groups_mem = arena_alloc(a, (size_t)cfg->max_groups + 1, sizeof(struct task_group));
	m->tasks = arena_alloc(a, cfg->max_tasks, sizeof(struct task));
	if (a->failed)
		return NULL;
	mask_fill(m->idling, m->ncpus);
	m->nohz.load_balancer = CPU_NONE;
	klock_init(&m->balancing, PATH_OTHER_LOCK);
	list_init(&m->groups);
	scale_tunables(m);
	if (!new_group(m, NULL, "/"))
		return NULL;
	for (uint32_t i = 0; i < m->ncpus; i++) {
		init_cpu(m, cfg, i);
		if (m->cpus[i].online)
			mask_set(m->online, i);
	}
	if (m->v->util_est && !init_pelt_masks(m))
		return NULL;
	return root_domain_init(m) && dl_init(m) && attach_domains(m, cfg) ? m : NULL;
}

struct machine *sched_init(struct arena *a, const struct sched_config *cfg, struct rql_error *e)
{
	struct machine *m;

	if (cfg->topo->nonline == 0) {
		err_set(e, "machine", "no CPU is online; at least one is needed", NULL, NULL);
		return NULL;
	}
	m = build(a, cfg);
	if (!m) {
		err_set(e, "limits", "memory limit reached while building the machine; ",
			"raise --limit memory=SIZE", NULL);
		e->limit = true;
	}
	return m;
}

uint64_t sched_memory_bound(const struct sched_config *cfg)
{
	uint64_t ncpus = cfg->topo->ncpus;
	uint64_t per_group = ncpus * (sizeof(struct cfs_rq) + sizeof(struct entity)) + 256;

	return sizeof(struct machine) + sizeof(struct path_tree) + 4096 +
	       ncpus * (sizeof(struct cpu) + 64) +
	       (cfg->v->util_est ? (3 * ncpus + 2) * ((uint64_t)mask_size(cfg->topo->ncpus) + 64) +
					   cpu_sums_bytes_max(cfg->topo->ncpus) :
				   0) +
	       (CPUPRI_LEVELS + 8) * ((uint64_t)mask_size(cfg->topo->ncpus) + 64) +
	       ((uint64_t)cfg->max_groups + 1) * (per_group + sizeof(struct task_group)) +
	       (uint64_t)cfg->max_tasks * sizeof(struct task) + dl_memory_bound(cfg) +
	       domains_bytes_max(cfg->topo, cfg->v->domains) +
	       domains_scratch_bytes_max(cfg->topo, cfg->v->domains);
}

uint32_t sched_timers(const struct sched_config *cfg)
{
	return group_timers_end(cfg) + (kver_has(cfg->v, FEAT_FAIR_SERVER) ? cfg->topo->ncpus : 0);
}

/* TIMER is of the group at INDEX / 2, the root not counted. */
static void group_timer(struct kctx *k, uint32_t index)
{
	struct task_group *tg = &k->m->groups_mem[index / 2 + 1];

	CHECK(index / 2 + 1 < k->m->ngroups);
	if (index % 2)
		sched_cfs_slack_timer(k, tg);
	else
		sched_cfs_period_timer(k, tg);
}

void sched_timer(struct kctx *k, uint32_t timer)
{
	uint32_t index = timer - KTIMER_TASKS;

	if (timer == KTIMER_RT_PERIOD) {
		rt_period_timer(k);
		return;
	}
	if (timer >= k->m->first_server_timer) {
		fair_server_timer(k, timer - k->m->first_server_timer);
		return;
	}
	if (timer >= k->m->first_group_timer) {
		group_timer(k, timer - k->m->first_group_timer);
		return;
	}
	CHECK(index / 2 < k->m->ntasks);
	if (index % 2)
		dl_inactive_timer(k, &k->m->tasks[index / 2]);
	else
		dl_task_timer(k, &k->m->tasks[index / 2]);
}

struct task_group *sched_create_group(struct machine *m, struct task_group *parent,
				      const char *path, struct rql_error *e)
{
	struct task_group *tg = NULL;

	if (m->ngroups <= m->max_groups)
		tg = new_group(m, parent, path);
	if (!tg) {
		err_set(e, path, "no room for another group; raise the limits", NULL, NULL);
		e->limit = true;
	}
	return tg;
}

void sched_group_set_bandwidth(struct kctx *k, struct task_group *tg, uint64_t quota_ns,
			       uint64_t period_ns)
{
	set_cfs_bandwidth(k, tg, quota_ns, period_ns);
}

/* Off its parent's list of children and back at the head. */
static void make_newest_child(struct task_group *tg)
{
	struct task_group **link = &tg->parent->child;

	while (*link != tg)
		link = &(*link)->sibling;
	*link = tg->sibling;
	tg->sibling = tg->parent->child;
	tg->parent->child = tg;
}

/* Kernels with shares by entity: every CPU's part is computed anew, up to the root. */
static void write_shares_by_entity(struct kctx *k, struct task_group *tg, uint64_t shares)
{
	tg->shares = shares;
	for (uint32_t i = 0; i < k->m->ncpus; i++) {
		struct rq *rq = rq_of_cpu(k->m, i);

		rq_lock(k, rq);
		k->v->share->written(k, &tg->cfs_rq[i]);
		rq_unlock(k, rq);
	}
}

void sched_group_set_burst(struct kctx *k, struct task_group *tg, uint64_t burst_ns)
{
	set_cfs_burst(k, tg, burst_ns);
}

void sched_group_make_idle(struct kctx *k, struct task_group *tg)
{
	CHECK(feat(k, FEAT_IDLE_GROUPS));
	CHECK(tg->parent);
	for (uint32_t i = 0; i < k->m->ncpus; i++)
		CHECK(!tg->cfs_rq[i].nr_running);
	tg->idle = true;
	sched_group_set_shares(k, tg, weight_of_idle_policy().weight);
}

void sched_group_set_shares(struct kctx *k, struct task_group *tg, uint64_t shares)
{
	CHECK(tg->parent);
	shares = clamp_u64(shares, MIN_SHARES, MAX_SHARES) * (nice_0_load(k->v) / NICE_0_LOAD);
	if (shares == tg->shares)
		return;
	if (k->v->share->written) {
		write_shares_by_entity(k, tg, shares);
		return;
	}
	make_newest_child(tg);
	tg->shares = shares;
	for (uint32_t i = 0; i < k->m->ncpus; i++) {
		struct rq *rq = rq_of_cpu(k->m, i);

		rq_lock(k, rq);
		tg->cfs_rq[i].shares = 0;
		set_se_shares(k, &tg->se[i], shares);
		rq_unlock(k, rq);
	}
}
