/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * As hackbench's pipes, of Linux 3.3 and 3.4: a message can be read when its
 * write ends; then the writer wakes the sleeping reader, synchronously (WF_SYNC)
 * and under the wait queue's lock. A reader enters the queue and leaves it
 * under the same lock; who was woken is taken out by the waker, once the
 * wake-up is complete, and who finds himself still listed waits for the lock.
 *
 * Left out: the pipe's mutex, a full pipe, and the taking of the lock that
 * finds nobody in the queue.
 */
#include "workload/pipe.h"

#include "base/check.h"

enum step {
	STEP_BEGIN,
	STEP_WRITTEN, /* the message is there: wake the reader */
	STEP_WAKE,    /* the lock is held */
	STEP_WOKEN,
	STEP_LEAVE, /* nothing is left to do */
	STEP_READ,
	STEP_ENLIST, /* the lock is held */
	STEP_SLEEP,
	STEP_AWAKE,
	STEP_UNLIST, /* the lock is held */
};

void pipe_init(struct wpipe *p, uint32_t lock, uint32_t writers)
{
	CHECK(writers > 0);
	*p = (struct wpipe){.lock = lock, .writers = writers};
}

static enum pipe_result act(struct pipe_call *c, enum step next, struct action *out,
			    enum action_kind kind, uint32_t task)
{
	c->step = (uint8_t)next;
	out->kind = kind;
	out->task = task;
	return PIPE_ACTS;
}

static enum pipe_result end(struct pipe_call *c, enum pipe_result result)
{
	c->step = STEP_BEGIN;
	return result;
}

static enum pipe_result take_time(struct wpipe *p, struct pipe_call *c, enum step next,
				  uint32_t price, struct rng *rng, struct action *out)
{
	out->flags = ACTION_IN_KERNEL | price;
	out->ns = rng_between(rng, 922, 1126);
	return act(c, next, out, ACTION_RUN, p->lock);
}

/* From STEP_WRITTEN on: wake the reader if it sleeps. */
static enum pipe_result wake_reader(struct wpipe *p, struct pipe_call *c, struct action *out)
{
	switch ((enum step)c->step) {
	case STEP_WRITTEN:
		if (!p->listed)
			return end(c, PIPE_DONE);
		return act(c, STEP_WAKE, out, ACTION_LOCK, p->lock);
	case STEP_WAKE:
		if (!p->listed || p->woken)
			return act(c, STEP_LEAVE, out, ACTION_UNLOCK, p->lock);
		p->woken = true;
		out->flags = ACTION_SYNC;
		return act(c, STEP_WOKEN, out, ACTION_WAKE, p->reader);
	case STEP_WOKEN:
		p->listed = false;
		return act(c, STEP_LEAVE, out, ACTION_UNLOCK, p->lock);
	case STEP_LEAVE:
		return end(c, PIPE_DONE);
	case STEP_BEGIN:
	case STEP_READ:
	case STEP_ENLIST:
	case STEP_SLEEP:
	case STEP_AWAKE:
	case STEP_UNLIST:
		break;
	}
	CHECK(false);
	return PIPE_DONE;
}

enum pipe_result pipe_write(struct wpipe *p, struct pipe_call *c, struct rng *rng,
			    struct action *out)
{
	CHECK(p->writers > 0);
	if (c->step == STEP_BEGIN)
		return take_time(p, c, STEP_WRITTEN, ACTION_PRICE_WRITE, rng, out);
	if (c->step == STEP_WRITTEN)
		p->nready++;
	return wake_reader(p, c, out);
}

enum pipe_result pipe_close(struct wpipe *p, struct pipe_call *c, struct action *out)
{
	if (c->step == STEP_BEGIN) {
		CHECK(p->writers > 0);
		p->writers--;
		if (p->writers > 0)
			return PIPE_DONE;
		c->step = STEP_WRITTEN;
	}
	return wake_reader(p, c, out);
}

static bool may_read(const struct wpipe *p)
{
	return p->nready > 0 || p->writers == 0;
}

static enum pipe_result begin_read(struct wpipe *p, struct pipe_call *c, struct rng *rng,
				   struct action *out)
{
	if (!may_read(p))
		return act(c, STEP_ENLIST, out, ACTION_LOCK, p->lock);
	if (p->nready == 0)
		return end(c, PIPE_EOF);
	p->nready--;
	return take_time(p, c, STEP_READ, ACTION_PRICE_READ, rng, out);
}

enum pipe_result pipe_read(struct wpipe *p, struct pipe_call *c, uint32_t task, struct rng *rng,
			   struct action *out)
{
	switch ((enum step)c->step) {
	case STEP_BEGIN:
		return begin_read(p, c, rng, out);
	case STEP_READ:
		return end(c, PIPE_DONE);
	case STEP_ENLIST:
		p->listed = true;
		p->woken = false;
		p->reader = task;
		return act(c, STEP_SLEEP, out, ACTION_UNLOCK, p->lock);
	case STEP_SLEEP:
		if (!p->woken && !may_read(p))
			return act(c, STEP_AWAKE, out, ACTION_BLOCK, 0);
		/* fall through */
	case STEP_AWAKE:
		if (p->listed)
			return act(c, STEP_UNLIST, out, ACTION_LOCK, p->lock);
		return begin_read(p, c, rng, out);
	case STEP_UNLIST:
		p->listed = false;
		return act(c, STEP_BEGIN, out, ACTION_UNLOCK, p->lock);
	case STEP_WRITTEN:
	case STEP_WAKE:
	case STEP_WOKEN:
	case STEP_LEAVE:
		break;
	}
	CHECK(false);
	return PIPE_DONE;
}
