/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths are ranked by the change of the time spent at them: time adds up, so
 * the largest changes are what the difference is made of. Counters do not add
 * up with each other; they are ranked by the factor by which they changed, one
 * added on both sides so that a few events instead of none rank low.
 *
 * Nodes of two runs' path trees have different numbers; they meet by their text.
 */
#include "experiment/compare_why.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "experiment/err_printf.h"
#include "observe/profile.h"

#define PATH_CHANGE_MIN 0.001 /* of CPU time */
#define COUNT_MIN 100.0       /* a run, on one of both sides */
#define FACTOR_MIN 1.5

struct counter_row {
	size_t offset; /* of a uint64_t, or one for each enum cpu_idle_type */
	const char *name, *what;
};

#define MACHINE_ROW(field, what)                                                                   \
	{                                                                                          \
		offsetof(struct compare_counts, field), #field, what                               \
	}
#define LEVEL_ROW(field, what)                                                                     \
	{                                                                                          \
		offsetof(struct domain_stats, field), #field, what                                 \
	}

/* clang-format off */
static const struct counter_row machine_rows[] = {
	MACHINE_ROW(yld_count, "calls of sched_yield()"),
	MACHINE_ROW(sched_count, "passes through schedule()"),
	MACHINE_ROW(sched_goidle, "times a CPU found nothing to run and went idle"),
	MACHINE_ROW(ttwu_count, "wake-ups"),
	MACHINE_ROW(ttwu_local, "wake-ups onto the waker's own CPU"),
	MACHINE_ROW(context_switches, "switches between different tasks"),
	MACHINE_ROW(migrations, "times a task's CPU changed"),
	MACHINE_ROW(rq_lock_contended, "times a CPU had to wait for a run queue's lock"),
	MACHINE_ROW(rt_push_locks, "run queues locked to push a real-time task there"),
	MACHINE_ROW(rt_push_lock_failed, "run queues locked for a push that moved nothing there"),
	MACHINE_ROW(rt_push_relocks, "times a pushing CPU let its own lock go to get another"),
	MACHINE_ROW(rt_pushes, "real-time tasks pushed to another CPU"),
	MACHINE_ROW(rt_pull_locks, "run queues locked to pull a real-time task from there"),
	MACHINE_ROW(rt_pulls, "real-time tasks pulled from another CPU"),
};

static const struct counter_row level_rows[] = {
	LEVEL_ROW(alb_count, "times a running task was to be pushed to an idle CPU"),
	LEVEL_ROW(alb_failed, "such pushes that moved nothing"),
	LEVEL_ROW(alb_pushed, "such pushes that moved the task"),
	LEVEL_ROW(ttwu_wake_remote, "wake-ups of tasks that were on another CPU of the domain"),
	LEVEL_ROW(ttwu_move_affine, "wake-ups that pulled the task to its waker's CPU"),
};

static const struct counter_row balance_rows[] = {
	LEVEL_ROW(lb_count, "attempts to balance"),
	LEVEL_ROW(lb_balanced, "attempts that found nothing to balance"),
	LEVEL_ROW(lb_failed, "attempts that found an imbalance and moved nothing"),
	LEVEL_ROW(lb_imbalance, "the sum of the imbalances found"),
	LEVEL_ROW(lb_gained, "tasks moved"),
	LEVEL_ROW(lb_hot_gained, "cache-hot tasks moved"),
	LEVEL_ROW(lb_nobusyq, "attempts that found no busier queue"),
	LEVEL_ROW(lb_nobusyg, "attempts that found no busier group"),
};
/* clang-format on */

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

/* -- counters -- */

static double factor_of(const struct why_pair *p)
{
	double x = (p->other + 1) / (p->first + 1);

	return x < 1 ? 1 / x : x;
}

/* Keep the counter if it is among those that changed most. */
static void offer_counter(struct compare_why *out, const struct why_counter *x)
{
	double factor = factor_of(&x->count);
	uint32_t at = out->ncounters;

	/* counters that count the same events say nothing new */
	for (uint32_t i = 0; i < out->ncounters; i++)
		if (out->counter[i].count.first == x->count.first &&
		    out->counter[i].count.other == x->count.other)
			return;
	if (factor < FACTOR_MIN || (x->count.first < COUNT_MIN && x->count.other < COUNT_MIN))
		return;
	while (at > 0 && factor > factor_of(&out->counter[at - 1].count))
		at--;
	if (at == WHY_COUNTERS_MAX)
		return;
	if (out->ncounters < WHY_COUNTERS_MAX)
		out->ncounters++;
	memmove(&out->counter[at + 1], &out->counter[at],
		(out->ncounters - 1 - at) * sizeof(out->counter[0]));
	out->counter[at] = *x;
}

static uint64_t read_u64(const void *base, size_t offset)
{
	uint64_t x;

	memcpy(&x, (const char *)base + offset, sizeof(x));
	return x;
}

