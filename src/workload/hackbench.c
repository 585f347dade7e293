/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What rt-tests' hackbench does, as its source has it. Main creates group
 * after group: a group's receivers one by one, each with its own socket pair
 * or pipe, then its senders. Each child writes a byte to the ready queue and
 * polls the start descriptor. Main reads a byte for every child, starts its
 * clock, writes one byte that wakes all pollers, and waits for the children. A
 * sender writes one message to each receiver of its group in turn, loops times
 * over; a receiver reads them all.
 *
 * A queue is a socket pair or a pipe as Linux 3.3 and 3.4 have them. A message
 * travels as units: as many as there are socket buffers or pages to fill. A
 * unit takes its room when its write begins, can be read when the write ends,
 * and leaves its room when its read ends.
 *
 *  - Sockets: a unit's truesize counts against the send buffer of the writing
 *    end, which all senders of a receiver share. A writer sleeps when the
 *    buffer is full; all sleeping writers are woken when it has fallen to a
 *    quarter. Readers and writers sleep on wait queues of their own.
 *  - Pipes: 16 pages; a write goes into the last page while there is room in
 *    it. Every write wakes all that sleep on the pipe's one wait queue, every
 *    read that empties a page too.
 *
 * A wait queue is a stack, as add_wait_queue() and prepare_to_wait() make it:
 * the last to sleep is the first to be woken. Entering, leaving and waking are
 * done under its lock; who is woken stays in the queue until his wake-up is
 * complete, so others that find the queue occupied meanwhile wait for the lock.
 * The lock of the message list is not modelled as a lock but as a cache line
 * that each read and write fetches (ACTION_PRICE_*): it is held too shortly to
 * be waited for.
 *
 * System calls take the profile's price, times a number drawn from the task's
 * own stream, 0.9 to 1.1: no two are alike on a real machine, and without it
 * thousands of equal tasks would march in step. Cost: some nanoseconds a unit.
 *
 * Left out on purpose: the mutexes of a pipe and of a socket's readers (a
 * receiver is alone; a pipe's writers would exclude each other), the work of
 * making sockets, and the messages' contents.
 */
#include "workload/hackbench.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fixed.h"
#include "base/rng.h"

#define CACHE_LINE 64u /* of this machine: a task's and a queue's state each take one */
#define NO_TASK UINT32_MAX
#define MAIN_TASK 0u

/* Linux: net/core/sock.c, include/linux/skbuff.h of 3.3 on x86-64. */
#define SOCKET_SNDBUF 212992u
#define SKB_TRUESIZE_BASE 256u /* sizeof(struct sk_buff), aligned */
#define SKB_SHARED_INFO 320u   /* at the end of each buffer */
#define SKB_PAYLOAD_MAX 16064u /* what four pages hold beside it */
#define SKB_CACHE_LINE 64u     /* to which data is aligned */

/* Linux: include/linux/pipe_fs_i.h. */
#define PIPE_PAGES 16u
#define PIPE_PAGE_BYTES 4096u

/* Copying this many bytes takes as long as the rest of a read or write: about 4 bytes a ns. */
#define COPY_BYTES_PER_PRICE 6144u
#define COPY_BYTES_INCLUDED 256u

#define DONE_BATCH 64u /* messages that are reported at once */

/* A descriptor pair and its wait queues: [0] readers, and a pipe's writers; [1] a socket's writers. */
struct queue {
	uint32_t nunits;    /* that take room: being written, waiting, being read */
	uint32_t nready;    /* ... that can be read */
	uint32_t first[2];  /* wait queues: the last that came, or NO_TASK */
	uint32_t room;      /* sockets: units that fit */
	uint32_t low;       /* sockets: with so many or fewer units writers are woken */
	uint32_t per_page;  /* pipes: units that fit into a page */
	uint32_t in_first;  /* pipes: units that were read and freed from the first page */
	uint32_t in_last;   /* pipes: units that were put into the last page */
	uint32_t npages;    /* pipes: pages in use */
	uint32_t unused[6]; /* fills the line */
};

#define READY_QUEUE 0u
#define START_QUEUE 1u
#define DATA_QUEUES 2u /* the first of them */

enum op {
	OP_WRITE,
	OP_READ,
	OP_POLL
};

