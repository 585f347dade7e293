/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IN: how the core is driven. Each call is one section of kernel code on the
 * CPU of K, starting at k->now_ns and leaving k->now_ns where it ended. The
 * caller holds no lock of the modelled kernel unless said otherwise.
 *
 * Order: sched_init(); groups; sched_new_task() for the first tasks and
 * sched_wake_up_new(); then whatever happens. After every section the driver
 * looks at sched_softirq_pending() (only where interrupts return) and
 * sched_need_resched(), and calls sched_softirq() and sched_schedule().
 * rq->curr says what the CPU runs.
 */
#ifndef RUNQLAB_SCHED_SCHED_H
#define RUNQLAB_SCHED_SCHED_H

#include "base/err.h"
#include "sched/port.h"

struct sched_config {
	const struct topology *topo;
	const struct kver *v;
	const struct prices *prices;
	const struct port_ops *port;
	void *driver;
	uint64_t seed;       /* of what the kernel itself leaves to chance */
	uint32_t max_tasks;  /* that sched_new_task() may create */
	uint32_t max_groups; /* the root not counted */
};

/*
 * Build a machine from memory of A: CPUs idle, domains attached, root group.
 * Everything a run needs is allocated here. NULL and *E on exhaustion (a limit
 * error) or a topology without online CPUs.
 */
struct machine *sched_init(struct arena *a, const struct sched_config *cfg, struct rql_error *e);

/* Bytes sched_init() needs at most for CFG; a bound, linear in tasks and CPUs x groups. */
uint64_t sched_memory_bound(const struct sched_config *cfg);

/*
 * A group named PATH below PARENT (created empty, shares 1024). NULL and *E when max_groups are
 * in use. PATH is kept, not copied. Linux: sched_create_group().
 */
struct task_group *sched_create_group(struct machine *m, struct task_group *parent,
				      const char *path, struct rql_error *e);

/* Linux: sched_group_set_shares(): clamps to 2..2^18 and gives every CPU's entity the new weight. */
void sched_group_set_shares(struct kctx *k, struct task_group *tg, uint64_t shares);

/*
 * Kernels with IDLE_GROUPS: TG, not the root and empty, is idle from now on (cpu.idle 1): beside
 * others its tasks count as SCHED_IDLE, and it weighs as one of them. No shares can be given to it.
 * Linux: sched_group_set_idle(), 5.15 on.
 */
void sched_group_make_idle(struct kctx *k, struct task_group *tg);

/*
 * Kernels with CFS_BANDWIDTH: TG, not the root, gets QUOTA_NS (QUOTA_NONE: any amount) of CPU
 * time in each PERIOD_NS; see set_cfs_bandwidth() in fair/bandwidth.h.
 */
void sched_group_set_bandwidth(struct kctx *k, struct task_group *tg, uint64_t quota_ns,
			       uint64_t period_ns);

/* ... may save up to BURST_NS of its quota: see set_cfs_burst(). Kernels with CFS_BURST. */
void sched_group_set_burst(struct kctx *k, struct task_group *tg, uint64_t burst_ns);

/*
 * A task with ATTR in group TG, not running yet. PARENT: the task it is forked by (current on
 * K's CPU), or NULL for a first task, which begins on K's CPU. NULL when max_tasks exist.
 * Linux: copy_process(), sched_fork().
 */
struct task *sched_new_task(struct kctx *k, struct task *parent, const struct task_attr *attr,
			    struct task_group *tg);

/* First activation of P: fork placement, enqueue, preemption check. Linux: wake_up_new_task(). */
void sched_wake_up_new(struct kctx *k, struct task *p);

/* The same for a workload's first task: it starts on the CPU it was created for. */
void sched_wake_up_first(struct kctx *k, struct task *p);

/*
 * Wake P if it sleeps. FLAGS: WF_SYNC. True if it was woken (or its sleep cancelled).
 * Linux: try_to_wake_up().
 */
bool sched_wake(struct kctx *k, struct task *p, uint32_t flags);

/* The current task means to sleep: from now on wake-ups find it. Linux: set_current_state(). */
void sched_set_sleeping(struct kctx *k);

/* An interrupt from another CPU (port.h ipi()) arrived. Linux: smp_reschedule_interrupt(), scheduler_ipi(). */
void sched_ipi(struct kctx *k);

/* Pick what runs next on this CPU and switch to it; repeats while need_resched. Linux: schedule(). */
void sched_schedule(struct kctx *k);

/* The current task ends; another is picked. Linux: do_exit(). */
void sched_exit(struct kctx *k);

