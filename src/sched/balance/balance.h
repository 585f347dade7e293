/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load balancing. A CPU asks for each of its domains, from the bottom: which
 * group is busiest, which queue in it, how much load is too much there, and
 * then moves tasks from that queue to its own with both locked.
 *
 * One attempt is described by a struct lb, passed through all steps.
 */
#ifndef RUNQLAB_SCHED_BALANCE_BALANCE_H
#define RUNQLAB_SCHED_BALANCE_BALANCE_H

#include "sched/class.h"

struct lb {
	struct sched_domain *sd;
	struct rq *this_rq; /* tasks are to come here; need not be the executing CPU's */
	enum cpu_idle_type idle;
	struct mask *cpus;   /* candidates: online CPUs minus those found to be pinned */
	bool all_candidates; /* no CPU was taken out of `cpus` yet */
	bool should_balance; /* false: another CPU of the local group balances this domain */
	bool sd_idle;        /* the SMT siblings seen so far are idle too */
	bool all_pinned;     /* no examined task could be asked whether it may move */
	uint64_t imbalance;  /* load to move */
	/* rules of the kernel; all false up to 2.6.35 */
	bool fix_small_capacity;  /* a weak thread that does nothing else can take a task */
	bool newly_idle_may_fail; /* ... without its failures being counted */
	/* kernels that pause a pass: state of the pass, kept over a repeated search */
	int64_t load_move;   /* what is left to move */
	uint64_t loop;       /* tasks counted so far */
	uint64_t loop_break; /* pause when loop passes this */
	uint64_t loop_max;   /* end when loop passes this */
	bool need_break;     /* the pass paused */
	bool aborted;        /* ... or ended for good */
	uint32_t breaks;     /* pauses so far */
	uint64_t moved;      /* tasks moved in this attempt, for the record */
};

/* The busiest group and lb->imbalance; NULL: balanced, or lb->should_balance is false. */
struct sched_group *find_busiest_group(struct kctx *k, struct lb *lb);

/* Groups that can take more or hold idle CPUs are told apart; from 2.6.37. */
struct sched_group *find_busiest_group_capacity(struct kctx *k, struct lb *lb);

/* POWER rounded to whole tasks. G: the group in lb->sd that it is, or is part of. */
uint64_t lb_capacity_of(const struct lb *lb, const struct sched_group *g, uint64_t power);

/* The busiest queue of G worth pulling from, or NULL. Linux: find_busiest_queue(), 2.6.34 to 3.4. */
struct rq *find_busiest_queue(struct kctx *k, const struct lb *lb, const struct sched_group *g);

/*
 * What a search that ended with GROUP, or with NULL, comes to: the group's busiest queue, or
 * NULL if there is nothing to pull. Counts lb_nobusyg, lb_nobusyq and lb_imbalance.
 */
struct rq *lb_find_busiest(struct kctx *k, struct lb *lb, const struct sched_group *group);

enum lb_outcome {
	LB_BALANCED, /* nothing to do, or not this CPU's job */
	LB_MOVED,    /* load moved */
	LB_FAILED,   /* there was a busiest queue but nothing moved */
};

/*
 * End an attempt that tried BUSIEST last: statistics, count of failures, active balance after
 * several of them, and the domain's interval. Linux: the end of load_balance(), 2.6.34 to 3.4.
 */
void lb_settle(struct kctx *k, struct lb *lb, enum lb_outcome outcome, struct rq *busiest);

/* May P move to lb->this_rq? Clears lb->all_pinned if affinity allows it. Both rqs locked. */
bool can_migrate_task(struct kctx *k, struct lb *lb, struct rq *src, struct task *p);

/* Move P from SRC to lb->this_rq, both locked. Linux: pull_task(). */
void pull_task(struct kctx *k, struct lb *lb, struct rq *src, struct task *p);

/*
 * Move tasks worth lb->imbalance from BUSIEST, both locked. True if the load
 * booked as moved is above 0 (which STALE_H_LOAD can make false although
 * tasks moved). Linux: move_tasks(), up to 3.3.
 */
bool move_tasks_by_group(struct kctx *k, struct lb *lb, struct rq *busiest);

/* Refresh powers of SD's own group, seen from CPU. Linux: update_group_power(). */
void update_group_power(struct kctx *k, struct sched_domain *sd, uint32_t cpu);

/* The stopper of BUSIEST_RQ (locked) pushes one task to push_cpu. Linux: active_load_balance(). */
void active_load_balance(struct kctx *k, struct rq *busiest_rq);

/* This CPU's domains, then what it does for idle ones; up to 3.4. */
extern const struct trigger_ops trigger_ops_load;

/* Rounded up. Linux: msecs_to_jiffies(). */
uint64_t ms_to_jiffies(const struct kctx *k, uint64_t ms);

/* Longest time between two attempts in a domain, ticks. Linux: max_load_balance_interval. */
uint64_t lb_max_interval(const struct kctx *k);

/* Pull the first of TASKS, on BUSIEST, that may move; false if none may. Both rqs locked. */
bool move_one_of(struct kctx *k, struct lb *lb, struct rq *busiest, struct list *tasks);

/* Linux: move_one_task(), from the lists of the groups. */
bool move_one_task_by_group(struct kctx *k, struct lb *lb, struct rq *busiest);

/* 3.3: per-group lists, a pass pauses after 32 tasks and searches anew, the fourth pause ends it. */
extern const struct lb_ops lb_ops_group_break;
/* 367456c7: one list per rq, a pass pauses and searches anew. */
extern const struct lb_ops lb_ops_list_redo;
/* 3.4: one list per rq, a pass pauses and goes on. */
extern const struct lb_ops lb_ops_list_relock;

/* 2.6.31 to 2.6.35: result -1 stands for "the SMT sibling is busy". */
extern const struct lb_ops lb_ops_classic;

#endif