/* Where in a system call a task is. */
enum step {
	STEP_CHOOSE, /* between two */
	STEP_TRY,    /* is there room, or a unit? */
	STEP_FINISH, /* the work is done: hand over the unit, or its room */
	STEP_WAKE,   /* the wait queue's lock is held: wake the next sleeper */
	STEP_ENLIST, /* the lock is held: enter the wait queue */
	STEP_SLEEP,  /* in the wait queue: look once more, then sleep */
	STEP_AWAKE,  /* awake again: take the lock if still in the wait queue */
	STEP_UNLIST, /* the lock is held: leave the wait queue */
};

/* What a task has come to. */
enum stage {
	STAGE_FORK, /* main, in this order */
	STAGE_COLLECT,
	STAGE_MARK,
	STAGE_START,
	STAGE_REAP,
	STAGE_SET_UP, /* children */
	STAGE_ASK,    /* for their share of time, as deadline tasks */
	STAGE_REPORT,
	STAGE_POLL,
	STAGE_SEND,
	STAGE_RECEIVE,
	STAGE_TELL,
	STAGE_EXIT, /* all */
};

#define TASK_LISTED 1u /* in a wait queue */
#define TASK_WOKEN 2u  /* ... and somebody has woken it */

struct hackbench_task {
	struct rng rng;
	uint64_t chance;      /* bytes drawn and not used yet, below a top bit */
	uint64_t units_left;  /* to send or receive; main: children to create or to hear of */
	uint32_t next, prev;  /* in the wait queue */
	uint32_t first_queue; /* the receiver's, or the first of the sender's group */
	uint32_t queue;       /* the system call's */
	uint32_t to;          /* sender: which receiver is next */
	uint8_t part;         /* units left of the message under way */
	uint8_t ndone;        /* receiver: messages not yet reported */
	uint8_t stage, step, op;
	uint8_t list; /* which wait queue of the queue */
	uint8_t flags;
	bool sender;
	uint8_t unused[8]; /* fills the line */
};

struct hackbench {
	struct behaviour behaviour; /* first */
	struct hackbench_params p;
	struct hackbench_task *tasks;
	struct queue *queues;
	uint32_t nchildren, nqueues;
	uint32_t units;    /* of a message */
	uint32_t data_q10; /* price of a unit of a message, 1024: that of a small one */
	uint32_t nended;   /* children */
	uint32_t nreaped;  /* ... that main has waited for */
	bool reaping;      /* main sleeps until the next child's end */
};

static struct hackbench *hackbench_of(struct behaviour *b)
{
	return (struct hackbench *)(void *)b;
}

/* --- queues ---------------------------------------------------------------- */

/* Bytes a socket buffer of LEN bytes counts for: the allocator's size class, and its head. */
static uint32_t skb_truesize(uint32_t len)
{
	uint32_t bytes = (len + SKB_CACHE_LINE - 1) / SKB_CACHE_LINE * SKB_CACHE_LINE;
	uint32_t class = SKB_CACHE_LINE;

	bytes += SKB_SHARED_INFO;
	/* bound: bytes is at most 4 pages */
	while (class < bytes)
		class *= 2;
	return class + SKB_TRUESIZE_BASE;
}

/* A queue of units of LEN bytes. Rounds as the kernel's tests do, which count from 1 and from 2. */
static void queue_init(struct queue *q, uint32_t len)
{
	uint32_t truesize = skb_truesize(len);

	*q = (struct queue){.first = {NO_TASK, NO_TASK}};
	q->room = (SOCKET_SNDBUF - 2) / truesize + 1;
	q->low = (SOCKET_SNDBUF / 4 - 2) / truesize;
	q->per_page = max_u32(PIPE_PAGE_BYTES / len, 1);
}

static inline bool has_room(const struct hackbench *h, const struct queue *q)
{
	if (!h->p.pipe)
		return q->nunits < q->room;
	return q->npages < PIPE_PAGES || q->in_last < q->per_page;
}

static inline void take_room(const struct hackbench *h, struct queue *q)
{
	q->nunits++;
	if (!h->p.pipe)
		return;
	if (q->npages == 0 || q->in_last == q->per_page) {
		q->npages++;
		q->in_last = 0;
	}
	q->in_last++;
}

/* A unit was read. Are writers to be woken? */
static inline bool give_room(const struct hackbench *h, struct queue *q)
{
	CHECK(q->nunits > 0);
	q->nunits--;
	if (!h->p.pipe)
		return q->nunits <= q->low;
	q->in_first++;
	if (q->in_first < (q->npages == 1 ? q->in_last : q->per_page))
		return false;
	q->in_first = 0;
	q->npages--;
	return true;
}