/* Linux: sys_sched_yield(); the plain name is the C library's. */
void sched_do_yield(struct kctx *k);

/* exec of the current task: may move it. Linux: sched_exec(). */
void sched_exec(struct kctx *k);

/* How many kernel timers (port.h) a machine of CFG has; they are numbered from 0. */
uint32_t sched_timers(const struct sched_config *cfg);

/* Kernel timer TIMER fired on this CPU. */
void sched_timer(struct kctx *k, uint32_t timer);

/* The timer tick, interrupt part. Linux: scheduler_tick(). */
void sched_tick(struct kctx *k);

/* What interrupts raised, interrupts on: balancing, RCU. Linux: __do_softirq(), run_rebalance_domains(). */
void sched_softirq(struct kctx *k);

static inline bool sched_softirq_pending(const struct kctx *k)
{
	return k->cpu->softirq_pending != 0;
}

static inline bool sched_need_resched(const struct kctx *k)
{
	return k->cpu->rq.curr->need_resched;
}

/* The stopper is current: do its work, then block it and pick. Linux: migration_thread(). */
void sched_stopper_run(struct kctx *k);

/*
 * The idle loop begins, nothing is pending. True: work was done, and something may be pending now.
 * Linux: do_idle(), nohz_run_idle_balance(), 5.12 on.
 */
bool sched_idle_work(struct kctx *k);

/*
 * The idle task is about to wait. True: the tick may stop and costs nothing from now on;
 * rq->tick_stopped is set. Linux: tick_nohz_stop_sched_tick(), select_nohz_load_balancer(1); with
 * NOHZ_STOP_AFTER_TICK cpuidle_idle_call(), idle_call_stop_or_retain_tick() (stable trees of 6.1 and 6.12, 2026).
 * Deviation: there is no cpuidle driver, so no governor ever decides.
 */
bool sched_idle_stop_tick(struct kctx *k);

/* This CPU's current task leaves memory to be freed after a grace period. Linux: call_rcu(). */
void sched_call_rcu(struct kctx *k);

/*
 * The current task is to sleep now, until a grace period has begun and ended; nobody else may wake it.
 * False: the run has no RCU, and it is to go on. Linux: synchronize_rcu().
 */
bool sched_synchronize_rcu(struct kctx *k);

/*
 * The current task is rcu_preempt and was woken: it does what grace periods need and is to sleep
 * until it is woken again. The first call makes it that task, for good. Linux: rcu_gp_kthread().
 */
void sched_rcu_step(struct kctx *k);

/* Idle ends because of need_resched; the tick runs again. Linux: tick_nohz_restart_sched_tick(). */
void sched_idle_restart_tick(struct kctx *k);

/* Linux: set_user_nice(), sched_setscheduler(), set_cpus_allowed_ptr(). P: the current task. */
void sched_set_nice(struct kctx *k, struct task *p, int32_t nice);

/* VALUE: the nice value, or rt_priority 1..99 (unused with POLICY_DEADLINE); DL: for POLICY_DEADLINE, else NULL. */
struct policy_change {
	enum sched_policy policy;
	int32_t value;
	const struct dl_params *dl;
};

/* Why a change of policy is refused, by the names of the kernel's error numbers. */
enum policy_refusal {
	POLICY_GRANTED,
	POLICY_EBUSY,       /* no bandwidth left for it */
	POLICY_EPERM,       /* a deadline task must be allowed on every CPU */
	POLICY_EINVAL,      /* this kernel has no such policy, or its parameters are no good */
	POLICY_EBUSY_CPUS,  /* EBUSY: a deadline task is to be confined to some CPUs */
	POLICY_EINVAL_CPUS, /* EINVAL: none of the CPUs is online */
};

enum policy_refusal sched_set_policy(struct kctx *k, struct task *p, const struct policy_change *c);

/* Would a task with ATTR be refused? To be asked before sched_new_task(), which takes none such. */
enum policy_refusal sched_may_create(const struct machine *m, const struct task_attr *attr);

/*
 * Confine P to CPUS; the mask is kept, not copied. Refused with POLICY_EINVAL_CPUS if none of
 * them is online, with POLICY_EBUSY_CPUS to a deadline task unless CPUS has all that are online.
 */
enum policy_refusal sched_set_affinity(struct kctx *k, struct task *p, const struct mask *cpus);

/* Verify every invariant of the machine the slow way; CHECK fails on a bug. Other CPUs may be inside sections. */
void sched_audit(struct machine *m);

#endif
