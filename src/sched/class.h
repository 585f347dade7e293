/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scheduling classes, ordered stop > dl > rt > fair > idle, and the tables
 * through which versions differ. Upward calls from a class go
 * through here.
 */
#ifndef RUNQLAB_SCHED_CLASS_H
#define RUNQLAB_SCHED_CLASS_H

#include "base/check.h"
#include "sched/port.h"

/* enqueue and dequeue */
#define ENQUEUE_WAKEUP 1u
#define ENQUEUE_WAKING 2u /* its vruntime was made relative by task_waking */
#define ENQUEUE_HEAD 4u   /* first of its priority */
#define ENQUEUE_REPLENISH 8u
#define DEQUEUE_SLEEP 1u
/* The task comes back changed at once: it keeps its place unless MOVE is set. Either direction. */
#define DEQUEUE_SAVE 16u
#define DEQUEUE_MOVE 32u
#define ENQUEUE_INITIAL 256u /* a new task */
/* Kernels with DELAY_DEQUEUE: it slept on its queue, and is woken there, or taken off at last. */
#define ENQUEUE_DELAYED 512u
#define DEQUEUE_DELAYED 512u
#define DEQUEUE_SPECIAL 1024u /* ... it must not stay on its queue */

/* Does a task with FLAGS, joining or leaving, keep its place? Linux: rt.c move_entity(). */
static inline bool keeps_place(uint32_t flags)
{
	return (flags & (DEQUEUE_SAVE | DEQUEUE_MOVE)) == DEQUEUE_SAVE;
}

/* rq->callbacks, kernels with BALANCE_CALLBACKS; in the order in which they are done */
#define CALLBACK_PUSH_DL 1u
#define CALLBACK_PUSH_RT 2u
#define CALLBACK_PULL_DL 4u
#define CALLBACK_PULL_RT 8u

struct sched_class {
	const char *name;
	uint32_t rank;       /* higher preempts lower */
	bool counts_running; /* enqueue and dequeue keep rq->nr_running themselves */
	bool tells_waiting;  /* ... and task_wait_start() and task_wait_end() */
	/* Called with rq locked: P wants to run on rq. */
	void (*enqueue)(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags);
	/* ... no longer wants to. */
	void (*dequeue)(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags);
	/* Best task of the class, made current in it; NULL if it has none. */
	struct task *(*pick_next)(struct kctx *k, struct rq *rq);
	/* P stops being current; it may still be queued. */
	void (*put_prev)(struct kctx *k, struct rq *rq, struct task *p);
	/* The tick found P running. */
	void (*tick)(struct kctx *k, struct rq *rq, struct task *p);
	/* P just became queued: should it preempt rq->curr? May call resched_task(). */
	void (*check_preempt)(struct kctx *k, struct rq *rq, struct task *p, uint32_t wake_flags);
	uint8_t select_path; /* enum path_elem of select_rq */
	/* Where should P run? NULL: where it was. Locks as the version's wake-up has them. */
	uint32_t (*select_rq)(struct kctx *k, struct task *p, uint32_t sd_flag,
			      uint32_t wake_flags);
	/* P is being woken, its old rq locked: make its time relative. May be NULL. */
	void (*waking)(struct kctx *k, struct rq *rq, struct task *p);
	/* P is being created by the current task. NULL: nothing to do. */
	void (*fork)(struct kctx *k, struct rq *rq, struct task *p);
	void (*yield)(struct kctx *k, struct rq *rq);
	/* P, current on rq, joined this class or its group changed. */
	void (*set_curr)(struct kctx *k, struct rq *rq, struct task *p);

	/* What follows may be NULL. */

	/*
	 * The best task, and nothing changes but what has to be known to choose; NULL: none. In
	 * kernels that choose before PREV is put back.
	 */
	struct task *(*pick_task)(struct kctx *k, struct rq *rq);
	/* P, of this class, follows PREV, of this class, too: what they share stays as it is. */
	void (*exchange)(struct kctx *k, struct rq *rq, struct task *prev, struct task *p);

	/* As pick_next, of PREV and the others of this class; PREV is put back as far as needed. */
	struct task *(*pick_after)(struct kctx *k, struct rq *rq, struct task *prev);

