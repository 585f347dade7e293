/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Red-black trees after Cormen, Leiserson, Rivest, Stein, "Introduction to
 * Algorithms", chapter 13, with parent links and without a sentinel node:
 *   1. the root is black;
 *   2. a red node has no red child;
 *   3. every path from a node down to a missing child has the same number of
 *      black nodes.
 * Missing children count as black. Insertion needs at most two rotations,
 * removal at most three.
 *
 * Each operation is written once, with the function that gathers from children as a
 * parameter, and compiled twice: where it is NULL nothing of it is left.
 */
#include "base/rbtree.h"

#include "base/check.h"

static void set_parent(struct rb_node *n, struct rb_node *parent)
{
	n->parent_colour = (uintptr_t)parent | (n->parent_colour & 1);
}

static void set_black(struct rb_node *n)
{
	n->parent_colour |= 1;
}

static void set_red(struct rb_node *n)
{
	n->parent_colour &= ~(uintptr_t)1;
}

static bool is_red(const struct rb_node *n)
{
	return n && !rb_is_black(n);
}

/* Make NEW the child of PARENT (NULL: the root) where OLD was. */
static void replace_child(struct rb_tree *t, struct rb_node *parent, const struct rb_node *old,
			  struct rb_node *new)
{
	if (!parent)
		t->root = new;
	else if (parent->left == old)
		parent->left = new;
	else
		parent->right = new;
}

void rb_gather_up(struct rb_node *n, rb_gather_fn gather)
{
	/* bound: the height; what did not change changes nothing above */
	while (n && gather(n))
		n = rb_parent(n);
}

/* X has sunk below its child Y, whose subtree is what X's was. */
static ALWAYS_INLINE void gather_rotated(struct rb_node *x, struct rb_node *y, rb_gather_fn gather)
{
	if (!gather)
		return;
	gather(x);
	gather(y);
}

static ALWAYS_INLINE void rotate_left(struct rb_tree *t, struct rb_node *x, rb_gather_fn gather)
{
	struct rb_node *y = x->right;

	x->right = y->left;
	if (y->left)
		set_parent(y->left, x);
	set_parent(y, rb_parent(x));
	replace_child(t, rb_parent(x), x, y);
	y->left = x;
	set_parent(x, y);
	gather_rotated(x, y, gather);
}

static ALWAYS_INLINE void rotate_right(struct rb_tree *t, struct rb_node *x, rb_gather_fn gather)
{
	struct rb_node *y = x->left;

	x->left = y->right;
	if (y->right)
		set_parent(y->right, x);
	set_parent(y, rb_parent(x));
	replace_child(t, rb_parent(x), x, y);
	y->right = x;
	set_parent(x, y);
	gather_rotated(x, y, gather);
}

static ALWAYS_INLINE void insert(struct rb_tree *t, struct rb_node *n, struct rb_node *parent,
				 struct rb_node **link, bool leftmost, rb_gather_fn gather)
{
	CHECK(*link == NULL);
	n->parent_colour = (uintptr_t)parent; /* red */
	n->left = NULL;
	n->right = NULL;
	*link = n;
	if (leftmost)
		t->leftmost = n;
	if (gather) {
		gather(n);
		rb_gather_up(parent, gather);
	}

	while (is_red(rb_parent(n))) {
		struct rb_node *p = rb_parent(n);
		struct rb_node *g = rb_parent(p);
		bool p_is_left = p == g->left;
		struct rb_node *uncle = p_is_left ? g->right : g->left;

		if (is_red(uncle)) {
			set_black(p);
			set_black(uncle);
			set_red(g);
			n = g;
			continue;
		}
		if (p_is_left) {
			if (n == p->right) {
				rotate_left(t, p, gather);
				p = n;
			}
			set_black(p);
			set_red(g);
			rotate_right(t, g, gather);
		} else {
			if (n == p->left) {
				rotate_right(t, p, gather);
				p = n;
			}
			set_black(p);
			set_red(g);
			rotate_left(t, g, gather);
		}
		break;
	}
	set_black(t->root);
}

void rb_insert(struct rb_tree *t, struct rb_node *n, struct rb_node *parent, struct rb_node **link,
	       bool leftmost)
{
	insert(t, n, parent, link, leftmost, NULL);
}

void rb_insert_gather(struct rb_tree *t, struct rb_node *n, struct rb_node *parent,
		      struct rb_node **link, bool leftmost, rb_gather_fn gather)
{
	insert(t, n, parent, link, leftmost, gather);
}