/* The mean over the seeds of what stands at OFFSET of a level's or of all counts. */
static double mean_count(const struct compare *c, uint32_t kernel, uint32_t level, size_t offset)
{
	double sum = 0;

	for (uint32_t i = 0; i < c->nseeds; i++) {
		const struct compare_counts *counts = &compare_sample(c, kernel, i)->counts;

		sum += (double)(level == WHY_NO_LEVEL ? read_u64(counts, offset) :
							read_u64(&counts->level[level], offset));
	}
	return sum / c->nseeds;
}

static void offer_row(const struct compare *c, uint32_t kernel, const struct counter_row *row,
		      uint32_t level, enum cpu_idle_type type, struct compare_why *out)
{
	size_t offset = row->offset + (type < CPU_IDLE_TYPES ? type * sizeof(uint64_t) : 0);
	struct why_counter x = {.name = row->name,
				.what = row->what,
				.level = level,
				.type = type,
				.count = {mean_count(c, 0, level, offset),
					  mean_count(c, kernel, level, offset)}};

	if (level != WHY_NO_LEVEL)
		x.level_name = compare_sample(c, kernel, 0)->level_name[level];
	if (x.level_name && !x.level_name[0])
		x.level_name = compare_sample(c, 0, 0)->level_name[level];
	offer_counter(out, &x);
}

static void find_counters(const struct compare *c, uint32_t kernel, struct compare_why *out)
{
	for (uint32_t i = 0; i < COUNT_OF(machine_rows); i++)
		offer_row(c, kernel, &machine_rows[i], WHY_NO_LEVEL, CPU_IDLE_TYPES, out);
	for (uint32_t level = 0; level < COMPARE_LEVELS_MAX; level++) {
		for (uint32_t i = 0; i < COUNT_OF(level_rows); i++)
			offer_row(c, kernel, &level_rows[i], level, CPU_IDLE_TYPES, out);
		for (uint32_t i = 0; i < COUNT_OF(balance_rows); i++)
			for (uint32_t type = 0; type < CPU_IDLE_TYPES; type++)
				offer_row(c, kernel, &balance_rows[i], level,
					  (enum cpu_idle_type)type, out);
	}
}

/* The sum over all levels of newly idle balancing's counter at OFFSET. */
static struct why_pair newly_idle_count(const struct compare *c, uint32_t kernel, size_t offset)
{
	struct why_pair sum = {0, 0};

	offset += CPU_NEWLY_IDLE * sizeof(uint64_t);
	for (uint32_t level = 0; level < COMPARE_LEVELS_MAX; level++) {
		sum.first += mean_count(c, 0, level, offset);
		sum.other += mean_count(c, kernel, level, offset);
	}
	return sum;
}

/* -- paths -- */

/* All paths of both kernels. */
struct path_list {
	struct why_path *path;
	uint32_t n, cap;
};

static struct why_path *find_path(struct path_list *l, const char *text)
{
	struct why_path *bigger;

	for (uint32_t i = 0; i < l->n; i++)
		if (strncmp(l->path[i].path, text, sizeof(l->path[i].path) - 1) == 0)
			return &l->path[i];
	if (l->n == l->cap) {
		bigger = realloc(l->path, (l->cap + 64) * sizeof(*l->path));
		if (!bigger)
			return NULL;
		l->path = bigger;
		l->cap += 64;
	}
	memset(&l->path[l->n], 0, sizeof(*l->path));
	snprintf(l->path[l->n].path, sizeof(l->path->path), "%s", text);
	return &l->path[l->n++];
}

/* Adds the profile of a sample; its time goes to the first of each pair or to the other. */
static bool add_profile(struct path_list *l, const struct compare_sample *s, bool first,
			double *lock_ns, double *sched_ns, struct rql_error *e)
{
	struct path_tree *tree = calloc(1, sizeof(*tree));
	struct profile p;
	bool ok = tree != NULL;

	if (ok) {
		tree->nnodes = s->nnodes;
		memcpy(tree->node, s->node, s->nnodes * sizeof(s->node[0]));
		ok = profile_build(&p, tree, e);
	}
	free(tree);
	if (!ok)
		return err_printf(e, "compare", "out of memory");
	for (uint32_t i = 0; i < p.nrows && ok; i++) {
		struct why_path *path = find_path(l, p.row[i].path);

		ok = path != NULL;
		if (ok)
			*(first ? &path->ns.first : &path->ns.other) += (double)p.row[i].ns;
	}
	*sched_ns += (double)p.total_ns;
	*lock_ns += (double)profile_lock_ns(&p);
	profile_free(&p);
	return ok || err_printf(e, "compare", "out of memory");
}

static int by_change(const void *a, const void *b)
{
	const struct why_path *x = a, *y = b;
	double dx = fabs(x->ns.other - x->ns.first), dy = fabs(y->ns.other - y->ns.first);

	if (dx != dy)
		return dx < dy ? 1 : -1;
	return strcmp(x->path, y->path);
}

