/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * EEVDF's tree and sums against lists: entities come, go and run at random; V is the exact quotient
 * of 128-bit sums, the pick the first of the earliest deadlines among those whose lag is not
 * negative, found by looking at all.
 */
#include "support.h"

#include "base/rng.h"
#include "sched/fair/cfs_rq.h"
#include "sched/fair/eevdf.h"
#include "sched/fair/weight.h"
#include "sched/fair/weight_scaled.h"
#include "sched/hand_machine.h"

#define ENTITIES 40u
#define STEPS 2000u

__extension__ typedef __int128 s128;

struct plain {
	struct entity *at[ENTITIES]; /* in the tree, by deadline, equals in order of arrival */
	uint32_t n;
};

static struct hand h;
static struct kctx *k;
static struct cfs_rq *q;

static void plain_insert(struct plain *s, struct entity *se)
{
	uint32_t i = s->n++;

	while (i > 0 && (int64_t)(se->deadline_vns - s->at[i - 1]->deadline_vns) < 0) {
		s->at[i] = s->at[i - 1];
		i--;
	}
	s->at[i] = se;
}

static void plain_erase(struct plain *s, const struct entity *se)
{
	uint32_t i = 0;

	while (s->at[i] != se)
		i++;
	for (s->n--; i < s->n; i++)
		s->at[i] = s->at[i + 1];
}

static s128 weight_of(const struct entity *se)
{
	return (s128)(se->load.weight >> 10);
}

/* Sums over all that compete; keys from ORIGIN, which is near all of them. */
static void plain_sums(const struct plain *s, uint64_t origin, s128 *sum, s128 *load)
{
	const struct entity *curr = q->curr;

	*sum = 0;
	*load = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		*sum += (int64_t)(s->at[i]->vruntime_vns - origin) * weight_of(s->at[i]);
		*load += weight_of(s->at[i]);
	}
	if (curr) {
		*sum += (int64_t)(curr->vruntime_vns - origin) * weight_of(curr);
		*load += weight_of(curr);
	}
}

static bool plain_eligible(const struct plain *s, const struct entity *se)
{
	s128 sum, load;

	plain_sums(s, se->vruntime_vns, &sum, &load);
	return sum >= 0;
}

static struct entity *plain_pick(const struct plain *s)
{
	struct entity *best = NULL, *curr = q->curr;

	for (uint32_t i = 0; i < s->n && !best; i++)
		if (plain_eligible(s, s->at[i]))
			best = s->at[i];
	if (s->n + (curr ? 1 : 0) == 1)
		return curr ? curr : s->at[0];
	if (!curr || !plain_eligible(s, curr))
		return best;
	return !best || (int64_t)(curr->deadline_vns - best->deadline_vns) < 0 ? curr : best;
}

static void assert_same(const struct plain *s, uint64_t origin)
{
	s128 sum, load, mean;

	plain_sums(s, origin, &sum, &load);
	if (!load)
		return;
	mean = sum / load - (sum % load < 0);
	assert_true(avg_vruntime(k, q) == origin + (uint64_t)(int64_t)mean);
	for (uint32_t i = 0; i < s->n; i++)
		assert_int_equal(entity_eligible(k, q, s->at[i]), plain_eligible(s, s->at[i]));
	assert_ptr_equal(eevdf_pick_entity(k, q), plain_pick(s));
	assert_true(rb_is_valid(&q->timeline));
	eevdf_audit(h.m, q);
}

