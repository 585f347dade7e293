/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A grace period, step by step: one socket of four CPUs; CPU 0 has the thread, the others idle or compute. */
#include "support.h"

#include "sched/core/core.h"
#include "sched/core/rcu.h"
#include "sched/hand_machine.h"

static struct hand h;
static struct task *thread;
static uint64_t at_ns;

static struct rcu_state *rcu(void)
{
	return &h.m->rcu;
}

static const struct rcu_data *of(uint32_t cpu)
{
	return &h.m->cpus[cpu].rcu;
}

/* The thread does a step and sleeps, as the engine has it. */
static void step(void)
{
	assert_ptr_equal(hand_rq(&h, 0)->curr, thread);
	sched_rcu_step(hand_k(&h, 0));
	hand_sleep(&h, 0);
}

static bool tick(uint32_t cpu);

/* CPU 0 counts jiffies, until its tick stops. */
static void start(const char *kernel)
{
	hand_init(&h, kernel, 1, 4, 1);
	at_ns = 0;
	hand_tasks(&h, 0, 1);
	thread = hand_rq(&h, 0)->curr;
	step();
	assert_ptr_equal(rcu()->gp_kthread, thread);
	assert_false(rcu()->in_progress);
	tick(0);
	assert_int_equal(rcu()->do_timer_cpu, 0);
}

/* The next tick, on CPU, with what RCU raised of softirqs; true: the thread was woken. */
static bool tick(uint32_t cpu)
{
	sched_tick(hand_k(&h, cpu));
	h.m->cpus[cpu].softirq_pending &= (uint8_t)~SOFTIRQ_SCHED;
	if (sched_softirq_pending(hand_k(&h, cpu)))
		sched_softirq(hand_k(&h, cpu));
	return thread->state != TASK_INTERRUPTIBLE;
}

static void next_jiffy(void)
{
	at_ns += h.m->tick_ns;
	hand_at(&h, at_ns);
}

/* It was woken: it gets CPU 0, and does a step. */
static void run_thread(void)
{
	/* another CPU may have put it on this one's wake list */
	sched_ipi(hand_k(&h, 0));
	assert_int_equal(thread->state, TASK_RUNNING);
	sched_schedule(hand_k(&h, 0));
	step();
}

/* Callbacks on CPU, and the grace period for them has begun. */
static void begin(uint32_t cpu)
{
	sched_call_rcu(hand_k(&h, cpu));
	assert_true(of(cpu)->next);
	next_jiffy();
	tick(0);
	assert_true(tick(cpu));
	assert_int_equal(of(cpu)->wait_seq, 1);
	run_thread();
	assert_true(rcu()->in_progress);
	assert_int_equal(rcu()->gp_seq, 1);
	assert_int_equal(rcu()->timer_cpu, 0);
}

static void test_without_the_thread_nothing_happens(void **state)
{
	(void)state;
	hand_init(&h, "6.12", 1, 4, 1);
	sched_call_rcu(hand_k(&h, 1));
	assert_false(of(1)->next);
	assert_false(rcu_needs_cpu(hand_k(&h, 1)));
	hand_free(&h);
}

static void test_idle_cpus_are_passed_by_the_thread(void **state)
{
	(void)state;
	start("6.12");
	begin(1);
	/* the wheel: not the next tick, the one after that */
	next_jiffy();
	assert_false(tick(0));
	next_jiffy();
	assert_true(tick(0));
	run_thread();
	assert_false(rcu()->in_progress);
	assert_int_equal(rcu()->timer_cpu, CPU_NONE);
	hand_free(&h);
}

static void test_a_busy_cpu_passes_at_its_second_tick(void **state)
{
	(void)state;
	start("6.12");
	hand_tasks(&h, 2, 1);
	begin(1);
	next_jiffy();
	assert_false(tick(2)); /* it notices */
	assert_true(mask_test(rcu()->qs_mask, 2));
	next_jiffy();
	assert_true(tick(0)); /* the thread passes those that idle ... */
	run_thread();
	assert_true(rcu()->in_progress);
	assert_int_equal(rcu()->timer_cpu, 0);
	assert_true(tick(2)); /* ... and is woken by the last */
	run_thread();
	assert_false(rcu()->in_progress);
	hand_free(&h);
}

