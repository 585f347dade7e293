/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Balancing and placing by sums that are kept, against the walk over all CPUs they stand for.
 * Two machines go through the same random life: tasks fork, exec, run, sleep, are woken from
 * anywhere, CPUs tick, balance, run dry, lose their tick and age each other's load. In one of
 * them no group has sums. Whatever one does, the other must do at the same time. Looking
 * at CPUs takes so long that jiffies end in the middle of attempts.
 */
#include "support.h"

#include "base/rng.h"
#include "sched/hand_machine.h"

#define LIVES 2
#define TASKS_MAX 80u

static struct hand life[LIVES];

/* How often what the test is about came. */
struct tally {
	uint64_t attempts, pulled, woken, forked, aged, unmarked;
};

static void settle(struct kctx *k)
{
	struct rq *rq = &k->cpu->rq;

	/* bound: a stopper works its list off, and nothing new arrives meanwhile */
	while (rq->curr->need_resched || rq->curr == rq->stop) {
		if (rq->curr == rq->stop) {
			sched_stopper_run(k);
			continue;
		}
		if (rq->curr == rq->idle)
			sched_idle_restart_tick(k);
		sched_schedule(k);
	}
	if (rq->curr == rq->idle && !rq->tick_stopped)
		sched_idle_stop_tick(k);
}

static void tick(struct kctx *k)
{
	sched_tick(k);
	while (sched_softirq_pending(k))
		sched_softirq(k);
}

static struct task *fork_one(struct kctx *k, int32_t nice)
{
	struct task_attr attr = {.nice = nice};
	struct rq *rq = &k->cpu->rq;
	struct task *p = sched_new_task(k, rq->curr == rq->idle ? NULL : rq->curr, &attr,
					&k->m->groups_mem[0]);

	sched_wake_up_new(k, p);
	return p;
}

/* One thing happens on CPU; R is the same for both lives. */
static void happen(struct hand *h, uint32_t cpu, struct rng *r)
{
	struct kctx *k = hand_k(h, cpu);
	struct rq *rq = hand_rq(h, cpu);
	bool works = rq->curr != rq->idle;

	switch (rng_below(r, 8)) {
	case 0:
		if (h->m->ntasks < TASKS_MAX)
			fork_one(k, (int32_t)rng_below(r, 3) * 5);
		break;
	case 1:
		if (works)
			hand_sleep(h, cpu);
		break;
	case 2:
		if (works)
			sched_exec(k);
		break;
	case 3:
	case 4:
		if (h->m->ntasks)
			sched_wake(k, &h->m->tasks[rng_below(r, h->m->ntasks)], 0);
		break;
	case 5:
		sched_ipi(k);
		break;
	default:
		if (!rq->tick_stopped)
			tick(k);
		break;
	}
	sched_ipi(k);
	while (sched_softirq_pending(k))
		sched_softirq(k);
	settle(k);
}

/* Time passes; CPUs' clocks differ a little. */
static void pass_time(struct hand *h, uint64_t ns, struct rng *r)
{
	uint64_t latest_ns = 0;

	for (uint32_t i = 0; i < h->m->ncpus; i++)
		latest_ns = max_u64(latest_ns, hand_k(h, i)->now_ns);
	for (uint32_t i = 0; i < h->m->ncpus; i++) {
		struct kctx *k = hand_k(h, i);

		k->now_ns = max_u64(k->now_ns, latest_ns + ns - rng_below(r, ns + 1) / 8);
	}
}

static void assert_same_cpu(uint32_t cpu)
{
	const struct rq *a = hand_rq(&life[0], cpu), *b = hand_rq(&life[1], cpu);
	const struct sched_domain *x = a->sd, *y = b->sd;

	assert_true(hand_k(&life[0], cpu)->now_ns == hand_k(&life[1], cpu)->now_ns);
	assert_int_equal(a->nr_running, b->nr_running);
	assert_int_equal(a->curr->id, b->curr->id);
	assert_memory_equal(&a->cfs->avg, &b->cfs->avg, sizeof(a->cfs->avg));
	assert_int_equal(a->has_blocked_load, b->has_blocked_load);
	assert_true(a->last_blocked_update == b->last_blocked_update);
	for (; x; x = x->parent, y = y->parent) {
		assert_memory_equal(&x->stats, &y->stats, sizeof(x->stats));
		assert_int_equal(x->nr_balance_failed, y->nr_balance_failed);
	}
}

