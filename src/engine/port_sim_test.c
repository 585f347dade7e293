/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "engine/script.h"

/* Four tasks of one workload, which share its locks; CPUs 0 and 1 share a cache, 2 and 3 another. */
struct crowd {
	struct behaviour behaviour; /* first */
	const struct action *actions[4];
	uint32_t count[4], at[4];
	uint64_t asked[4][RIG_STEPS];
	struct mask *cpus[4];
	uint64_t mem[4][MASK_WORDS(64)];
	uint32_t quantum_ns;
	uint32_t moved_to[4]; /* CPUs of the tasks; all 0: each has the one of its number */
};

static void crowd_next(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out)
{
	struct crowd *c = (struct crowd *)(void *)b;
	uint32_t at = c->at[task]++;

	c->asked[task][at] = now_ns;
	if (at < c->count[task])
		*out = c->actions[task][at];
	else
		out->kind = ACTION_EXIT;
}

static void crowd_attr(struct behaviour *b, uint32_t task, struct task_attr *out)
{
	out->cpus = ((struct crowd *)(void *)b)->cpus[task];
}

static const struct behaviour_ops crowd_ops = {.next = crowd_next, .attr = crowd_attr};

/* Task 0 starts on CPU 0 and forks the others there; they are moved before they begin. */
static void start_crowd(struct rig *rig, struct crowd *c, const char *kernel, bool atomic)
{
	rig_init(rig, fake_sockets(2, 2, 1), kernel);
	c->behaviour = (struct behaviour){.ops = &crowd_ops, .ntasks = 4, .nlocks = 2};
	for (uint32_t i = 0; i < 4; i++) {
		c->cpus[i] = mask_init(c->mem[i], rig->topo->ncpus);
		mask_set(c->cpus[i], c->moved_to[1] ? c->moved_to[i] : i);
	}
	rig->cfg.atomic = atomic;
	rig->cfg.nwork = 1;
	rig->work[0] = (struct engine_work_config){
		.behaviour = &c->behaviour, .start_cpu = 0, .group = ENGINE_ROOT_GROUP};
	rig->prices.lock.same_cpu_ns = 10;
	rig->prices.lock.same_llc_ns = 20;
	rig->prices.lock.remote_ns = 40;
	rig->prices.lock.per_waiter_ns = 5;
	rig->prices.hardware.quantum_ns = c->quantum_ns;
	rig_run(rig);
}

static void run_crowd(struct rig *rig, struct crowd *c, bool atomic)
{
	start_crowd(rig, c, "2.6.34", atomic);
	assert_int_equal(rig->end, ENGINE_END_WORK);
}

#define ACTIONS(c, task, list)                                                                     \
	((c)->actions[task] = (list), (c)->count[task] = sizeof(list) / sizeof((list)[0]))

/* The workload's lock 0. */
static const struct klock *lock_of(const struct rig *rig)
{
	return &rig->eng->work_locks[0][0];
}

/* Everything booked on paths is booked on CPUs and the other way round. */
static void assert_books_balance(const struct rig *rig)
{
	const struct machine *m = engine_machine(rig->eng);
	uint64_t by_path = 0, by_cpu = 0;

	for (uint32_t i = 0; i < m->paths->nnodes; i++)
		by_path += m->paths->node[i].ns;
	for (uint32_t i = 0; i < m->ncpus; i++)
		by_cpu += m->cpus[i].k.sched_ns;
	assert_int_equal(by_path, by_cpu);
}

#define HOLD                                                                                       \
	DO(LOCK, .task = 0), DO(LOCKED_WORK, .ns = 50 * US), DO(UNLOCK, .task = 0),                \
		DO(RUN, .ns = 10 * US)

static const struct action first[] = {DO(FORK, .task = 1), DO(FORK, .task = 2), DO(FORK, .task = 3),
				      DO(RUN_UNTIL, .ns = 100 * US), HOLD};
static const struct action second[] = {DO(RUN_UNTIL, .ns = 110 * US), HOLD};
static const struct action third[] = {DO(RUN_UNTIL, .ns = 105 * US), HOLD};
static const struct action fourth[] = {DO(RUN_UNTIL, .ns = 160 * US), HOLD};

