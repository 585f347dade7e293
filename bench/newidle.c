/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an attempt to balance costs this program, by the size of the machine: a CPU about to
 * idle looks through all its domains for a second task, and there is none to take, for each
 * other CPU runs just one. Between two such looks the loads of four other CPUs change, of four
 * more each time. Host time.
 */
#define HAND_TASKS 2100u
#include "sched/hand_machine.h"

#include <stdio.h>
#include <time.h>

#define CHANGES 4u

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* What happens on CPUs between two attempts, as far as groups add it up. */
static void change_some(struct kctx *k, uint32_t round)
{
	for (uint32_t i = 0; i < CHANGES; i++) {
		struct rq *rq = rq_of_cpu(k->m, 1 + (round * CHANGES + i) % (k->m->ncpus - 1));

		rq_lock(k, rq);
		rq->cfs->avg.load_avg ^= 1;
		rq_unlock(k, rq);
	}
}

static void look_everywhere(struct kctx *k)
{
	for (struct sched_domain *sd = k->cpu->rq.sd; sd; sd = sd->parent) {
		bool go_on = true;

		k->v->lb->load_balance(k, 0, sd, CPU_NEWLY_IDLE, &go_on);
	}
}

static double attempt_ns(const char *kernel, uint32_t cores)
{
	static struct hand h;
	const uint32_t rounds = 2000;
	uint32_t domains = 0;
	double best = 1e18;

	hand_init(&h, kernel, 2, cores, 2);
	for (uint32_t i = 1; i < h.m->ncpus; i++)
		hand_tasks(&h, i, 1);
	h.by_rules = true;
	for (struct sched_domain *sd = h.m->cpus[0].rq.sd; sd; sd = sd->parent)
		domains++;
	for (int again = 0; again < 5; again++) {
		double start = cpu_ns();

		for (uint32_t i = 0; i < rounds; i++) {
			change_some(&h.m->cpus[0].k, i);
			look_everywhere(&h.m->cpus[0].k);
		}
		start = (cpu_ns() - start) / rounds / domains;
		best = start < best ? start : best;
	}
	hand_free(&h);
	return best;
}

int main(void)
{
	static const char *const kernels[] = {"5.4", "5.5"};
	static const uint32_t cores[] = {8, 56, 256};

	for (unsigned i = 0; i < 2; i++)
		for (unsigned j = 0; j < 3; j++)
			printf("newidle_attempt_%s_on_%u %.0f ns\n", kernels[i], 4 * cores[j],
			       attempt_ns(kernels[i], cores[j]));
	return 0;
}
