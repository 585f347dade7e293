/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything there is: CPUs with their run queues, domains, groups, tasks.
 * One struct machine is one run's whole world; several may live side by side.
 *
 * Guards: a field marked [rq] needs that rq's lock; [own] is touched only by
 * code running on that CPU; [ro] is fixed after sched_init().
 */
#ifndef RUNQLAB_MODEL_MACHINE_H
#define RUNQLAB_MODEL_MACHINE_H

#include "base/fixed.h"
#include "base/arena.h"
#include "base/mask.h"
#include "base/rng.h"
#include "model/cpu_sums.h"
#include "model/domain.h"
#include "model/klock.h"
#include "model/kver.h"
#include "model/path.h"
#include "model/prices.h"
#include "model/record.h"
#include "model/rcu.h"
#include "model/rt.h"
#include "model/task.h"
#include "model/topology.h"

#include <stddef.h>

#define CPU_LOAD_IDX_MAX 5

/* What never happened happened long ago: the machine was up before the run began. */
#define LONG_AGO_NS (0 - UINT64_C(1000000000))

struct port_ops;
struct machine;
struct cpu;

/* The kernel context: one per CPU, never copied, first parameter of all kernel code. */
struct kctx {
	uint64_t now_ns; /* this CPU's clock; moves forward as work is charged */
	uint32_t path;   /* where in the scheduler it is: a node of m->paths */
	bool in_irq;     /* interrupt context: no task is the waker */
	struct machine *m;
	struct cpu *cpu; /* the CPU on whose behalf this code runs */
	const struct kver *v;
	const struct prices *prices;
	const struct port_ops *port;
	void *driver;
	uint64_t sched_ns; /* time this CPU spent in the scheduler, lock waits included */
};

struct rq_stats {
	uint64_t yld_count, sched_count, sched_goidle, ttwu_count, ttwu_local;
	uint64_t rq_cpu_time_ns, run_delay_ns, pcount;
};

struct rq {
	struct klock lock;
	uint32_t cpu;
	uint32_t nr_running;                 /* [rq] all classes, current included */
	struct load_weight load;             /* [rq] weights of all tasks, in root units */
	uint64_t cpu_load[CPU_LOAD_IDX_MAX]; /* [rq] load, decayed at tick speed by 2^i */
	uint64_t clock_ns;                   /* [rq] sampled from now_ns where the kernel does */
	struct task *curr;                   /* [rq] set by set_rq_curr() */
	struct task *idle, *stop;            /* [ro] */
	struct cfs_rq *cfs;                  /* the root group's */
	struct sched_domain *sd;             /* lowest domain, or NULL */
	struct top_domains top;              /* kernels from 5.4 on: what is often looked up */
	uint32_t cpu_power;                  /* 1024 = one full CPU */
	uint64_t cpu_capacity_orig;          /* [ro] 1024 = the biggest; before 5.4 always that */
	uint64_t cpu_capacity; /* what is left of it for fair tasks; at least 1, kernels from 5.4 on */
	bool skip_clock_update;
	bool idle_at_tick;
	bool in_nohz_recently;
	bool tick_stopped;
	bool got_idle_tick;    /* a tick came while it idled, and its idle loop has not seen that */
	bool polls;            /* it is in the idle loop and will see need_resched by itself */
	uint64_t next_balance; /* [jiffies] */
	uint64_t idle_stamp_ns, avg_idle_ns;
	uint64_t wake_stamp;       /* [jiffies] when wake_avg_idle_ns was half of avg_idle_ns */
	uint64_t wake_avg_idle_ns; /* to be halved for each jiffy since; kernels with AVG_IDLE_AGED */
	uint64_t nohz_stamp_ns;    /* last time the idle path looked whether the tick may stop */
	uint64_t nr_switches;
	uint64_t nr_load_updates;

	/* stopper work, [rq] */
	bool active_balance;
	uint32_t push_cpu;
	struct list migrate_list; /* tasks with migrate_to set */

	/* kernels that wake through a list: tasks to be queued here, pushed without the lock */
	struct task *wake_list;     /* newest first; Linux: wake_list, later ttwu_pending */
	struct task *switching_out; /* left the queue but not yet the CPU */
	struct task *last_out;      /* the last of these */
	struct kwait switched_out;  /* comes true when switching_out has left the CPU */
	struct kwait attached;      /* comes true when a task that was migrating is queued here */

