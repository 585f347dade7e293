/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a kernel is built, file by file: make vforks a shell for each; the shell forks the compiler
 * driver, waits, forks fixdep, waits; the driver vforks cc1, waits, vforks as, waits. So of five
 * processes one computes at a time, and three wait.
 *
 * cc1 first waits for its sources, then compiles. Most files take less than the mean and a
 * few take many times as long: 15 of 16 times are exponential with two thirds
 * of the mean, the others with six times the mean. as takes a sixteenth of the mean.
 *
 * Left out: the link at the end, recursive makes and their job server's pipe,
 * -pipe, writing files, what later kernels run beside the compiler.
 */
#include "workload/kbuild.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fixed.h"
#include "workload/proctree.h"

enum place {
	PLACE_SH,
	PLACE_GCC,
	PLACE_CC1,
	PLACE_AS,
	PLACE_FIXDEP,
};

/* Assumed: reading a rule, a command line, a specs table and a dependency file. */
#define MAKE_NS (300 * NS_PER_US)
#define SH_NS (200 * NS_PER_US)
#define DRIVER_NS (500 * NS_PER_US)
#define FIXDEP_NS (300 * NS_PER_US)

#define STEPS 32u

/* Procs and steps in one piece of memory. */
struct description {
	struct proctree_proc procs[KBUILD_PROCESSES_OF_FILE];
	struct proctree_step steps[STEPS];
	uint32_t nsteps;
};

static void add(struct description *d, enum proctree_op op, uint32_t arg, uint64_t ns)
{
	CHECK(d->nsteps < STEPS);
	d->steps[d->nsteps++] =
		(struct proctree_step){.op = op, .time = TIME_NEAR, .arg = arg, .ns = ns};
}

static void begin(struct description *d, enum place place, const char *comm, bool vforked,
		  uint64_t ns)
{
	d->procs[place] = (struct proctree_proc){.comm = comm,
						 .steps = &d->steps[d->nsteps],
						 .writes = PROCTREE_NONE,
						 .vforked = vforked};
	add(d, PROC_EXEC, 0, 0);
	if (ns)
		add(d, PROC_RUN, 0, ns);
}

static void add_child(struct description *d, enum proctree_op op, enum place place)
{
	add(d, op, place, 0);
	add(d, PROC_WAIT, 0, 0);
}

static void describe(struct description *d, const struct kbuild_params *p)
{
	begin(d, PLACE_SH, "sh", true, SH_NS);
	add_child(d, PROC_FORK, PLACE_GCC);
	add_child(d, PROC_FORK, PLACE_FIXDEP);
	add(d, PROC_DONE, 0, 0);
	add(d, PROC_EXIT, 0, 0);
	begin(d, PLACE_GCC, "gcc", false, DRIVER_NS);
	add_child(d, PROC_VFORK, PLACE_CC1);
	add_child(d, PROC_VFORK, PLACE_AS);
	add(d, PROC_EXIT, 0, 0);
	begin(d, PLACE_CC1, "cc1", true, 0);
	if (p->io_ns)
		add(d, PROC_IO, 0, p->io_ns);
	add(d, PROC_RUN, 0, p->cc_ns);
	d->steps[d->nsteps - 1].time = TIME_LONG_TAILED;
	add(d, PROC_EXIT, 0, 0);
	begin(d, PLACE_AS, "as", true, p->cc_ns / 16 + 1);
	add(d, PROC_EXIT, 0, 0);
	begin(d, PLACE_FIXDEP, "fixdep", false, FIXDEP_NS);
	add(d, PROC_EXIT, 0, 0);
}

struct behaviour *kbuild_create(const struct kbuild_params *p)
{
	struct description *d = calloc(1, sizeof(*d));
	struct proctree_params tree = {.comm = "make",
				       .purpose = "kbuild",
				       .nprocs = KBUILD_PROCESSES_OF_FILE,
				       .njobs = p->files,
				       .nparallel = p->jobs,
				       .main_ns = MAKE_NS,
				       .common = p->common,
				       .cpus = p->cpus,
				       .owned = d,
				       .seed = p->seed};
	struct behaviour *b;

	CHECK(p->cc_ns > 0);
	if (!d)
		return NULL;
	describe(d, p);
	tree.procs = d->procs;
	b = proctree_create(&tree);
	if (!b)
		free(d);
	return b;
}

void kbuild_destroy(struct behaviour *b)
{
	proctree_destroy(b);
}
