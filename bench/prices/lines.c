/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What it costs to look at tasks whose lines another CPU wrote last, and to
 * hand a ticket lock over; on two CPUs of the machine this runs on.
 *
 * Examining: a list of 4000 structs of 400 bytes, in random order, is walked
 * by two threads in turn, 32 entries a turn, as a balancer does: each entry's
 * load is divided, its second line is read, and it goes to the list's tail.
 * "own" is the same walk by one thread alone. Hand-over: two threads take a
 * ticket lock in turn.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TASKS 4000
#define SLICE 32
#define TURNS 200000

struct entry {
	struct entry *next, *prev;
	uint64_t load;
	char pad[104];
	uint64_t allowed;
	char rest[400 - 4 * 8 - 104];
};

static struct entry entries[TASKS], head;
static _Alignas(64) atomic_uint turn;
static _Alignas(64) atomic_uint next_ticket, serving;
static uint64_t walked_ns[2], sum[2];

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static uint64_t walk(uint64_t weight)
{
	uint64_t found = 0;

	for (int i = 0; i < SLICE; i++) {
		struct entry *e = head.next;

		if (e->load * 1024 / weight > 16)
			found += e->allowed;
		e->next->prev = e->prev;
		e->prev->next = e->next;
		e->prev = head.prev;
		e->next = &head;
		head.prev->next = e;
		head.prev = e;
	}
	return found;
}

static void *walk_in_turn(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;

	pin(me);
	for (unsigned i = 0; i < TURNS; i += 2) {
		uint64_t before;

		while (atomic_load_explicit(&turn, memory_order_acquire) != i + me)
			;
		before = now_ns();
		sum[me] += walk(1000 + i % 64);
		walked_ns[me] += now_ns() - before;
		atomic_store_explicit(&turn, i + me + 1, memory_order_release);
	}
	return NULL;
}

static void *lock_in_turn(void *arg)
{
	pin((unsigned)(uintptr_t)arg);
	for (unsigned i = 0; i < 1000000; i++) {
		unsigned mine = atomic_fetch_add(&next_ticket, 1);

		while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
			;
		atomic_store_explicit(&serving, mine + 1, memory_order_release);
	}
	return NULL;
}

static uint64_t in_two_threads(void *(*work)(void *))
{
	uint64_t before = now_ns();
	pthread_t t[2];

	for (uintptr_t i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, work, (void *)i) != 0)
			abort();
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return now_ns() - before;
}

static void make_list(void)
{
	static unsigned order[TASKS];

	srand(1);
	for (unsigned i = 0; i < TASKS; i++) {
		unsigned j = (unsigned)rand() % (i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	head.next = head.prev = &head;
	for (unsigned i = 0; i < TASKS; i++) {
		struct entry *e = &entries[order[i]];

		e->load = 15 + i % 3;
		e->prev = head.prev;
		e->next = &head;
		head.prev->next = e;
		head.prev = e;
	}
}

int main(void)
{
	uint64_t before;

	make_list();
	before = now_ns();
	for (unsigned i = 0; i < TURNS; i++)
		sum[0] += walk(1000 + i % 64);
	printf("examine_own %.1f ns\n", (double)(now_ns() - before) / TURNS / SLICE);
	in_two_threads(walk_in_turn);
	printf("examine_other_cpu %.1f ns\n",
	       (double)(walked_ns[0] + walked_ns[1]) / TURNS / SLICE);
	printf("ticket_handover %.1f ns\n", (double)in_two_threads(lock_in_turn) / 2e6);
	return sum[0] + sum[1] == 0;
}