static void assert_same(void)
{
	const struct machine *a = life[0].m, *b = life[1].m;

	for (uint32_t i = 0; i < a->ncpus; i++)
		assert_same_cpu(i);
	assert_int_equal(a->ntasks, b->ntasks);
	for (uint32_t i = 0; i < a->ntasks; i++)
		assert_int_equal(a->tasks[i].cpu, b->tasks[i].cpu);
	assert_int_equal(a->rd.overload, b->rd.overload);
	assert_int_equal(a->nohz.has_blocked, b->nohz.has_blocked);
	assert_true(a->nohz.next_blocked == b->nohz.next_blocked);
}

static void begin(struct hand *h, const char *kernel, const uint32_t machine[3], bool sums)
{
	hand_init(h, kernel, machine[0], machine[1], machine[2]);
	h->by_rules = true;
	h->prices.sched_ns[WORK_BUSIEST_SCAN] = 9000;
	h->prices.sched_ns[WORK_SELECT_SCAN] = 700;
	for (uint32_t i = 0; i < h->m->nsgroups; i++) {
		if (sums)
			assert_non_null(h->m->sgroups[i]->sgc->sums);
		else
			h->m->sgroups[i]->sgc->sums = NULL;
	}
}

static void count(struct tally *t)
{
	const struct hand *h = &life[0];

	t->woken += h->nrecords[RECORD_WAKE];
	t->forked += h->m->ntasks;
	for (uint32_t i = 0; i < h->m->ncpus; i++) {
		t->aged += h->m->cpus[i].rq.last_blocked_update > 0;
		for (const struct sched_domain *sd = h->m->cpus[i].rq.sd; sd; sd = sd->parent)
			for (uint32_t idle = 0; idle < CPU_IDLE_TYPES; idle++) {
				t->attempts += sd->stats.lb_count[idle];
				t->pulled += sd->stats.lb_gained[idle];
			}
	}
}

static void live(const char *kernel, const uint32_t machine[3], uint64_t seed, struct tally *t)
{
	struct rng r = rng_stream(seed, kernel, machine[0]);

	begin(&life[0], kernel, machine, true);
	begin(&life[1], kernel, machine, false);
	for (uint32_t step = 0; step < 3000; step++) {
		uint32_t cpu = (uint32_t)rng_below(&r, life[0].m->ncpus);
		uint64_t ns = rng_below(&r, rng_below(&r, 20) ? 300000 : 9000000);
		struct rng same[LIVES] = {r, r};

		for (uint32_t i = 0; i < LIVES; i++) {
			pass_time(&life[i], ns, &same[i]);
			happen(&life[i], cpu, &same[i]);
		}
		r = same[0];
		assert_same();
		sched_audit(life[0].m);
		t->unmarked += life[0].m->ncpus - mask_weight(life[0].m->stale_sums);
	}
	count(t);
	hand_drop(&life[0]);
	hand_drop(&life[1]);
}

static void test_sums_decide_as_the_walk_over_cpus(void **state)
{
	static const char *const kernels[] = {"5.4", "5.4,+lb-p9,+lb-p10", "5.4,+lb-p11", "5.5"};
	static const uint32_t machines[][3] = {{2, 4, 2}, {1, 4, 1}, {4, 2, 1}, {1, 2, 2}};
	struct tally t = {.attempts = 0};

	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t j = 0; j < 4; j++)
			for (uint64_t seed = 1; seed <= 2; seed++)
				live(kernels[i], machines[j], seed, &t);
	/* all of it came often, and most CPUs need not be looked at */
	assert_true(t.attempts > 5000);
	assert_true(t.pulled > 2000);
	assert_true(t.woken > 5000);
	assert_true(t.forked > 2000);
	assert_true(t.aged > 200);
	assert_true(t.unmarked > 500000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_decide_as_the_walk_over_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
