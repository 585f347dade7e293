/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intrusive red-black tree with a cached leftmost node. The user walks down
 * comparing keys, then links the new node where the walk ended; so the tree
 * knows nothing of keys and a node that compares equal can be sent right,
 * which keeps equals in order of arrival.
 */
#ifndef RUNQLAB_BASE_RBTREE_H
#define RUNQLAB_BASE_RBTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rb_node {
	uintptr_t parent_colour; /* parent's address; bit 0 set: black */
	struct rb_node *left, *right;
};

struct rb_tree {
	struct rb_node *root;
	struct rb_node *leftmost; /* NULL when empty */
};

static inline struct rb_node *rb_parent(const struct rb_node *n)
{
	return (struct rb_node *)(n->parent_colour & ~(uintptr_t)1);
}

static inline bool rb_is_black(const struct rb_node *n)
{
	return n->parent_colour & 1;
}

/*
 * Hang N below PARENT at *LINK (&parent->left, &parent->right or &tree->root)
 * and rebalance. LEFTMOST: the walk went left at every step. O(log n).
 */
void rb_insert(struct rb_tree *t, struct rb_node *n, struct rb_node *parent, struct rb_node **link,
	       bool leftmost);

/* Take N out and rebalance. O(log n). */
void rb_erase(struct rb_tree *t, struct rb_node *n);

/*
 * The same for a tree whose nodes hold something that follows from themselves and from their
 * children, such as the least of a subtree: GATHER computes it for one node anew, and says whether
 * that changed anything. Trees without such a thing do not pay for it.
 */
typedef bool (*rb_gather_fn)(struct rb_node *n);
void rb_insert_gather(struct rb_tree *t, struct rb_node *n, struct rb_node *parent,
		      struct rb_node **link, bool leftmost, rb_gather_fn gather);
void rb_erase_gather(struct rb_tree *t, struct rb_node *n, rb_gather_fn gather);
/* What N itself brings changed: N and those above it follow. */
void rb_gather_up(struct rb_node *n, rb_gather_fn gather);

/* In-order neighbour, or NULL. */
struct rb_node *rb_next(const struct rb_node *n);

/* Does the tree satisfy the red-black rules and is leftmost right? For audits; O(n). */
bool rb_is_valid(const struct rb_tree *t);

#endif
