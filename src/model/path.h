/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where scheduler time goes: a tree of call paths made of the elements of
 * path.def, one per machine. Kernel code says path_enter() and path_leave();
 * charge() adds to the node the CPU is at. Node 0 is "outside the scheduler".
 */
#ifndef RUNQLAB_MODEL_PATH_H
#define RUNQLAB_MODEL_PATH_H

#include <stdint.h>

enum path_elem {
#define PATH(name, text) PATH_##name,
#include "model/path.def"
	PATH_ELEMS
};

#define PATH_NODES_MAX 512u /* then paths are not told apart any deeper */

struct path_node {
	uint64_t ns;    /* charged here, children not included */
	uint64_t count; /* times entered */
	uint16_t parent;
	uint16_t elem;
	uint32_t pad;
};

struct path_tree {
	uint32_t nnodes;
	uint16_t child[PATH_NODES_MAX][PATH_ELEMS]; /* 0: not made yet */
	struct path_node node[PATH_NODES_MAX];
};

/* The child ELEM of node AT, made on first use; AT itself when the tree is full. */
uint32_t path_child_slow(struct path_tree *t, uint32_t at, enum path_elem elem);

static inline uint32_t path_child(struct path_tree *t, uint32_t at, enum path_elem elem)
{
	uint32_t c = t->child[at][elem];

	return c ? c : path_child_slow(t, at, elem);
}

/* The text of ELEM in profiles. */
const char *path_elem_name(enum path_elem elem);

#endif
