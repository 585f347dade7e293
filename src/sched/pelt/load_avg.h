/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How entities' averages make up their queue's. An attached entity's load, runnable
 * and running time are part of its queue's averages whether it is queued or
 * sleeps; detaching takes them out. What comes and goes below a group is passed
 * up through the group's entity, one level with each update of that entity.
 *
 * In use: update_load_avg() before anything about an entity changes, from the
 * task's level upwards. A sleeping task that moves to another CPU leaves through
 * migrate_sleeping_se(), without the lock, and is attached when it is queued there.
 *
 * Unless said otherwise the rq's lock is held and its clock has been updated.
 * Linux: kernel/sched/fair.c, 5.4 to 6.12, functions of the same names.
 */
#ifndef RUNQLAB_SCHED_PELT_LOAD_AVG_H
#define RUNQLAB_SCHED_PELT_LOAD_AVG_H

#include "model/machine.h"

/* What update_load_avg() does beside ageing. */
#define UPDATE_TG 1u     /* report the queue's load to its group */
#define SKIP_AGE_LOAD 2u /* leave the entity as it is */
#define DO_ATTACH 4u     /* attach it if it is not */
#define DO_DETACH 8u     /* detach it: it goes to another CPU. From 6.1 on */

/* Bring SE and its queue up to date; a group entity takes over what changed below. */
void update_load_avg(struct kctx *k, struct entity *se, uint32_t flags);

/*
 * Bring Q up to NOW_NS and take out what was removed. Did the averages change?
 * Behaviour of PELT_SUM_FLOOR: see sum_floor() in load_avg.c.
 */
bool update_cfs_rq_load_avg(const struct kctx *k, uint64_t now_ns, struct cfs_rq *q);

/* SE becomes part of its queue's averages (which are up to date), or stops to be. */
void attach_entity_load_avg(const struct kctx *k, struct entity *se);
void detach_entity_load_avg(const struct kctx *k, struct entity *se);

/*
 * The same for a task that changes its group or class: queue and ancestors are brought up to
 * date, too. Detaching one that is not attached does nothing. Deviation: so in all versions,
 * the guard came after 5.5.
 */
void attach_entity_cfs_rq(struct kctx *k, struct entity *se);

/*
 * SE, of a new group, is part of its queue from now on, with no load of its own. So the first task
 * of the group passes its load up once, not by being attached as well. Linux:
 * online_fair_sched_group(). Deviation: takes no time, queues further up hear of it at their
 * next update.
 */
void attach_group_entity(const struct kctx *k, struct entity *se);
void detach_entity_cfs_rq(struct kctx *k, struct entity *se);

/*
 * A sleeping SE leaves its queue; no lock. The queue notices at its next update.
 * SE is aged to the queue's last update and stays marked as attached.
 */
void remove_entity_load_avg(const struct kctx *k, struct entity *se);

/*
 * A sleeping task goes to another CPU: removed, aged for the idle time that its old CPU has not
 * seen yet (PELT_LAG), no longer attached. Linux: migrate_task_rq_fair(), migrate_se_pelt_lag().
 */
void migrate_sleeping_se(const struct kctx *k, struct entity *se);

/* SE sleeps and goes from PREV to NEXT, both on this CPU or another. Feature ATTACH_AGE_LOAD. */
void set_task_rq_fair(const struct kctx *k, struct entity *se, const struct cfs_rq *prev,
		      const struct cfs_rq *next);

/* A task is forked, a group is made: weight known, no history. Linux: init_entity_runnable_average(). */
void init_entity_load_avg(const struct kctx *k, struct entity *se);

/*
 * A new task is about to run for the first time: guess its utilization from its queue's.
 * FAIR: is it of the fair class? If not it only gets a time. 5.4 and 5.5 attach it at once: call
 * attach_entity_cfs_rq() next. Behaviour of INIT_UTIL_SCALED: before, the weight has 10 bits too
 * many, so nearly always half of what is left of the CPU is guessed.
 */
void post_init_entity_util_avg(const struct kctx *k, struct entity *se, bool fair);

/*
 * Report Q's load to its group if it changed by more than 1/64. Root queues report nothing.
 * Another CPU's reports are seen without a lock. Behaviour of TG_LOAD_RATELIMIT: at most one per
 * ms of the executing CPU's clock, none from a CPU that is offline.
 */
void update_tg_load_avg(struct kctx *k, struct cfs_rq *q);

/* 5.4, 5.5: SE is queued in, leaves its queue. Nothing in later versions. */
void enqueue_runnable_load_avg(const struct kctx *k, struct entity *se);
void dequeue_runnable_load_avg(const struct kctx *k, struct entity *se);

/*
 * SE gets another weight; its queue's averages follow. RUNNABLE_WEIGHT matters in 5.4 and 5.5 only.
 * The caller takes SE out of the queue's load before and puts it back after. Linux: the middle
 * of reweight_entity().
 */
void reweight_entity_load_avg(const struct kctx *k, struct entity *se, uint64_t weight,
			      uint64_t runnable_weight);

#endif