/* Time in newly idle balancing, a run. */
static struct why_pair newly_idle_ns(const struct path_list *l, uint32_t nseeds)
{
	struct why_pair sum = {0, 0};

	for (uint32_t i = 0; i < l->n; i++) {
		if (!strstr(l->path[i].path, "schedule;idle_balance"))
			continue;
		sum.first += l->path[i].ns.first / nseeds;
		sum.other += l->path[i].ns.other / nseeds;
	}
	return sum;
}

static double busy_ns(const struct compare *c, uint32_t kernel)
{
	double sum = 0;

	for (uint32_t i = 0; i < c->nseeds; i++)
		sum += (double)compare_sample(c, kernel, i)->busy_ns;
	return sum;
}

/* NS of BUSY; both are sums over the seeds. */
static struct why_pair share_of(const struct why_pair *ns, const struct why_pair *busy)
{
	return (struct why_pair){busy->first > 0 ? ns->first / busy->first : 0,
				 busy->other > 0 ? ns->other / busy->other : 0};
}

static void keep_paths(struct path_list *l, const struct compare *c, const struct why_pair *busy,
		       struct compare_why *out)
{
	double least = PATH_CHANGE_MIN * fmax(busy->first, busy->other);

	if (l->n)
		qsort(l->path, l->n, sizeof(*l->path), by_change);
	for (uint32_t i = 0; i < l->n && out->npaths < WHY_PATHS_MAX; i++) {
		struct why_path *p = &l->path[i];

		if (fabs(p->ns.other - p->ns.first) < least || p->ns.other == p->ns.first)
			break;
		p->share = share_of(&p->ns, busy);
		p->ns.first /= c->nseeds;
		p->ns.other /= c->nseeds;
		out->path[out->npaths++] = *p;
	}
}

bool compare_why(const struct compare *c, uint32_t kernel, struct compare_why *out,
		 struct rql_error *e)
{
	struct why_pair busy = {busy_ns(c, 0), busy_ns(c, kernel)}, lock = {0, 0}, sched = {0, 0};
	struct path_list l = {0};
	bool ok = true;

	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < c->nseeds && ok; i++)
		ok = add_profile(&l, compare_sample(c, 0, i), true, &lock.first, &sched.first, e) &&
		     add_profile(&l, compare_sample(c, kernel, i), false, &lock.other, &sched.other,
				 e);
	if (ok) {
		out->sched_share = share_of(&sched, &busy);
		out->lock_share = share_of(&lock, &busy);
		out->newly_idle = (struct why_newly_idle){
			newly_idle_count(c, kernel, offsetof(struct domain_stats, lb_count)),
			newly_idle_count(c, kernel, offsetof(struct domain_stats, lb_gained)),
			newly_idle_ns(&l, c->nseeds)};
		keep_paths(&l, c, &busy, out);
		find_counters(c, kernel, out);
	}
	free(l.path);
	return ok;
}

const char *why_path_meaning(const char *path)
{
	static const struct {
		const char *name, *what;
	} rows[] = {
		{"rq_lock", "waiting for run queues' locks and taking them"},
		{"spin_lock", "waiting for other locks and taking them"},
		{"find_busiest_group", "adding up the load of the domain's groups"},
		{"find_busiest_queue", "looking for the busiest queue of a group"},
		{"move_tasks", "going through a queue for tasks to move"},
		{"update_shares", "dividing groups' weights among CPUs"},
		{"update_h_load", "working out what groups weigh on a queue"},
		{"schedule", "entering schedule() and picking a task"},
		{"try_to_wake_up", "waking tasks, queueing them included"},
		{"wait_for_on_cpu", "a waker waits until the task has left its last CPU"},
		{"context_switch", "switching from one task to another"},
		{"select_task_rq_fair", "choosing a CPU for a task"},
		{"select_task_rq_rt", "choosing a CPU for a real-time task"},
		{"task_woken_rt", "a woken real-time task is to be pushed elsewhere"},
		{"post_schedule", "pushing what waits after a switch"},
		{"push_rt_task", "pushing waiting real-time tasks to other CPUs"},
		{"find_lock_lowest_rq", "looking for a CPU to push to and locking it"},
		{"pull_rt_task", "looking through overloaded CPUs for a real-time task to pull"},
		{"sched_rt_period_timer", "giving real-time tasks their time for the next period"},
		{"reschedule_interrupt", "interrupts from other CPUs"},
		{"run_rebalance_domains", "periodic balancing"},
		{"rebalance_domains", "periodic balancing"},
		{"cpu_idle", "leaving the idle state"},
	};
	const char *semicolon = strrchr(path, ';');
	const char *name = semicolon ? semicolon + 1 : path;

	for (uint32_t i = 0; i < COUNT_OF(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].what;
	return NULL;
}