	struct list cfs_tasks;    /* [rq] all fair tasks, kernels that balance from one list */
	struct list leaf_cfs_rqs; /* [rq] cfs_rqs with tasks (and the root's), children first */
	struct list cfsb_csd;     /* [rq] throttled queues that got runtime from another CPU */
	uint64_t last_load_update_jiffies;
	uint8_t callbacks;  /* [rq] CALLBACK_: to be done once it was unlocked */
	bool post_schedule; /* [own] the class picked from has tasks to push after the switch */
	bool nohz_kicked;   /* asked to balance for idle CPUs */
	bool nohz_busy;     /* counted in its groups' nr_busy_cpus */

	/* kernels with PELT */
	uint64_t misfit_task_load;         /* of a running task too big for this CPU; 0: none */
	uint64_t max_idle_balance_cost_ns; /* what a round of newly-idle balancing took at most */
	uint64_t last_blocked_update;      /* [jiffies] when averages left here were aged */
	bool has_blocked_load;             /* ... and there are some */
	uint32_t nohz_flags;               /* what a kick asks for */
	uint32_t nohz_work;     /* ... once the interrupt was taken; kernels with NOHZ_NEXT */
	struct rng newidle_rng; /* whether to balance before idling; NI_RANDOM */

	uint64_t rt_avg;       /* [rq] ns that classes above fair ran, see sched/rt_avg.h */
	uint64_t age_stamp_ns; /* [rq] rq clock up to which rt_avg was halved */

	struct rq_stats stats;
	struct rt_rq rt;     /* [rq] */
	struct dl_rq dl;     /* [rq] */
	struct rq_pelt pelt; /* [rq] kernels with PELT */
};

/* What interrupts leave to be done with interrupts on. Linux: SCHED_SOFTIRQ, TIMER_SOFTIRQ, RCU_SOFTIRQ. */
#define SOFTIRQ_SCHED 1u
#define SOFTIRQ_TIMER 2u /* the timer wheel, of which RCU's thread is the only user here */
#define SOFTIRQ_RCU 4u

#define CPU_HEAD_BYTES 128
#define CPU_USED_BYTES                                                                             \
	(CPU_HEAD_BYTES + sizeof(struct rq) + 2 * sizeof(struct task) + sizeof(struct rcu_data))
#define CPU_BYTES (((CPU_USED_BYTES / 64 + 1) | 1) * 64)

/*
 * The clock is the last of the first line of the cache, the rest of the context the second, so
 * that who only looks at a CPU's time, place or softirq needs one line. An odd number of
 * lines: CPUs at multiples of two would share a part of the cache.
 */
struct cpu {
	uint32_t id;
	uint32_t lock_next;       /* next CPU waiting for the same lock */
	uint32_t core, llc, node; /* [ro] equal ids: shared */
	uint32_t distributed;     /* [own] the CPU that any_cpu_and() named last */
	bool online;
	uint8_t softirq_pending; /* [own] SOFTIRQ_ that were raised */
	struct mask *lb_mask, *select_mask,
		*select_mask2; /* [own] scratch of balancing, of placing */
	struct kctx k;
	struct rq rq;
	struct task idle_task, stop_task;
	struct rcu_data rcu;
	unsigned char unused[CPU_BYTES - CPU_USED_BYTES];
};

_Static_assert(sizeof(struct cpu) == CPU_BYTES, "CPUs are to lie an odd number of lines apart");
_Static_assert(offsetof(struct cpu, rq) == CPU_HEAD_BYTES, "the context is to fill its lines");

/* Which CPUs sleep without a tick, and who balances for them (2.6.3x). */
struct nohz {
	struct mask *cpu_mask;
	uint32_t ncpus;         /* weight of cpu_mask */
	uint32_t load_balancer; /* the idle CPU that keeps its tick for all; CPU_NONE */
	uint64_t next_balance;  /* [jiffies] kernels that kick an idle CPU: not before */
	bool has_blocked;       /* some idle CPU has averages to be aged; kernels with PELT */
	uint64_t next_blocked;  /* [jiffies] not before */
	/* kernels with PELT: what need not be aged, so that not all are asked whenever somebody balances */
	uint64_t fresh_jiffy;
	struct mask *fresh; /* CPUs that are known to need none in fresh_jiffy; [nohz_forget()] */
	struct mask *fresh_with_load; /* ... and have some left */
	bool needs_update; /* a CPU has joined: next_balance is stale; kernels with NOHZ_NEXT */
};