	/*
	 * PREV is about to leave rq: fetch from other CPUs what should run here then. rq may be
	 * unlocked meanwhile. Kernels that pull in schedule() ask PREV's class, those that pull
	 * in pick all classes from the top until one has something to run.
	 */
	void (*pull)(struct kctx *k, struct rq *rq, struct task *prev);
	bool (*has_runnable)(const struct kctx *k, const struct rq *rq);
	/* After a switch, rq locked again: rq->post_schedule was set by pick_next. */
	void (*post_schedule)(struct kctx *k, struct rq *rq);
	/* P was woken here: it may have to go elsewhere. rq may be unlocked meanwhile. */
	void (*task_woken)(struct kctx *k, struct rq *rq, struct task *p);
	/* P's allowed CPUs become N in number; they are not changed yet. */
	void (*affinity)(struct kctx *k, struct rq *rq, struct task *p, uint32_t n);
	/* P left this class, joined it, or stayed and had another priority, OLD_PRIO. */
	void (*switched_from)(struct kctx *k, struct rq *rq, struct task *p);
	void (*switched_to)(struct kctx *k, struct rq *rq, struct task *p);
	void (*prio_changed)(struct kctx *k, struct rq *rq, struct task *p, uint32_t old_prio);
	/*
	 * P, asleep or between two queues (p->migrating), is about to leave RQ's CPU for another.
	 * RQ's lock is held in the latter case.
	 */
	void (*migrate)(struct kctx *k, struct rq *rq, struct task *p);
	/* P ended and has just left the CPU. */
	void (*dead)(struct kctx *k, struct rq *rq, struct task *p);
};

extern const struct sched_class stop_sched_class, dl_sched_class, rt_sched_class, fair_sched_class,
	idle_sched_class;

struct group_weights;

/* How the fair class decides; one table per idea, chosen by the kernel version. */
struct fair_ops {
	const char *name;
	/* Granularity SE needs to lead CURR by, virtual ns. */
	uint64_t (*wakeup_gran)(const struct kctx *k, const struct entity *curr, struct entity *se);
	/* As pick_entity, of those waiting and CURR (NULL: none); from 3.17 on. Else NULL. */
	struct entity *(*pick_with_curr)(struct kctx *k, struct cfs_rq *cfs_rq,
					 struct entity *curr);
	/* Best entity of a cfs_rq that has some waiting; forgets it as a buddy. */
	struct entity *(*pick_entity)(struct kctx *k, struct cfs_rq *cfs_rq);
	/* Forget SE as a buddy of CFS_RQ and of the levels above. */
	void (*clear_buddies)(struct cfs_rq *cfs_rq, struct entity *se);
	/* P was queued while a fair task runs. */
	void (*check_preempt)(struct kctx *k, struct rq *rq, struct task *p, uint32_t wake_flags);
	void (*yield)(struct kctx *k, struct rq *rq);
	/* Put SE into CFS_RQ's tree, take it out; take it out to be current. */
	void (*insert)(const struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se);
	void (*erase)(const struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se);
	void (*take)(const struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se);

	/* What follows is there, and called, in kernels with LAG only. */

	/* The current entity ran for DELTA_NS, its vruntime has moved. */
	void (*ran)(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *curr, uint64_t delta_ns);
	/* SE joins and is not counted yet. FLAGS: ENQUEUE_*. */
	void (*place)(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se, uint32_t flags);
	/* SE leaves and is still counted, or stays for a while: false. FLAGS: DEQUEUE_*. */
	bool (*leave)(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se, uint32_t flags);
	void (*reweight)(struct kctx *k, struct entity *se, const struct group_weights *w);
	/* As in struct sched_class. */
	void (*enqueue_task)(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags);
	void (*dequeue_task)(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags);
	struct task *(*pick_task)(struct kctx *k, struct rq *rq);
};

/* How schedule() comes to the next task, once PREV, if it sleeps, is off its queue. */
struct pick_ops {
	const char *name;
	/* PREV is put back and the result is current in its class. rq may be unlocked meanwhile. */
	struct task *(*pick)(struct kctx *k, struct rq *rq, struct task *prev);
};