/* A CPU that ticks before the one that counts jiffies sees the jiffy before. */
static void test_a_timer_fires_late_where_ticks_come_early(void **state)
{
	(void)state;
	start("6.12");
	hand_tasks(&h, 2, 1);
	rcu()->do_timer_cpu = 2;
	begin(2);
	next_jiffy();
	tick(0);
	tick(2);
	next_jiffy();
	assert_false(tick(0));
	/* its report is not the last: the others idle */
	assert_false(tick(2));
	next_jiffy();
	assert_true(tick(0));
	run_thread();
	assert_false(rcu()->in_progress);
	hand_free(&h);
}

static void test_who_counts_jiffies_leaves_it_with_its_tick(void **state)
{
	(void)state;
	start("6.12");
	assert_true(sched_idle_stop_tick(hand_k(&h, 3)));
	assert_int_equal(rcu()->do_timer_cpu, 0);
	assert_true(sched_idle_stop_tick(hand_k(&h, 0)));
	assert_int_equal(rcu()->do_timer_cpu, CPU_NONE);
	tick(1);
	assert_int_equal(rcu()->do_timer_cpu, 1);
	hand_free(&h);
}

static void test_the_threads_cpu_reports_at_its_next_tick(void **state)
{
	(void)state;
	start("6.12");
	begin(1);
	/* it heard at once, and the thread's sleep was a switch */
	assert_true(of(0)->needs_qs);
	assert_true(of(0)->passed);
	next_jiffy();
	tick(0);
	assert_false(mask_test(rcu()->qs_mask, 0));
	hand_free(&h);
}

static void test_a_tick_only_raises_softirqs(void **state)
{
	(void)state;
	start("6.12");
	sched_call_rcu(hand_k(&h, 1));
	next_jiffy();
	sched_tick(hand_k(&h, 1));
	assert_int_equal(thread->state, TASK_INTERRUPTIBLE);
	assert_true(h.m->cpus[1].softirq_pending & SOFTIRQ_RCU);
	h.m->cpus[1].softirq_pending = SOFTIRQ_RCU;
	sched_softirq(hand_k(&h, 1));
	assert_int_not_equal(thread->state, TASK_INTERRUPTIBLE);
	hand_free(&h);
}

static void test_a_switch_is_a_quiescent_state(void **state)
{
	(void)state;
	start("6.12");
	hand_tasks(&h, 2, 2);
	begin(1);
	next_jiffy();
	tick(2);
	assert_true(of(2)->needs_qs);
	assert_false(of(2)->passed);
	sched_schedule(hand_k(&h, 2));
	assert_true(of(2)->passed);
	hand_free(&h);
}

static void test_ticks_are_kept_until_callbacks_were_invoked(void **state)
{
	(void)state;
	start("6.12");
	begin(1);
	assert_true(rcu_needs_cpu(hand_k(&h, 1)));
	assert_false(sched_idle_stop_tick(hand_k(&h, 1)));
	assert_false(sched_idle_stop_tick(hand_k(&h, 0))); /* the thread's timer */
	assert_true(sched_idle_stop_tick(hand_k(&h, 3)));
	next_jiffy();
	tick(0);
	next_jiffy();
	assert_true(tick(0));
	run_thread();
	assert_true(sched_idle_stop_tick(hand_k(&h, 0)));
	/* the CPU hears of the end at its next tick */
	assert_false(sched_idle_stop_tick(hand_k(&h, 1)));
	tick(1);
	assert_int_equal(of(1)->wait_seq, 0);
	assert_true(sched_idle_stop_tick(hand_k(&h, 1)));
	hand_free(&h);
}

