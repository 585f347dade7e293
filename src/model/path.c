/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of profile paths; nodes are made once and never freed. */
#include "model/path.h"

#include "base/check.h"

uint32_t path_child_slow(struct path_tree *t, uint32_t at, enum path_elem elem)
{
	uint32_t c;

	CHECK(at < PATH_NODES_MAX);
	if (t->nnodes == 0)
		t->nnodes = 1; /* node 0 */
	if (t->nnodes == PATH_NODES_MAX)
		return at;
	c = t->nnodes++;
	t->child[at][elem] = (uint16_t)c;
	t->node[c].parent = (uint16_t)at;
	t->node[c].elem = (uint16_t)elem;
	return c;
}

const char *path_elem_name(enum path_elem elem)
{
	static const char *const names[PATH_ELEMS] = {
#define PATH(name, text) text,
#include "model/path.def"
	};

	CHECK(elem < PATH_ELEMS);
	return names[elem];
}