/* When CPUs balance, beside on going idle. */
struct trigger_ops {
	const char *name;
	/* In the balancing softirq of this CPU. */
	void (*softirq)(struct kctx *k);
	/* All domains of CPU that are due, executed here. Linux: rebalance_domains(). */
	void (*rebalance)(struct kctx *k, uint32_t cpu, enum cpu_idle_type idle);
};

/* How a sleeping task comes back. */
struct wake_ops {
	const char *name;
	/* Linux: try_to_wake_up(); as sched_wake(), its path is entered already. */
	bool (*wake)(struct kctx *k, struct task *p, uint32_t flags);
	/* An interrupt from another CPU arrived. NULL: need_resched is all it can mean. */
	void (*ipi)(struct kctx *k);
	/* The idle loop ends because of need_resched. */
	void (*leave_idle)(struct kctx *k);
	/* A task must have left its CPU before it can be woken elsewhere. */
	bool waits_for_switch;
};

/* Where tasks wake and start. */
struct select_ops {
	const char *name;
	uint32_t (*select)(struct kctx *k, struct task *p, uint32_t sd_flag, uint32_t wake_flags);
};

/*
 * What group shares are worth where. Members that are NULL have nothing to do.
 * Those on a cfs_rq are called with its rq locked.
 */
struct share_ops {
	const char *name;
	uint64_t initial_weight; /* of a new group's entities */
	/* Refresh shares over SD, rate-limited. */
	void (*update_domain)(struct kctx *k, struct sched_domain *sd);
	/* Refresh the shares of all groups on CPU, which balances. */
	void (*update_cpu)(struct kctx *k, uint32_t cpu);
	/* SE is about to be counted in Q, is counted, has joined; is about to leave, has left. */
	void (*joining)(struct kctx *k, struct cfs_rq *q, struct entity *se);
	void (*counted)(struct kctx *k, struct cfs_rq *q, struct entity *se);
	void (*joined)(struct kctx *k, struct cfs_rq *q);
	void (*leaving)(struct kctx *k, struct cfs_rq *q, struct entity *se);
	void (*left)(struct kctx *k, struct cfs_rq *q, struct entity *se);
	/* Something below SE, which stays queued, changed. */
	void (*ancestor)(struct kctx *k, struct entity *se);
	/* The shares of Q's group, not the root, were written: Q and what is above follow. */
	void (*written)(struct kctx *k, struct cfs_rq *q);
	/* The current entity of Q ran for DELTA_NS; a tick found it running. */
	void (*ran)(struct cfs_rq *q, uint64_t delta_ns);
	void (*tick)(struct kctx *k, struct entity *curr);
	/* SE becomes current in its queue, stops to be. */
	void (*set_next)(struct kctx *k, struct entity *se);
	void (*put_prev)(struct kctx *k, struct entity *se);
	/* What TG (not the root) is worth in its parent's queue on CPU, for h_load. */
	uint64_t (*part)(const struct task_group *tg, uint32_t cpu);
	/* Change of TG's load on CPU if WL is added there and WG to the whole group. */
	int64_t (*effective_load)(struct kctx *k, const struct task_group *tg, uint32_t cpu,
				  int64_t wl, int64_t wg);
};

struct lb;
struct lb_env;

/* What a CPU does when it balances one domain. */
struct lb_ops {
	const char *name;
	int32_t (*load_balance)(struct kctx *k, uint32_t this_cpu, struct sched_domain *sd,
				enum cpu_idle_type idle, bool *should_balance);
	/* Move one task of BUSIEST, both rqs locked, whatever its size. */
	bool (*move_one_task)(struct kctx *k, struct lb *lb, struct rq *busiest);
	/* The stopper of BUSIEST_RQ (locked) pushes one task to push_cpu. */
	void (*active_balance)(struct kctx *k, struct rq *busiest_rq);
	/* A newly-idle result of -1 or a failure counts as work done: see idle_balance(). */
	uint32_t max_interval_cpus; /* 0: bound intervals by the CPUs online, else by this */
};