/*
 * CPU 0 holds the lock from 100 to 150 us and is long done with it when, in
 * simulated time, CPU 2 comes at 105, CPU 1 at 110 and CPU 3 at 160 us. The
 * lock is free, but only from 150 us on: CPU 2 has its turn reserved, the others
 * queue behind it.
 */
static void test_lock_is_granted_in_order_of_arrival(void **state)
{
	struct crowd c = {.behaviour = {0}};
	uint64_t t0, t1, t2, t3;
	struct rig rig;

	ACTIONS(&c, 0, first);
	ACTIONS(&c, 1, second);
	ACTIONS(&c, 2, third);
	ACTIONS(&c, 3, fourth);
	run_crowd(&rig, &c, false);
	t0 = 100 * US + 10;
	assert_int_equal(c.asked[0][5], t0);
	t2 = t0 + 50 * US + 40;
	assert_int_equal(c.asked[2][2], t2);
	/* CPU 2's hold is worked out before CPU 3 comes: nobody waits behind CPU 1 yet */
	t1 = t2 + 50 * US + 40;
	assert_int_equal(c.asked[1][2], t1);
	t3 = t1 + 50 * US + 40;
	assert_int_equal(c.asked[3][2], t3);
	assert_int_equal(lock_of(&rig)->acquired_count, 4);
	assert_int_equal(lock_of(&rig)->contended_count, 3);
	assert_int_equal(lock_of(&rig)->wait_ns, t2 - 105 * US + (t1 - 110 * US) + (t3 - 160 * US));
	assert_int_equal(lock_of(&rig)->nwaiters, 0);
	assert_int_equal(lock_of(&rig)->last_cpu, 3);
	assert_true(engine_totals(rig.eng).fibre_switches > 0);
	assert_books_balance(&rig);
	rig_end(&rig);
}

/*
 * CPU 0 takes a second lock while it holds the first: there the others catch up, so
 * that CPUs 2 and 1 find the first one held and queue. Then CPU 1 waits behind CPU 2, which
 * costs PER_WAITER.
 */
static void hand_held_lock_over(const char *kernel, uint64_t per_waiter)
{
	static const struct action inner[] = {
		DO(FORK, .task = 1),   DO(FORK, .task = 2),
		DO(FORK, .task = 3),   DO(RUN_UNTIL, .ns = 100 * US),
		DO(LOCK, .task = 0),   DO(LOCKED_WORK, .ns = 50 * US),
		DO(LOCK, .task = 1),   DO(UNLOCK, .task = 1),
		DO(UNLOCK, .task = 0), DO(RUN, .ns = 10 * US),
	};
	struct crowd c = {.behaviour = {0}};
	uint64_t t0, t1, t2, t3;
	struct rig rig;

	ACTIONS(&c, 0, inner);
	ACTIONS(&c, 1, second);
	ACTIONS(&c, 2, third);
	ACTIONS(&c, 3, fourth);
	start_crowd(&rig, &c, kernel, false);
	assert_int_equal(rig.end, ENGINE_END_WORK);
	t0 = 100 * US + 10 + 50 * US + 10;
	assert_int_equal(c.asked[0][7], t0);
	t2 = t0 + 40 + per_waiter;
	assert_int_equal(c.asked[2][2], t2);
	t1 = t2 + 50 * US + 40;
	assert_int_equal(c.asked[1][2], t1);
	t3 = t1 + 50 * US + 40;
	assert_int_equal(c.asked[3][2], t3);
	assert_int_equal(lock_of(&rig)->contended_count, 3);
	assert_int_equal(lock_of(&rig)->wait_ns, t2 - 105 * US + (t1 - 110 * US) + (t3 - 160 * US));
	assert_books_balance(&rig);
	rig_end(&rig);
}

static void test_held_lock_is_handed_to_the_first_in_the_queue(void **state)
{
	hand_held_lock_over("2.6.34", 5);
	hand_held_lock_over("3.4", 5);
}

static void test_queued_lock_is_handed_over_alike_however_many_wait(void **state)
{
	hand_held_lock_over("5.4", 0);
	hand_held_lock_over("5.5", 0);
}