struct rb_node *rb_next(const struct rb_node *n)
{
	struct rb_node *p;

	if (n->right) {
		p = n->right;
		while (p->left)
			p = p->left;
		return p;
	}
	p = rb_parent(n);
	while (p && n == p->right) {
		n = p;
		p = rb_parent(p);
	}
	return p;
}

/* The subtree X (perhaps empty) below PARENT lacks one black node: restore rule 3. */
static ALWAYS_INLINE void fix_missing_black(struct rb_tree *t, struct rb_node *x,
					    struct rb_node *parent, rb_gather_fn gather)
{
	while (parent && !is_red(x)) {
		bool x_is_left = x == parent->left;
		struct rb_node *s = x_is_left ? parent->right : parent->left;
		struct rb_node *near, *far;

		if (is_red(s)) {
			set_black(s);
			set_red(parent);
			if (x_is_left)
				rotate_left(t, parent, gather);
			else
				rotate_right(t, parent, gather);
			s = x_is_left ? parent->right : parent->left;
		}
		near = x_is_left ? s->left : s->right;
		far = x_is_left ? s->right : s->left;
		if (!is_red(near) && !is_red(far)) {
			set_red(s);
			x = parent;
			parent = rb_parent(x);
			continue;
		}
		if (!is_red(far)) {
			set_black(near);
			set_red(s);
			if (x_is_left)
				rotate_right(t, s, gather);
			else
				rotate_left(t, s, gather);
			s = x_is_left ? parent->right : parent->left;
			far = x_is_left ? s->right : s->left;
		}
		if (rb_is_black(parent))
			set_black(s);
		else
			set_red(s);
		set_black(parent);
		set_black(far);
		if (x_is_left)
			rotate_left(t, parent, gather);
		else
			rotate_right(t, parent, gather);
		return;
	}
	if (x)
		set_black(x);
}

static ALWAYS_INLINE void erase(struct rb_tree *t, struct rb_node *n, rb_gather_fn gather)
{
	struct rb_node *child, *parent;
	bool removed_black;

	if (t->leftmost == n)
		t->leftmost = rb_next(n);

	if (n->left && n->right) {
		struct rb_node *next = n->right;

		while (next->left)
			next = next->left;
		child = next->right;
		parent = rb_parent(next);
		removed_black = rb_is_black(next);
		if (parent == n) {
			parent = next;
		} else {
			parent->left = child;
			if (child)
				set_parent(child, parent);
			next->right = n->right;
			set_parent(n->right, next);
		}
		next->left = n->left;
		set_parent(n->left, next);
		next->parent_colour = n->parent_colour;
		replace_child(t, rb_parent(n), n, next);
	} else {
		child = n->left ? n->left : n->right;
		parent = rb_parent(n);
		removed_black = rb_is_black(n);
		if (child)
			set_parent(child, parent);
		replace_child(t, parent, n, child);
	}
	/* PARENT is the lowest node whose subtree lost something; all above it did, too */
	for (struct rb_node *up = gather ? parent : NULL; up; up = rb_parent(up))
		gather(up);
	if (removed_black)
		fix_missing_black(t, child, parent, gather);
}

void rb_erase(struct rb_tree *t, struct rb_node *n)
{
	erase(t, n, NULL);
}

void rb_erase_gather(struct rb_tree *t, struct rb_node *n, rb_gather_fn gather)
{
	erase(t, n, gather);
}

/* Black height of the path from N to the root, N included. */
static uint32_t black_depth(const struct rb_node *n)
{
	uint32_t depth = 0;

	for (; n; n = rb_parent(n))
		depth += rb_is_black(n);
	return depth;
}

bool rb_is_valid(const struct rb_tree *t)
{
	const struct rb_node *n = t->root;
	uint32_t want = 0;

	if (!n)
		return t->leftmost == NULL;
	if (is_red(n) || rb_parent(n))
		return false;
	while (n->left)
		n = n->left;
	if (t->leftmost != n)
		return false;
	for (; n; n = rb_next(n)) {
		if (!rb_is_black(n) && is_red(rb_parent(n)))
			return false;
		if (n->left && rb_parent(n->left) != n)
			return false;
		if (n->right && rb_parent(n->right) != n)
			return false;
		if (n->left && n->right)
			continue;
		if (!want)
			want = black_depth(n);
		if (black_depth(n) != want)
			return false;
	}
	return true;
}