/* Read by observers that integrate over time; kept where tasks change place. */
struct machine_counts {
	uint64_t switches, wakeups, blocks, ticks, migrations, forks, exits;
};

struct machine {
	const struct kver *v;
	const struct prices *prices;
	const struct topology *topo;
	uint32_t ncpus; /* length of cpus[]; CPU numbers may have holes */
	uint32_t nonline;
	struct cpu *cpus;
	struct mask *online;
	struct mask *idling;          /* CPUs whose current task is their idle task */
	struct mask *had_idle_policy; /* ... that ever queued a task of SCHED_IDLE */
	/* what groups add up, sched/select/cpu_sums.h; NULL without PELT */
	struct mask *stale_sums;   /* CPUs that may have changed since */
	struct cpu_share *share;   /* [ncpus] */
	struct cpu_sums *set_sums; /* [nset_sums] of the CPUs of an sgc */
	uint32_t nset_sums;
	uint64_t tick_ns;      /* 1 s / HZ */
	uint64_t tick_inverse; /* 2^64 / tick_ns, rounded up */
	uint64_t seed;         /* [ro] of all chance */

	struct tunables tun; /* scaled for this machine */

	struct task_group *groups_mem; /* [max_groups], [0] is the root */
	struct list groups;            /* all groups, newest first, root last */
	uint32_t ngroups, max_groups;
	uint32_t first_group_timer;  /* [ro] groups' kernel timers are numbered from here on */
	uint32_t first_server_timer; /* [ro] ... those of fair servers, one a CPU */
	struct task *tasks;          /* [max_tasks] */
	uint32_t ntasks, max_tasks;
	struct dl_entity *dl_mem; /* [max_tasks], of tasks[i]; NULL: no SCHED_DEADLINE */
	struct sched_group **sgroups;
	uint32_t nsgroups;

	struct nohz nohz;
	struct rcu_state rcu;
	struct root_domain rd;
	/* [ro] kernels from 5.4 on ask before they look at cores, capacities, clusters */
	bool smt_active, asym_cpucapacity, cluster_active;
	struct klock balancing; /* taken (tried) by SD_SERIALIZE domains */

	struct path_tree *paths;
	struct machine_counts count;
	struct arena *arena;
};

static inline struct rq *rq_of_cpu(struct machine *m, uint32_t cpu)
{
	return &m->cpus[cpu].rq;
}

static inline struct rq *task_rq(struct machine *m, const struct task *p)
{
	return &m->cpus[p->cpu].rq;
}

/* What groups add up of RQ changes, or may: its lock was taken. */
static inline void rq_changed(struct machine *m, const struct rq *rq)
{
	if (m->stale_sums)
		mask_set(m->stale_sums, rq->cpu);
}

/* P runs on RQ's CPU from now on; machine.idling follows. */
static inline void set_rq_curr(struct machine *m, struct rq *rq, struct task *p)
{
	rq->curr = p;
	if (p == rq->idle)
		mask_set(m->idling, rq->cpu);
	else
		mask_clear(m->idling, rq->cpu);
}

/* TG with ID, not the root, gets runtime; what its queues left is handed out. Kernels with CFS_BANDWIDTH. */
static inline uint32_t ktimer_cfs_period(const struct machine *m, uint32_t id)
{
	return m->first_group_timer + 2 * (id - 1);
}

static inline uint32_t ktimer_cfs_slack(const struct machine *m, uint32_t id)
{
	return m->first_group_timer + 2 * (id - 1) + 1;
}

/* The fair server of CPU is to run. Kernels with FAIR_SERVER. */
static inline uint32_t ktimer_fair_server(const struct machine *m, uint32_t cpu)
{
	return m->first_server_timer + cpu;
}

/* When or whether the averages left on RQ's CPU are to be aged changes. */
static inline void nohz_forget(struct machine *m, const struct rq *rq)
{
	mask_clear(m->nohz.fresh, rq->cpu);
}

/* Ticks since the start, as this CPU's clock shows them. Linux: jiffies, advanced by the tick. */
static inline uint64_t jiffies(const struct kctx *k)
{
	/* a division by multiplying, which may come out one too high */
	uint64_t n = (uint64_t)((u128)k->now_ns * k->m->tick_inverse >> 64);

	return n - (n * k->m->tick_ns > k->now_ns);
}

static inline bool feat(const struct kctx *k, enum feature f)
{
	return kver_has(k->v, f);
}

static inline bool task_is_running(const struct rq *rq, const struct task *p)
{
	return rq->curr == p;
}

#endif