/* CPUs 0 and 1 each hold what the other wants; nobody else has anything to do. */
static void test_deadlock_is_told(void **state)
{
	static const struct action one[] = {
		DO(FORK, .task = 1),   DO(RUN_UNTIL, .ns = 100 * US),
		DO(LOCK, .task = 0),   DO(LOCKED_WORK, .ns = 50 * US),
		DO(LOCK, .task = 1),   DO(UNLOCK, .task = 1),
		DO(UNLOCK, .task = 0),
	};
	static const struct action other[] = {
		DO(RUN_UNTIL, .ns = 110 * US),  DO(LOCK, .task = 1),
		DO(LOCKED_WORK, .ns = 50 * US), DO(LOCK, .task = 0),
		DO(UNLOCK, .task = 0),          DO(UNLOCK, .task = 1),
	};
	struct crowd c = {.behaviour = {0}};
	struct rig rig;

	ACTIONS(&c, 0, one);
	ACTIONS(&c, 1, other);
	start_crowd(&rig, &c, "2.6.34", false);
	assert_int_equal(rig.end, ENGINE_END_STUCK);
	assert_string_equal(rig.error.where, "locks");
	assert_true(rig.error.limit);
	rig_end(&rig);
}

/* Atomic sections do not see each other: each takes the lock when it comes. */
static void test_atomic_sections_never_wait(void **state)
{
	static const uint32_t from[] = {100, 110, 105, 160};
	struct crowd c = {.behaviour = {0}};
	struct rig rig;

	ACTIONS(&c, 0, first);
	ACTIONS(&c, 1, second);
	ACTIONS(&c, 2, third);
	ACTIONS(&c, 3, fourth);
	run_crowd(&rig, &c, true);
	for (uint32_t i = 0; i < 4; i++) {
		uint64_t got = c.asked[i][i ? 2 : 5];

		assert_in_range(got, from[i] * US + 10, from[i] * US + 40);
	}
	assert_int_equal(lock_of(&rig)->acquired_count, 4);
	assert_int_equal(lock_of(&rig)->contended_count, 0);
	assert_int_equal(lock_of(&rig)->wait_ns, 0);
	assert_int_equal(engine_totals(rig.eng).lock_contended_count, 0);
	assert_int_equal(engine_totals(rig.eng).fibre_switches, 0);
	assert_books_balance(&rig);
	rig_end(&rig);
}

/* An engine that did not run yet: all clocks are 0 and nothing is earlier. */
static void idle_rig(struct rig *rig, bool atomic)
{
	static const struct action once[] = {DO(RUN, .ns = MS)};

	rig_init(rig, fake_sockets(2, 2, 1), "2.6.34");
	rig->cfg.atomic = atomic;
	rig->prices.lock.same_cpu_ns = 10;
	rig->prices.lock.remote_ns = 40;
	RIG_TASK(rig, 3, once);
	rig->eng = engine_create(&rig->cfg, &rig->error);
	assert_non_null(rig->eng);
}

static void test_trylock_fails_while_held_and_until_it_is_free(void **state)
{
	for (int atomic = 0; atomic < 2; atomic++) {
		struct rig rig;
		struct klock l;
		struct kctx *a, *b;

		idle_rig(&rig, atomic);
		a = rig.eng->cpus[0].k;
		b = rig.eng->cpus[2].k;
		klock_init(&l, PATH_OTHER_LOCK);
		assert_true(engine_port.trylock(a, &l));
		assert_int_equal(a->now_ns, 10);
		assert_false(engine_port.trylock(b, &l));
		assert_int_equal(l.acquired_count, 1);
		engine_port.unlock(a, &l);
		assert_int_equal(l.free_ns, 10);
		/* free from 10 ns on; CPU 2 is at 0 */
		assert_int_equal(engine_port.trylock(b, &l), atomic);
		assert_int_equal(b->now_ns, atomic ? 40 : 0);
		rig_end(&rig);
	}
}

