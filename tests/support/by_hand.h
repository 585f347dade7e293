/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests only: a behaviour is asked by hand, task by task, at time 0, without
 * an engine that would carry out what it answers.
 */
#ifndef RUNQLAB_TESTS_BY_HAND_H
#define RUNQLAB_TESTS_BY_HAND_H

#include <string.h>

#include "model/behaviour.h"
#include "support.h"

/* What TASK does next. */
static inline struct action next(struct behaviour *b, uint32_t task)
{
	struct action a;

	memset(&a, 0, sizeof(a));
	b->ops->next(b, task, 0, &a);
	return a;
}

/* The same; the test fails unless it is of this kind. */
static inline struct action expect(struct behaviour *b, uint32_t task, enum action_kind kind)
{
	struct action a = next(b, task);

	if (a.kind != kind)
		fail_msg("task %u does %d, not %d", task, (int)a.kind, (int)kind);
	return a;
}

#endif