static void wait_enter(struct hackbench *h, struct queue *q, uint32_t task)
{
	struct hackbench_task *t = &h->tasks[task];
	uint32_t second = q->first[t->list];

	CHECK(!(t->flags & TASK_LISTED));
	t->flags = TASK_LISTED;
	t->next = second;
	t->prev = NO_TASK;
	if (second != NO_TASK)
		h->tasks[second].prev = task;
	q->first[t->list] = task;
}

static void wait_leave(struct hackbench *h, struct queue *q, uint32_t task)
{
	struct hackbench_task *t = &h->tasks[task];

	CHECK(t->flags & TASK_LISTED);
	t->flags &= (uint8_t)~TASK_LISTED;
	if (t->next != NO_TASK)
		h->tasks[t->next].prev = t->prev;
	if (t->prev != NO_TASK)
		h->tasks[t->prev].next = t->next;
	else
		q->first[t->list] = t->next;
}

/* --- system calls ---------------------------------------------------------- */

/* 922 to 1126 of 1024: one draw of the stream serves seven calls. */
static inline uint64_t jitter_q10(struct hackbench_task *t)
{
	uint64_t byte;

	if (t->chance <= 1)
		t->chance = rng_next(&t->rng) >> 8 | UINT64_C(1) << 56;
	byte = t->chance & 255;
	t->chance >>= 8;
	return 922 + (byte * 205 >> 8);
}

static inline uint32_t lock_of(const struct hackbench_task *t, uint32_t list)
{
	return t->queue * 2 + list;
}

static inline void act_lock(struct hackbench_task *t, uint8_t list, enum step step,
			    struct action *out)
{
	t->list = list;
	t->step = (uint8_t)step;
	out->kind = ACTION_LOCK;
	out->task = lock_of(t, list);
}

static inline void act_unlock(struct hackbench_task *t, enum step step, struct action *out)
{
	t->step = (uint8_t)step;
	out->kind = ACTION_UNLOCK;
	out->task = lock_of(t, t->list);
}

/* Where a writer sleeps. */
static inline uint8_t writers_list(const struct hackbench *h)
{
	return h->p.pipe ? 0 : 1;
}

/* Does the call still have to wait? */
static inline bool must_wait(const struct hackbench *h, const struct hackbench_task *t,
			     const struct queue *q)
{
	return t->op == OP_WRITE ? !has_room(h, q) : q->nready == 0;
}

/* The call's beginning: it works, or enters the wait queue. */
static inline void do_try(struct hackbench *h, struct hackbench_task *t, struct action *out)
{
	struct queue *q = &h->queues[t->queue];

	if (t->op == OP_POLL || must_wait(h, t, q)) {
		act_lock(t, t->op == OP_WRITE ? writers_list(h) : 0, STEP_ENLIST, out);
		return;
	}
	out->kind = ACTION_RUN;
	if (t->op == OP_WRITE) {
		/* the next message's */
		prefetch(q + 1);
		take_room(h, q);
		out->flags = ACTION_IN_KERNEL | ACTION_PRICE_WRITE;
	} else {
		q->nready--;
		out->flags = ACTION_IN_KERNEL | ACTION_PRICE_READ;
	}
	if (!h->p.pipe)
		out->flags |= ACTION_PRICE_SOCKET;
	out->ns = jitter_q10(t);
	if (t->queue >= DATA_QUEUES)
		out->ns = out->ns * h->data_q10 >> 10;
	out->task = lock_of(t, 0);
	t->step = STEP_FINISH;
}

/* The call's end: the unit, or its room, is there for others. */
static inline bool do_finish(struct hackbench *h, struct hackbench_task *t, struct action *out)
{
	struct queue *q = &h->queues[t->queue];
	uint8_t list = 0;

	t->step = STEP_CHOOSE;
	if (t->op == OP_WRITE) {
		q->nready++;
	} else {
		list = writers_list(h);
		if (!give_room(h, q))
			return false;
	}
	if (likely(q->first[list] == NO_TASK))
		return false;
	act_lock(t, list, STEP_WAKE, out);
	return true;
}

/*
 * Wake the queue's first; at the next call its wake-up is complete and it leaves the queue.
 * Linux: __wake_up_common() with autoremove_wake_function().
 * Deviation: pollers leave by themselves; that they are gone earlier here nobody can tell.
 */