/* Who balances for CPUs that idle without a tick. */
struct nohz_ops {
	const char *name;
	/* This CPU idles: true if its tick may stop. */
	bool (*stop_tick)(struct kctx *k);
	void (*restart_tick)(struct kctx *k);
	/* On every tick, no rq locked; true: leave the balancing softirq alone. */
	bool (*tick)(struct kctx *k, struct rq *rq);
	/* In the balancing softirq, after this CPU's own. NULL: balance_idle() instead. */
	void (*softirq)(struct kctx *k);
	/* In it, before this CPU's own: true: all was done, this CPU's too. */
	bool (*balance_idle)(struct kctx *k);
	/* A CPU goes idle and will not balance. [rq] May be NULL. */
	void (*newidle)(struct kctx *k, struct rq *rq);
	/* Age what was left on CPU, an idle one, once in a jiffy; true: some is left. May be NULL. */
	bool (*refresh)(struct kctx *k, uint32_t cpu);
	/*
	 * Would refresh() age any of CPUS now? If not, *LEFT becomes true where it would return true.
	 * NULL as refresh().
	 */
	bool (*refresh_due)(struct kctx *k, const struct mask *cpus, bool *left);
	/* An interrupt from another CPU arrived. NULL: it cannot be about this. */
	void (*ipi)(struct kctx *k);
	/* The idle loop begins; true: something was done. May be NULL. */
	bool (*idle_work)(struct kctx *k);
};

/* Set need_resched on rq's current task and interrupt its CPU if that is another. [rq] */
void resched_task(struct kctx *k, struct rq *rq);

/* resched_task() if rq's lock is free, else nothing. Linux: resched_cpu(). */
void resched_cpu(struct kctx *k, struct rq *rq);

/* Wake CPU's stopper to do what was left for it. No rq locked. */
void wake_stopper(struct kctx *k, uint32_t cpu);

/* Queue operations whatever P's class. [rq] */
void activate_task(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags);
void deactivate_task(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags);
void check_preempt_curr(struct kctx *k, struct rq *rq, struct task *p, uint32_t wake_flags);
void set_task_cpu(struct kctx *k, struct task *p, uint32_t cpu);
void update_rq_clock(struct kctx *k, struct rq *rq);

/*
 * N more tasks are queued on RQ: with the second there is something to balance. [rq]
 * Linux: sched.h add_nr_running(). Only kernels with PELT look at the overload.
 */
static inline void add_nr_running(struct kctx *k, struct rq *rq, uint32_t n)
{
	rq->nr_running += n;
	if (rq->nr_running >= 2 && rq->nr_running - n < 2)
		k->m->rd.overload = true;
}

/* N tasks fewer. Linux: sched.h sub_nr_running(). [rq] */
static inline void sub_nr_running(struct rq *rq, uint32_t n)
{
	CHECK(rq->nr_running >= n);
	rq->nr_running -= n;
}

/* P, asleep and still queued until now, has been taken off. Linux: __block_task(). [rq] */
void task_blocked(struct kctx *k, struct rq *rq, struct task *p);

/*
 * The fair server, kernels with FAIR_SERVER: a deadline entity that runs fair tasks when they got
 * less than 50 ms in a second. [rq]
 */
/* Fair tasks are queued on RQ that had none. Linux: dl_server_start(). */
void fair_server_start(struct kctx *k, struct rq *rq);
/* There are none any more; only kernels without SERVER_STAYS stop it for that. Linux: dl_server_stop(). */
void fair_server_emptied(struct kctx *k, struct rq *rq);
/* A fair task ran for DELTA_NS; RQ's server is active. Linux: dl_server_update(). */
void fair_server_ran(struct kctx *k, struct rq *rq, uint64_t delta_ns);
/* RQ idles, or did until now. Linux: dl_server_update_idle_time(). */
void fair_server_idled(struct kctx *k, struct rq *rq);

/* P begins to wait for its CPU, or stops waiting, as it got it or not. [rq] */
void task_wait_start(struct kctx *k, struct rq *rq, struct task *p);
void task_wait_end(struct kctx *k, struct rq *rq, struct task *p, bool got_cpu);

/* Balancing as schedule() calls it. */
void idle_balance(struct kctx *k, struct rq *this_rq);
/* The same from 5.4 on: tasks that came are 1 or more, -1 if one is of another class. */
int32_t newidle_balance(struct kctx *k, struct rq *rq);

#endif
