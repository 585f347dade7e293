/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intrusive circular doubly linked list. A head and its nodes have the same
 * type; an empty head points at itself. The list owns nothing.
 */
#ifndef RUNQLAB_BASE_LIST_H
#define RUNQLAB_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *next, *prev;
};

#define container_of(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

static inline void list_init(struct list *l)
{
	l->next = l;
	l->prev = l;
}

static inline bool list_is_empty(const struct list *head)
{
	return head->next == head;
}

static inline void list_insert_between(struct list *n, struct list *prev, struct list *next)
{
	n->prev = prev;
	n->next = next;
	prev->next = n;
	next->prev = n;
}

/* Put N first. */
static inline void list_add(struct list *head, struct list *n)
{
	list_insert_between(n, head, head->next);
}

/* Put N last. */
static inline void list_add_tail(struct list *head, struct list *n)
{
	list_insert_between(n, head->prev, head);
}

/* Take N out and leave it as a list of its own, so that a second delete is harmless. */
static inline void list_del(struct list *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	list_init(n);
}

#define list_for_each(pos, head) for ((pos) = (head)->next; (pos) != (head); (pos) = (pos)->next)

/* The current node may be taken out while walking. */
#define list_for_each_safe(pos, tmp, head)                                                         \
	for ((pos) = (head)->next, (tmp) = (pos)->next; (pos) != (head);                           \
	     (pos) = (tmp), (tmp) = (pos)->next)

#endif