static bool do_wake(struct hackbench *h, struct hackbench_task *t, struct action *out)
{
	struct queue *q = &h->queues[t->queue];
	uint32_t first = q->first[t->list];

	if (first != NO_TASK && h->tasks[first].flags & TASK_WOKEN) {
		wait_leave(h, q, first);
		first = q->first[t->list];
	}
	if (first == NO_TASK) {
		act_unlock(t, STEP_CHOOSE, out);
		return true;
	}
	h->tasks[first].flags |= TASK_WOKEN;
	out->kind = ACTION_WAKE;
	out->flags = ACTION_SYNC;
	out->task = first;
	return true;
}

static bool do_sleep(struct hackbench *h, struct hackbench_task *t, struct action *out)
{
	t->step = STEP_AWAKE;
	if (t->flags & TASK_WOKEN || !must_wait(h, t, &h->queues[t->queue]))
		return false;
	out->kind = ACTION_BLOCK;
	return true;
}

/* poll() looks at its wait queue's lock even if it was taken out of the queue already. */
static bool do_awake(struct hackbench_task *t, struct action *out)
{
	if (t->op == OP_POLL || t->flags & TASK_LISTED) {
		act_lock(t, t->list, STEP_UNLIST, out);
		return true;
	}
	t->step = STEP_TRY;
	return false;
}

static bool do_unlist(struct hackbench *h, struct hackbench_task *t, uint32_t task,
		      struct action *out)
{
	if (t->flags & TASK_LISTED)
		wait_leave(h, &h->queues[t->queue], task);
	act_unlock(t, t->op == OP_POLL ? STEP_CHOOSE : STEP_TRY, out);
	return true;
}

static inline bool call(struct hackbench_task *t, enum op op, uint32_t queue)
{
	t->op = (uint8_t)op;
	t->queue = queue;
	t->step = STEP_TRY;
	return false;
}

/* --- what the tasks do ------------------------------------------------------ */

static bool send_next(struct hackbench *h, struct hackbench_task *t)
{
	if (t->units_left == 0) {
		t->stage = STAGE_TELL;
		return false;
	}
	if (t->part == 0) {
		t->part = (uint8_t)h->units;
		if (++t->to == h->p.fds)
			t->to = 0;
	}
	t->part--;
	t->units_left--;
	return call(t, OP_WRITE, t->first_queue + t->to);
}

/* A message was received when its last unit was. */
static bool receive_next(struct hackbench *h, struct hackbench_task *t, struct action *out)
{
	if (t->part == 0) {
		t->part = (uint8_t)h->units;
		t->ndone++;
	}
	if (t->ndone == DONE_BATCH || (t->units_left == 0 && t->ndone)) {
		out->kind = ACTION_DONE;
		out->value = t->ndone;
		t->ndone = 0;
		return true;
	}
	if (t->units_left == 0) {
		t->stage = STAGE_TELL;
		return false;
	}
	t->part--;
	t->units_left--;
	return call(t, OP_READ, t->first_queue);
}

/* Main waits for any child (wait()), or for one thread after the other (pthread_join()). */
static bool reap(struct hackbench *h, struct hackbench_task *t, struct action *out)
{
	if (h->p.process)
		h->nreaped = h->nended;
	/* bound: children */
	while (!h->p.process && h->nreaped < h->nchildren &&
	       h->tasks[h->nreaped + 1].stage == STAGE_EXIT)
		h->nreaped++;
	if (h->nreaped < h->nchildren) {
		h->reaping = true;
		out->kind = ACTION_BLOCK;
		return true;
	}
	t->stage = STAGE_EXIT;
	out->kind = ACTION_END_MARK;
	return true;
}

/* The end of a child; its parent may have waited for it. */
static bool tell_main(struct hackbench *h, struct hackbench_task *t, struct action *out)
{
	uint32_t task = (uint32_t)(t - h->tasks);

	t->stage = STAGE_EXIT;
	h->nended++;
	if (!h->reaping || (!h->p.process && task != h->nreaped + 1))
		return false;
	h->reaping = false;
	out->kind = ACTION_WAKE;
	out->flags = h->p.process ? ACTION_SYNC : 0;
	out->task = MAIN_TASK;
	return true;
}

