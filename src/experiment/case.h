/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A case: a published regression, the simulations that should show it and the
 * figures that say whether they do.
 *
 * To add one, write case_YEAR.c with a struct case_def and name it in case.c.
 * A case has rows of simulations (struct case_run), each run with one or more
 * seeds, a struct of its own that each simulation fills (by sampling while it
 * runs, or when it is over), and one function that makes the figures of all of
 * these. cases/ID/README.md says where the published figures stand.
 *
 *	struct case_result result;
 *	if (!case_execute(def, full, &result, &e)) ...
 */
#ifndef RUNQLAB_EXPERIMENT_CASE_H
#define RUNQLAB_EXPERIMENT_CASE_H

#include <math.h>

#include "experiment/runner.h"
#include "experiment/stats.h"

#define CASE_FIGURES_MAX 128u
#define CASE_WORK_MAX 72u
#define CASE_ALSO_MAX 3u
#define CASE_SEEDS_MAX 16u
#define CASE_NONE ((double)NAN) /* a number a figure does not have */

/* A comparison with another figure of the case, asked beside the bounds. */
struct case_also {
	const char *test; /* "below time_rc2" */
	const char *than; /* the other figure's name; NULL: no more of them */
	bool below;       /* must be below it, else above */
};

struct case_figure {
	const char *name, *what, *unit;
	double published;                     /* or CASE_NONE */
	double published_low, published_high; /* where a range was published */
	double low, high;                     /* what it must lie in; CASE_NONE: no such bound */
	double aim_low, aim_high;             /* what it should lie in */
	bool required;                        /* the case holds only with it */
	bool full_only;                       /* only the full form simulates it */
	const char *if_not; /* a sentence to print when it does not hold; or NULL */
	struct case_also also[CASE_ALSO_MAX];
	double noise;     /* of what was published, in the same unit; 0: none was told */
	const char *kind; /* a word about it for the table; or NULL */
	bool beyond_zero; /* the 95 % interval of the simulated value must not contain 0 */
};

/* One simulation, in the words of the command line. */
struct case_run {
	const char *name;
	const char *machine, *kernel;
	const char *work[CASE_WORK_MAX];    /* in order; a leading / is a --cgroup; NULL ends it */
	const char *time_quick, *time_full; /* NULL: until the work ends */
	bool autogroup;
	bool full_only;      /* only the full form runs it */
	bool atomic;         /* sections do not interleave */
	uint32_t latency_of; /* wake-up latency of tasks of this rt_priority is kept; 0: none is */
	uint32_t fork_pct, first_run_pct; /* of these prices; 0: as they are */
	const char *work_full;            /* the full form's first work; NULL: the same */
	const char *prices;               /* of the command's profiles; NULL: default */
	bool observed; /* all metrics are kept; without it those that observers find are undefined */
};

struct case_def {
	const void *of; /* what its functions need to know of it; NULL */
	const char *id, *title, *source;
	const char *kernels[SCENARIO_KERNELS_MAX]; /* NULL ends it */
	uint32_t cost_s;                           /* host seconds of the quick form, roughly */
	const struct case_figure *figures;
	uint32_t nfigures;
	const struct case_run *runs;
	uint32_t nruns;
	const char *middle;    /* what a figure is over the seeds: "medians", "means" */
	uint32_t nseeds;       /* 1 to CASE_SEEDS_MAX, the default seed and those after it */
	uint32_t nseeds_full;  /* ... of the full form; 0: the same */
	size_t measured_bytes; /* of the case's own struct, without pointers */
	uint64_t sample_ns;    /* 0: never */
	void (*sample)(const struct case_def *def, void *measured, const struct run *r,
		       uint64_t now_ns);
	uint32_t wants; /* kinds of records that `take` gets, those of the beginning left out */
	void (*take)(void *measured, const struct run *r, const struct record *rec);
	void (*finish)(const struct case_def *def, void *measured, struct run *r);
	/* MEASURED[nruns][nseeds], zeroes where nothing ran, to SIMULATED[nfigures]. */
	void (*judge)(const struct case_def *def, const void *measured, uint32_t nseeds,
		      double *simulated);
	/* The same to the 95 % intervals of figures, where they have one; NULL: none has. */
	void (*intervals)(const void *measured, uint32_t nseeds, struct stats_interval *out);
};

struct case_result {
	uint32_t nseeds;
	struct stats_interval interval[CASE_FIGURES_MAX]; /* all CASE_NONE: it has none */
	double simulated[CASE_FIGURES_MAX]; /* CASE_NONE: the simulations do not say */
	bool also_holds[CASE_FIGURES_MAX][CASE_ALSO_MAX];
	bool figure_holds[CASE_FIGURES_MAX];
	bool figure_ran[CASE_FIGURES_MAX]; /* else the full form alone has it */
	bool holds;
};

/* Has the figure a bound or a comparison? */
bool case_is_judged(const struct case_figure *f);

/* Does X, with that INTERVAL, lie in the figure's bounds? Comparisons with others are not asked. */
bool case_in_bounds(const struct case_figure *f, double x, const struct stats_interval *interval);

/* Of one form. */
uint32_t case_nseeds(const struct case_def *def, bool full);
/* The first work of a row in one form. */
const char *case_first_work(const struct case_run *row, bool full);

/* The cases in the order of `runqlab case list`; NULL past the end. */
const struct case_def *case_at(uint32_t i);
/* NULL: there is none of that name. */
const struct case_def *case_by_id(const char *id);

/* Can every simulation of DEF be made? False and *E, with its name, if one cannot. */
bool case_check(const struct case_def *def, bool full, struct rql_error *e);

/* The rt-only kernels that run fair tasks in it, see scenario_rt_only(). */
uint64_t case_rt_only(const struct case_def *def, bool full);

/* All simulations, in parallel processes, and the figures. */
bool case_execute(const struct case_def *def, bool full, struct case_result *out,
		  struct rql_error *e);

/* The median of X[N], whose order may change; CASE_NONE if one of them is not there. */
double case_median(double *x, uint32_t n);

/* A number of a figure as text, "" for CASE_NONE. */
void case_number(char *out, double x);

extern const struct case_def case_2010_over_scheduling;
extern const struct case_def case_2012_hackbench_cgroup;
extern const struct case_def case_2015_rt_equal_prio_push;
extern const struct case_def case_2019_load_balance_rework;

/* The I-th comparison with a real kernel, of what it did and of what it built; NULL past the end. */
const struct case_def *case_truth(uint32_t i);
const struct case_def *case_truth_topo(uint32_t i);

#endif