static void test_lock_misuse_is_a_bug(void **state)
{
	struct rig rig;
	struct klock l;

	idle_rig(&rig, false);
	klock_init(&l, PATH_OTHER_LOCK);
	expect_assert_failure(engine_port.unlock(rig.eng->cpus[0].k, &l));
	engine_port.lock(rig.eng->cpus[0].k, &l);
	expect_assert_failure(engine_port.lock(rig.eng->cpus[0].k, &l));
	expect_assert_failure(engine_port.unlock(rig.eng->cpus[1].k, &l));
	rig_end(&rig);
}

/* The time of a lock goes below the path its taker was on, under the lock's name. */
static void test_lock_time_is_booked_below_the_path(void **state)
{
	struct path_tree *paths;
	struct rig rig;
	struct kctx *k;
	struct klock l;
	uint32_t saved, node;

	idle_rig(&rig, false);
	k = rig.eng->cpus[0].k;
	paths = k->m->paths;
	klock_init(&l, PATH_OTHER_LOCK);
	saved = path_enter(k, PATH_EXIT);
	engine_port.lock(k, &l);
	node = path_child(paths, k->path, PATH_OTHER_LOCK);
	engine_port.unlock(k, &l);
	path_leave(k, saved);
	assert_int_equal(paths->node[node].ns, 10);
	assert_int_equal(paths->node[node].count, 1);
	assert_int_equal(k->sched_ns, 10);
	rig_end(&rig);
}

static void test_first_of_two_interrupts_is_kept(void **state)
{
	struct rig rig;
	struct kctx *k;

	idle_rig(&rig, false);
	k = rig.eng->cpus[0].k;
	rig.prices.hardware.ipi_latency_ns = 100;
	k->now_ns = 500;
	engine_port.ipi(k, 1);
	assert_int_equal(rig.eng->cpus[1].ipi_ns, 600);
	k->now_ns = 700;
	engine_port.ipi(k, 1);
	assert_int_equal(rig.eng->cpus[1].ipi_ns, 600);
	k->now_ns = 300;
	engine_port.ipi(k, 1);
	assert_int_equal(rig.eng->cpus[1].ipi_ns, 400);
	rig_end(&rig);
}

/*
 * CPU 1 creates tasks for idle CPUs: one whose turn comes after its own begins at once, one whose
 * turn is over in this round begins in the next.
 */
static void test_cpus_see_each_other_by_rounds(void **state)
{
	static const struct action forks[] = {DO(FORK, .task = 1)};
	static const struct action middle[] = {DO(RUN_UNTIL, .ns = 25 * US), DO(FORK, .task = 2),
					       DO(RUN_UNTIL, .ns = 60 * US), DO(FORK, .task = 3)};
	struct crowd c = {.quantum_ns = 20 * US, .moved_to = {0, 1, 3, 0}};
	struct crowd at_once = {.moved_to = {0, 1, 3, 0}};
	struct rig rig;

	ACTIONS(&c, 0, forks);
	ACTIONS(&c, 1, middle);
	run_crowd(&rig, &c, false);
	/* each then takes its own lock */
	assert_in_range(c.asked[1][0], 0, 200);
	assert_in_range(c.asked[2][0], 25 * US, 25 * US + 200);
	/* a store at the very beginning of a round is seen in the next one */
	assert_in_range(c.asked[3][0], 80 * US, 80 * US + 200);
	rig_end(&rig);

	ACTIONS(&at_once, 0, forks);
	ACTIONS(&at_once, 1, middle);
	run_crowd(&rig, &at_once, false);
	assert_in_range(at_once.asked[3][0], 60 * US, 60 * US + 200);
	rig_end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lock_is_granted_in_order_of_arrival),
		cmocka_unit_test(test_held_lock_is_handed_to_the_first_in_the_queue),
		cmocka_unit_test(test_queued_lock_is_handed_over_alike_however_many_wait),
		cmocka_unit_test(test_deadlock_is_told),
		cmocka_unit_test(test_atomic_sections_never_wait),
		cmocka_unit_test(test_trylock_fails_while_held_and_until_it_is_free),
		cmocka_unit_test(test_lock_misuse_is_a_bug),
		cmocka_unit_test(test_lock_time_is_booked_below_the_path),
		cmocka_unit_test(test_first_of_two_interrupts_is_kept),
		cmocka_unit_test(test_cpus_see_each_other_by_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