static void test_later_callbacks_get_the_next_grace_period(void **state)
{
	(void)state;
	start("6.12");
	begin(1);
	sched_call_rcu(hand_k(&h, 2));
	next_jiffy();
	assert_false(tick(2)); /* it is asked for; the thread will see that */
	assert_int_equal(of(2)->wait_seq, 2);
	next_jiffy();
	assert_true(tick(0));
	run_thread();
	assert_true(rcu()->in_progress);
	assert_int_equal(rcu()->gp_seq, 2);
	tick(1);
	assert_int_equal(of(1)->wait_seq, 0);
	tick(2);
	assert_int_equal(of(2)->wait_seq, 2);
	hand_free(&h);
}

/* What came before the CPU heard of a grace period is asked for while that is under way, and begins at its end. */
static void test_callbacks_of_two_grace_periods_wait_at_once(void **state)
{
	(void)state;
	start("6.12");
	begin(1);
	sched_call_rcu(hand_k(&h, 1));
	next_jiffy();
	tick(1);
	assert_int_equal(of(1)->wait_seq, 1);
	assert_int_equal(of(1)->next_ready_seq, 2);
	assert_int_equal(rcu()->needed, 2);
	next_jiffy();
	assert_true(tick(0));
	run_thread();
	assert_int_equal(rcu()->gp_seq, 2);
	tick(1);
	assert_int_equal(of(1)->wait_seq, 2);
	assert_int_equal(of(1)->next_ready_seq, 0);
	assert_true(rcu_needs_cpu(hand_k(&h, 1)));
	hand_free(&h);
}

/* Callbacks, grace period, its end, the tick that hears of it: a waiter sleeps until then. */
static void test_synchronize_rcu_sleeps_until_its_callback_is_invoked(void **state)
{
	struct task *waiter;

	(void)state;
	start("6.12");
	hand_tasks(&h, 1, 1);
	waiter = hand_rq(&h, 1)->curr;
	assert_true(sched_synchronize_rcu(hand_k(&h, 1)));
	hand_sleep(&h, 1);
	next_jiffy();
	assert_true(tick(1));
	run_thread();
	next_jiffy();
	tick(0);
	tick(1);
	next_jiffy();
	assert_true(tick(0));
	run_thread();
	assert_false(rcu()->in_progress);
	assert_int_equal(waiter->state, TASK_INTERRUPTIBLE);
	sched_audit(h.m);
	tick(1);
	assert_int_equal(waiter->state, TASK_RUNNING);
	assert_int_equal(of(1)->first_waiter, 0);
	hand_free(&h);
}

static void test_without_the_thread_synchronize_rcu_does_not_sleep(void **state)
{
	(void)state;
	hand_init(&h, "6.12", 1, 4, 1);
	hand_tasks(&h, 1, 1);
	assert_false(sched_synchronize_rcu(hand_k(&h, 1)));
	assert_int_equal(of(1)->first_waiter, 0);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_the_thread_nothing_happens),
		cmocka_unit_test(test_idle_cpus_are_passed_by_the_thread),
		cmocka_unit_test(test_a_busy_cpu_passes_at_its_second_tick),
		cmocka_unit_test(test_a_switch_is_a_quiescent_state),
		cmocka_unit_test(test_ticks_are_kept_until_callbacks_were_invoked),
		cmocka_unit_test(test_later_callbacks_get_the_next_grace_period),
		cmocka_unit_test(test_a_timer_fires_late_where_ticks_come_early),
		cmocka_unit_test(test_who_counts_jiffies_leaves_it_with_its_tick),
		cmocka_unit_test(test_the_threads_cpu_reports_at_its_next_tick),
		cmocka_unit_test(test_a_tick_only_raises_softirqs),
		cmocka_unit_test(test_callbacks_of_two_grace_periods_wait_at_once),
		cmocka_unit_test(test_synchronize_rcu_sleeps_until_its_callback_is_invoked),
		cmocka_unit_test(test_without_the_thread_synchronize_rcu_does_not_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
