/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The path tree has at most a few hundred nodes and every node is one row; the
 * texts of all paths share one block. A path's text names its node uniquely,
 * since a node has at most one child per element and no element's text
 * contains a semicolon.
 *
 * Node 0 is outside the scheduler; time charged there, if any, is row "other".
 */
#include "observe/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fixed.h"

#define OUTSIDE "other"

/* The text of NODE's path, root first, and a zero byte. */
static void put_path(struct text *t, const struct path_tree *tree, uint32_t node)
{
	uint16_t chain[PATH_NODES_MAX];
	uint32_t depth = 0;

	if (node == 0)
		text_str(t, OUTSIDE);
	/* bound: a node was made after its parent, so numbers fall */
	for (uint32_t at = node; at != 0; at = tree->node[at].parent) {
		CHECK(tree->node[at].parent < at);
		CHECK(depth < PATH_NODES_MAX);
		chain[depth++] = tree->node[at].elem;
	}
	while (depth) {
		text_str(t, path_elem_name(chain[--depth]));
		if (depth)
			text_char(t, ';');
	}
	text_char(t, 0);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct profile_row *)a)->path, ((const struct profile_row *)b)->path);
}

static int by_time(const void *a, const void *b)
{
	const struct profile_row *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return strcmp(x->path, y->path);
}

/* Number of nodes in use, node 0 included. */
static uint32_t nodes_of(const struct path_tree *tree)
{
	CHECK(tree->nnodes <= PATH_NODES_MAX);
	return max_u32(tree->nnodes, 1);
}

bool profile_build(struct profile *p, const struct path_tree *tree, struct rql_error *e)
{
	uint32_t n = nodes_of(tree);
	const char *name;

	*p = (struct profile){.total_ns = profile_sum_ns(tree)};
	text_init(&p->names);
	p->row = calloc(n, sizeof(p->row[0]));
	for (uint32_t i = 0; i < n; i++)
		put_path(&p->names, tree, i);
	if (!p->row || p->names.failed) {
		profile_free(p);
		err_set(e, "profile", "no memory", NULL, NULL);
		e->limit = true;
		return false;
	}
	name = text_cstr(&p->names);
	for (uint32_t i = 0; i < n; i++) {
		const struct path_node *node = &tree->node[i];

		if (node->ns || node->count)
			p->row[p->nrows++] = (struct profile_row){name, node->ns, node->count};
		name += strlen(name) + 1;
	}
	qsort(p->row, p->nrows, sizeof(p->row[0]), by_path);
	return true;
}

void profile_free(struct profile *p)
{
	free(p->row);
	text_free(&p->names);
	p->row = NULL;
	p->nrows = 0;
}

uint64_t profile_sum_ns(const struct path_tree *tree)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < nodes_of(tree); i++)
		sum += tree->node[i].ns;
	return sum;
}

/* What follows the last semicolon. */
static const char *function_of(const char *path)
{
	const char *semicolon = strrchr(path, ';');

	return semicolon ? semicolon + 1 : path;
}

uint64_t profile_lock_ns(const struct profile *p)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < p->nrows; i++) {
		const char *name = function_of(p->row[i].path);

		if (strcmp(name, path_elem_name(PATH_RQ_LOCK)) == 0 ||
		    strcmp(name, path_elem_name(PATH_OTHER_LOCK)) == 0)
			sum += p->row[i].ns;
	}
	return sum;
}

void profile_folded(const struct profile *p, struct text *t)
{
	for (uint32_t i = 0; i < p->nrows; i++) {
		if (!p->row[i].ns)
			continue;
		text_str(t, p->row[i].path);
		text_char(t, ' ');
		text_u64(t, p->row[i].ns);
		text_char(t, '\n');
	}
}

/* Rows of P added up by their last element, in ROW; returns how many. */
static uint32_t sum_by_function(const struct profile *p, struct profile_row *row)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->nrows; i++) {
		const char *name = function_of(p->row[i].path);
		uint32_t k = 0;

		while (k < n && strcmp(row[k].path, name) != 0)
			k++;
		if (k == n)
			row[n++] = (struct profile_row){.path = name};
		row[k].ns += p->row[i].ns;
		row[k].count += p->row[i].count;
	}
	return n;
}

/* NS as hundredths of a per cent of TOTAL, "  12.34%". */
static void put_share(struct text *t, uint64_t ns, uint64_t total_ns)
{
	uint64_t share = total_ns ? (uint64_t)(((u128)ns * 10000 + total_ns / 2) / total_ns) : 0;

	text_u64_right(t, share / 100, 4);
	text_char(t, '.');
	text_u64_zeros(t, share % 100, 2);
	text_char(t, '%');
}

static void put_row(struct text *t, const struct profile_row *row, uint64_t total_ns)
{
	put_share(t, row->ns, total_ns);
	text_u64_right(t, row->ns, 18);
	text_u64_right(t, row->count, 14);
	text_str(t, "  ");
	text_str(t, row->path);
	text_char(t, '\n');
}

bool profile_top(const struct profile *p, enum profile_by by, uint32_t n, struct text *t)
{
	struct profile_row *row = calloc((size_t)p->nrows + 1, sizeof(row[0]));
	struct profile_row rest = {.path = "(the rest)"}, sum = {.path = "(all)"};
	uint32_t nrows = p->nrows;

	if (!row)
		return false;
	if (by == PROFILE_BY_FUNCTION)
		nrows = sum_by_function(p, row);
	else if (nrows)
		memcpy(row, p->row, nrows * sizeof(row[0]));
	qsort(row, nrows, sizeof(row[0]), by_time);
	text_str(t, "   share                ns         count  where\n");
	for (uint32_t i = 0; i < nrows; i++) {
		sum.ns += row[i].ns;
		sum.count += row[i].count;
		if (i < n) {
			put_row(t, &row[i], p->total_ns);
			continue;
		}
		rest.ns += row[i].ns;
		rest.count += row[i].count;
	}
	if (nrows > n)
		put_row(t, &rest, p->total_ns);
	put_row(t, &sum, p->total_ns);
	CHECK(sum.ns == p->total_ns);
	free(row);
	return true;
}
