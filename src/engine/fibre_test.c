/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <string.h>

#include "base/rng.h"
#include "engine/fibre.h"

#define FIBRES 8u

struct walker {
	struct fibre *self, *back;
	uint64_t sum; /* of what it was told */
	uint64_t told;
	uint32_t rounds; /* it was continued */
	bool wrong;
};

/* Many values that live across the switch, so that registers and stack must survive. */
static void walk(void *arg)
{
	struct walker *w = arg;
	struct rng r = rng_stream(3, "walker", 0);
	double half = 0.5;

	for (;;) {
		uint64_t a = rng_next(&r), b = rng_next(&r), c = rng_next(&r), d = rng_next(&r);
		uint64_t e = a ^ b, f = b ^ c, g = c ^ d, x = a + d;
		double product = half * (double)(a & 1023);

		w->sum += w->told;
		w->rounds++;
		fibre_switch(w->self, w->back);
		if (e != (a ^ b) || f != (b ^ c) || g != (c ^ d) || x != a + d)
			w->wrong = true;
		if (product * 2 < (double)(a & 1023) || product * 2 > (double)(a & 1023))
			w->wrong = true;
	}
}

static void test_fibres_keep_what_is_theirs(void **state)
{
	struct fibre *root = fibre_adopt();
	struct rng r = rng_stream(4, "order", 0);
	struct walker w[FIBRES];
	uint64_t sum[FIBRES] = {0};

	memset(w, 0, sizeof(w));
	for (uint32_t i = 0; i < FIBRES; i++) {
		w[i].self = fibre_create(walk, &w[i]);
		w[i].back = root;
		assert_non_null(w[i].self);
	}
	for (uint32_t step = 0; step < 20000; step++) {
		uint32_t i = (uint32_t)rng_below(&r, FIBRES);

		w[i].told = rng_next(&r);
		sum[i] += w[i].told;
		fibre_switch(root, w[i].self);
	}
	for (uint32_t i = 0; i < FIBRES; i++) {
		assert_true(w[i].sum == sum[i]);
		assert_false(w[i].wrong);
		fibre_destroy(w[i].self);
	}
	fibre_destroy(root);
}

struct link {
	struct fibre *self, *next;
	uint32_t *order, *n;
	uint32_t id;
};

/* Hands on to the next at once; continued once, it hands on again. */
static void pass_on(void *arg)
{
	struct link *l = arg;

	for (;;) {
		l->order[(*l->n)++] = l->id;
		fibre_switch(l->self, l->next);
	}
}

static void test_fibres_switch_among_each_other(void **state)
{
	struct fibre *root = fibre_adopt();
	struct link l[FIBRES];
	uint32_t order[2 * FIBRES], n = 0;

	for (uint32_t i = 0; i < FIBRES; i++) {
		l[i] = (struct link){.order = order, .n = &n, .id = i};
		l[i].self = fibre_create(pass_on, &l[i]);
	}
	for (uint32_t i = 0; i < FIBRES; i++)
		l[i].next = i + 1 < FIBRES ? l[i + 1].self : root;
	fibre_switch(root, l[0].self);
	fibre_switch(root, l[0].self);
	assert_int_equal(n, 2 * FIBRES);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(order[i], i % FIBRES);
	for (uint32_t i = 0; i < FIBRES; i++)
		fibre_destroy(l[i].self);
	fibre_destroy(root);
}

/* 64 KB of stack in use, more than any section of kernel code needs. */
static void use_stack(void *arg)
{
	struct walker *w = arg;
	unsigned char big[64 * 1024];

	for (;;) {
		memset(big, (int)w->told, sizeof(big));
		fibre_switch(w->self, w->back);
		for (size_t i = 0; i < sizeof(big); i++)
			w->sum += big[i];
	}
}

static void test_stack_is_deep_enough(void **state)
{
	struct fibre *root = fibre_adopt();
	struct walker w;

	memset(&w, 0, sizeof(w));
	w.back = root;
	w.self = fibre_create(use_stack, &w);
	w.told = 3;
	fibre_switch(root, w.self);
	fibre_switch(root, w.self);
	assert_int_equal(w.sum, 3 * 64 * 1024);
	assert_true(fibre_bytes() > sizeof(unsigned char[64 * 1024]));
	fibre_destroy(w.self);
	fibre_destroy(root);
}

/* Given back in the middle of things, with frames that were never left. */
static void test_abandoned_fibres_leave_nothing_behind(void **state)
{
	for (uint32_t i = 0; i < 200; i++) {
		struct fibre *root = fibre_adopt();
		struct walker w;

		memset(&w, 0, sizeof(w));
		w.back = root;
		w.self = fibre_create(i & 1 ? use_stack : walk, &w);
		assert_non_null(w.self);
		fibre_switch(root, w.self);
		fibre_switch(root, w.self);
		fibre_destroy(w.self);
		fibre_destroy(root);
	}
	fibre_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fibres_keep_what_is_theirs),
		cmocka_unit_test(test_fibres_switch_among_each_other),
		cmocka_unit_test(test_stack_is_deep_enough),
		cmocka_unit_test(test_abandoned_fibres_leave_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