static bool do_choose_main(struct hackbench *h, struct hackbench_task *t, struct action *out)
{
	switch ((enum stage)t->stage) {
	case STAGE_FORK:
		out->kind = ACTION_FORK;
		out->task = h->nchildren - (uint32_t)--t->units_left;
		out->flags = h->p.fork_ns ? ACTION_FORK_EXTRA : 0;
		out->ns = h->p.fork_ns;
		if (t->units_left == 0) {
			t->units_left = h->nchildren;
			t->stage = STAGE_COLLECT;
		}
		return true;
	case STAGE_COLLECT:
		if (--t->units_left == 0)
			t->stage = STAGE_MARK;
		return call(t, OP_READ, READY_QUEUE);
	case STAGE_MARK:
		t->stage = STAGE_START;
		out->kind = ACTION_START_MARK;
		return true;
	case STAGE_START:
		t->stage = STAGE_REAP;
		return call(t, OP_WRITE, START_QUEUE);
	case STAGE_REAP:
		return reap(h, t, out);
	case STAGE_EXIT:
		out->kind = ACTION_EXIT;
		return true;
	case STAGE_SET_UP:
	case STAGE_ASK:
	case STAGE_REPORT:
	case STAGE_POLL:
	case STAGE_SEND:
	case STAGE_RECEIVE:
	case STAGE_TELL:
		break;
	}
	CHECK(false && "a child's stage");
	return false;
}

static bool do_choose(struct hackbench *h, struct hackbench_task *t, struct action *out)
{
	switch ((enum stage)t->stage) {
	case STAGE_SEND:
		return send_next(h, t);
	case STAGE_RECEIVE:
		return receive_next(h, t, out);
	case STAGE_SET_UP:
		t->stage = h->p.policy == POLICY_DEADLINE ? STAGE_ASK : STAGE_REPORT;
		out->kind = ACTION_RUN;
		out->ns = h->p.first_ns;
		return true;
	case STAGE_ASK:
		t->stage = STAGE_REPORT;
		out->kind = ACTION_SET_POLICY;
		out->policy = POLICY_DEADLINE;
		out->dl = &h->p.dl;
		return true;
	case STAGE_REPORT:
		t->stage = STAGE_POLL;
		return call(t, OP_WRITE, READY_QUEUE);
	case STAGE_POLL:
		t->stage = t->sender ? STAGE_SEND : STAGE_RECEIVE;
		return call(t, OP_POLL, START_QUEUE);
	case STAGE_TELL:
		return tell_main(h, t, out);
	case STAGE_EXIT:
		out->kind = ACTION_EXIT;
		return true;
	case STAGE_FORK:
	case STAGE_COLLECT:
	case STAGE_MARK:
	case STAGE_START:
	case STAGE_REAP:
		return do_choose_main(h, t, out);
	}
	CHECK(false);
	return false;
}

static void hackbench_next(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out)
{
	struct hackbench *h = hackbench_of(b);
	struct hackbench_task *t = &h->tasks[task];
	bool acted = false;

	(void)now_ns;
	/* bound: a call has at most three steps without an action, a task two stages */
	while (!acted) {
		switch ((enum step)t->step) {
		case STEP_FINISH:
			acted = do_finish(h, t, out);
			if (acted)
				break;
			/* fall through */
		case STEP_CHOOSE:
			acted = do_choose(h, t, out);
			if (acted || t->step != STEP_TRY)
				break;
			/* fall through */
		case STEP_TRY:
			do_try(h, t, out);
			acted = true;
			break;
		case STEP_WAKE:
			acted = do_wake(h, t, out);
			break;
		case STEP_ENLIST:
			wait_enter(h, &h->queues[t->queue], task);
			act_unlock(t, STEP_SLEEP, out);
			acted = true;
			break;
		case STEP_SLEEP:
			acted = do_sleep(h, t, out);
			break;
		case STEP_AWAKE:
			acted = do_awake(t, out);
			break;
		case STEP_UNLIST:
			acted = do_unlist(h, t, task, out);
			break;
		}
	}
}

static void hackbench_attr(struct behaviour *b, uint32_t task, struct task_attr *out)
{
	const struct hackbench *h = hackbench_of(b);

	CHECK(task < b->ntasks);
	memcpy(out->comm, "hackbench", sizeof("hackbench"));
	/* the kernel lets no deadline task create others: children ask for themselves */
	out->policy = h->p.policy == POLICY_DEADLINE ? POLICY_NORMAL : h->p.policy;
	out->nice = h->p.nice;
	out->rt_priority = h->p.rt_priority;
	out->cpus = h->p.cpus;
	out->process = h->p.process;
}