static void test_picks_of_random_queues(void **state)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct rng r = rng_stream(seed, "eevdf", 0);
		/* V wraps in some; few values of time, so that many tie */
		uint64_t origin = seed % 3 ? rng_next(&r) : 0 - rng_below(&r, 1000);
		uint64_t spread = UINT64_C(1) << (3 + rng_below(&r, 27));
		struct entity se[ENTITIES] = {0};
		bool queued[ENTITIES] = {0};
		struct plain s = {.n = 0};

		hand_init(&h, "6.12,NO_RUN_TO_PARITY", 1, 1, 1);
		k = hand_k(&h, 0);
		q = hand_rq(&h, 0)->cfs;
		q->min_vruntime_vns = origin;
		for (uint32_t i = 0; i < ENTITIES; i++) {
			se[i].cfs_rq = q;
			se[i].on_rq = true;
			se[i].load = scale_load(weight_of_nice((int32_t)rng_below(&r, 40) - 20));
		}
		for (uint32_t step = 0; step < STEPS; step++) {
			uint32_t i = (uint32_t)rng_below(&r, ENTITIES);

			if (q->curr == &se[i]) {
				/* it runs on, or is put back */
				se[i].vruntime_vns += rng_below(&r, spread);
				if (rng_below(&r, 2)) {
					q->curr = NULL;
					eevdf_insert(k, q, &se[i]);
					plain_insert(&s, &se[i]);
				}
			} else if (queued[i]) {
				eevdf_erase(k, q, &se[i]);
				plain_erase(&s, &se[i]);
				if (!q->curr && rng_below(&r, 2))
					q->curr = &se[i];
				else
					queued[i] = false;
			} else {
				queued[i] = true;
				se[i].vruntime_vns = origin + rng_below(&r, 2 * spread) - spread;
				se[i].deadline_vns = se[i].vruntime_vns + rng_below(&r, spread);
				se[i].slice_ns = 1 + rng_below(&r, 9);
				eevdf_insert(k, q, &se[i]);
				plain_insert(&s, &se[i]);
			}
			q->nr_running = s.n + (q->curr ? 1 : 0);
			if (q->nr_running)
				assert_same(&s, origin);
		}
		hand_drop(&h);
	}
}

/* Lags weigh up to 0 but for the rounding of V, less than one unit of virtual time for each weight. */
static void test_lags_sum_up_to_nothing(void **state)
{
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct rng r = rng_stream(seed, "lags", 0);
		uint64_t now_ns = 0, load = 0;
		s128 sum = 0;
		uint64_t v;

		hand_init(&h, "6.12", 1, 1, 1);
		k = hand_k(&h, 0);
		q = hand_rq(&h, 0)->cfs;
		for (uint32_t step = 0; step < 400; step++) {
			struct task *p;

			now_ns += rng_below(&r, 3 * NS_PER_MS);
			hand_at(&h, now_ns);
			switch (rng_below(&r, 5)) {
			case 0:
				if (h.m->ntasks < 20)
					hand_task(&h, 0, (int32_t)rng_below(&r, 40) - 20);
				break;
			case 1:
				if (hand_rq(&h, 0)->curr != hand_rq(&h, 0)->idle)
					hand_sleep(&h, 0);
				break;
			case 2:
				if (h.m->ntasks) {
					p = &h.m->tasks[rng_below(&r, h.m->ntasks)];
					sched_wake(k, p, 0);
				}
				break;
			case 3:
				if (h.m->ntasks) {
					p = &h.m->tasks[rng_below(&r, h.m->ntasks)];
					sched_set_nice(k, p, (int32_t)rng_below(&r, 40) - 20);
				}
				break;
			default:
				sched_tick(k);
			}
			if (hand_rq(&h, 0)->curr->need_resched)
				sched_schedule(k);
			sched_audit(h.m);
		}
		v = avg_vruntime(k, q);
		for (uint32_t i = 0; i < h.m->ntasks; i++) {
			const struct entity *se = &h.m->tasks[i].se;

			if (!se->on_rq)
				continue;
			load += se->load.weight >> 10;
			sum += (int64_t)(v - se->vruntime_vns) * weight_of(se);
		}
		assert_true(sum <= 0);
		assert_true(load == 0 || sum > -(s128)load);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_picks_of_random_queues),
		cmocka_unit_test(test_lags_sum_up_to_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