static bool hackbench_policy(const struct behaviour *b, uint32_t i, struct task_attr *out)
{
	const struct hackbench *h = (const struct hackbench *)(const void *)b;

	if (i > 0)
		return false;
	out->policy = h->p.policy;
	out->nice = h->p.nice;
	out->rt_priority = h->p.rt_priority;
	out->dl = h->p.dl;
	return true;
}

static const struct behaviour_ops hackbench_ops = {
	.next = hackbench_next,
	.attr = hackbench_attr,
	.policy = hackbench_policy,
};

/* --- making it ---------------------------------------------------------------- */

/* Task 0 is main; then group after group, receivers before senders, in the order of creation. */
static void init_tasks(struct hackbench *h)
{
	uint32_t fds = h->p.fds;

	h->tasks[MAIN_TASK].stage = STAGE_FORK;
	h->tasks[MAIN_TASK].units_left = h->nchildren;
	h->tasks[MAIN_TASK].rng = rng_stream(h->p.seed, "hackbench", MAIN_TASK);
	for (uint32_t i = 0; i < h->nchildren; i++) {
		struct hackbench_task *t = &h->tasks[i + 1];
		uint32_t group = i / (2 * fds), member = i % (2 * fds);

		t->rng = rng_stream(h->p.seed, "hackbench", i + 1);
		t->stage = h->p.policy == POLICY_DEADLINE ? STAGE_ASK : STAGE_REPORT;
		if (h->p.first_ns)
			t->stage = STAGE_SET_UP;
		t->sender = member >= fds;
		t->first_queue = DATA_QUEUES + group * fds + (t->sender ? 0 : member);
		t->part = (uint8_t)h->units;
		t->units_left = (uint64_t)fds * h->p.loops * h->units;
	}
}

/* How messages are cut into units, and what a unit costs. */
static void init_units(struct hackbench *h)
{
	uint32_t most = h->p.pipe ? PIPE_PAGE_BYTES : SKB_PAYLOAD_MAX;
	uint32_t len;

	h->units = (h->p.size + most - 1) / most;
	len = (h->p.size + h->units - 1) / h->units;
	h->data_q10 = 1024;
	if (len > COPY_BYTES_INCLUDED)
		h->data_q10 += 1024 * (len - COPY_BYTES_INCLUDED) / COPY_BYTES_PER_PRICE;
	for (uint32_t i = 0; i < h->nqueues; i++)
		queue_init(&h->queues[i], i < DATA_QUEUES ? 1 : len);
}

/* N zeroed cache lines, each beginning at one. */
static void *alloc_lines(size_t n)
{
	void *memory = aligned_alloc(CACHE_LINE, n * CACHE_LINE);

	if (memory)
		memset(memory, 0, n * CACHE_LINE);
	return memory;
}

struct behaviour *hackbench_create(const struct hackbench_params *p)
{
	struct hackbench *h = calloc(1, sizeof(*h));

	_Static_assert(sizeof(struct hackbench_task) == CACHE_LINE, "a task's state grew");
	_Static_assert(sizeof(struct queue) == CACHE_LINE, "a queue grew");
	CHECK(p->groups > 0);
	CHECK(p->fds > 0);
	CHECK((uint64_t)p->groups * p->fds * 2 <= HACKBENCH_TASKS_MAX);
	CHECK(p->loops > 0);
	CHECK(p->size > 0 && p->size <= HACKBENCH_SIZE_MAX);
	if (!h)
		return NULL;
	h->p = *p;
	h->nchildren = p->groups * p->fds * 2;
	h->nqueues = DATA_QUEUES + p->groups * p->fds;
	h->tasks = alloc_lines((size_t)h->nchildren + 1);
	h->queues = alloc_lines(h->nqueues);
	if (!h->tasks || !h->queues) {
		h->p.cpus = NULL;
		hackbench_destroy(&h->behaviour);
		return NULL;
	}
	init_units(h);
	init_tasks(h);
	h->behaviour.ops = &hackbench_ops;
	h->behaviour.ntasks = h->nchildren + 1;
	h->behaviour.state = (const unsigned char *)h->tasks;
	h->behaviour.state_bytes = sizeof(h->tasks[0]);
	h->behaviour.nlocks = h->nqueues * 2;
	return &h->behaviour;
}

void hackbench_destroy(struct behaviour *b)
{
	struct hackbench *h = hackbench_of(b);

	if (!b)
		return;
	free(h->p.cpus);
	free(h->tasks);
	free(h->queues);
	free(h);
}
