/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each line is made in one buffer that holds the longest possible line (every
 * CPU listed once) and handed to the sink. CPUs are put into classes by
 * comparing each with the first CPU of every class so far: CPUs * classes
 * comparisons of a few numbers.
 *
 * To stay readable, a matrix of distances is printed up to 32 nodes and 64
 * groups of a domain; beyond, counts are. topo_json() has everything.
 */
#include "observe/topo_text.h"

#include "base/buf.h"
#include "base/check.h"
#include "observe/cpulist.h"

#include <stdlib.h>

#define MATRIX_NODES_MAX 32u
#define GROUPS_SHOWN_MAX 64u
#define FLAG_COLUMN 96u

static const struct {
	const char *name;
	uint32_t flag;
} sd_flags[] = {
#define SD_FLAG(name, bit) {#name, SD_##name},
#include "model/sd_flags.def"
#undef SD_FLAG
};

const char *sd_flag_name(enum sd_words words, size_t i, uint32_t *flag)
{
	if (i >= sizeof(sd_flags) / sizeof(sd_flags[0]))
		return NULL;
	*flag = sd_flags[i].flag;
	if (*flag == SD_SHARE_CPUPOWER && words != SD_WORDS_CPUPOWER)
		return "SHARE_CPUCAPACITY";
	if (*flag == SD_SHARE_PKG_RESOURCES && words == SD_WORDS_LLC)
		return "SHARE_LLC";
	return sd_flags[i].name;
}

struct printer {
	const struct topology *t;
	const struct domain_set *s;
	const struct topo_sink *sink;
	struct buf line;
	struct mask *mask; /* scratch, one bit a CPU */
	uint16_t *class;   /* [cpu] first CPU of its class */
};

static void end_line(struct printer *p)
{
	CHECK(!p->line.cut);
	buf_char(&p->line, '\n');
	p->sink->write(p->sink->ctx, p->line.s, p->line.len);
	buf_init(&p->line, p->line.s, p->line.cap);
}

static void put_str(struct printer *p, const char *s)
{
	buf_str(&p->line, s);
}

static void put_u64(struct printer *p, uint64_t v)
{
	buf_u64(&p->line, v);
}

/* V right-aligned in WIDTH columns. */
static void put_column(struct printer *p, uint64_t v, uint32_t width)
{
	uint32_t digits = 1;

	for (uint64_t rest = v / 10; rest; rest /= 10)
		digits++;
	for (; digits < width; digits++)
		buf_char(&p->line, ' ');
	put_u64(p, v);
}

static void pad_to(struct printer *p, size_t column)
{
	while (p->line.len < column)
		buf_char(&p->line, ' ');
}

static void put_count(struct printer *p, uint64_t n, const char *one, const char *many)
{
	put_u64(p, n);
	put_str(p, n == 1 ? one : many);
}

/* --- the machine --- */

static void print_offline(struct printer *p)
{
	mask_zero(p->mask);
	for (uint32_t cpu = 0; cpu < p->t->ncpus; cpu++)
		if (p->t->cpu[cpu].present && !p->t->cpu[cpu].online)
			mask_set(p->mask, cpu);
	if (mask_is_empty(p->mask))
		return;
	put_str(p, "offline: ");
	cpulist_put(&p->line, p->mask);
	end_line(p);
}

static void print_node(struct printer *p, uint32_t node)
{
	mask_zero(p->mask);
	for (uint32_t cpu = 0; cpu < p->t->ncpus; cpu++)
		if (p->t->cpu[cpu].present && p->t->cpu[cpu].online && p->t->cpu[cpu].node == node)
			mask_set(p->mask, cpu);
	put_str(p, "node ");
	put_u64(p, p->t->node[node].os_id);
	put_str(p, ": ");
	if (mask_is_empty(p->mask))
		put_str(p, p->t->node[node].memory_only ? "memory only" : "no CPU online");
	else
		cpulist_put(&p->line, p->mask);
	end_line(p);
}

static void print_matrix(struct printer *p)
{
	const struct topology *t = p->t;

	put_str(p, "distances:");
	for (uint32_t to = 0; to < t->nnodes; to++)
		put_column(p, t->node[to].os_id, to ? 5 : 4);
	end_line(p);
	for (uint32_t from = 0; from < t->nnodes; from++) {
		put_column(p, t->node[from].os_id, 9);
		for (uint32_t to = 0; to < t->nnodes; to++)
			put_column(p, topo_distance(t, from, to), 5);
		end_line(p);
	}
}

static void print_distance_counts(struct printer *p)
{
	uint32_t count[256] = {0};

	for (uint32_t i = 0; i < p->t->nnodes * p->t->nnodes; i++)
		count[p->t->distance[i]]++;
	put_str(p, "distances:");
	for (uint32_t d = 0, n = 0; d < 256; d++) {
		if (!count[d])
			continue;
		put_str(p, n++ ? ", " : " ");
		put_u64(p, d);
		put_str(p, " x ");
		put_count(p, count[d], " pair", " pairs");
	}
	end_line(p);
}

static void print_machine(struct printer *p, const char *kernel)
{
	const struct topology *t = p->t;

	put_str(p, "machine ");
	put_str(p, t->name);
	put_str(p, ": ");
	put_count(p, t->nonline, " CPU online, ", " CPUs online, ");
	put_count(p, t->nnodes, " node", " nodes");
	end_line(p);
	put_str(p, "kernel ");
	put_str(p, kernel);
	end_line(p);
	if (t->arch != TOPO_ARCH_X86 && p->s->words == SD_WORDS_CPUPOWER) {
		put_str(p, "not x86: 2.6.x profiles use the x86 level table");
		end_line(p);
	}
	print_offline(p);
	for (uint32_t node = 0; node < t->nnodes; node++)
		print_node(p, node);
	if (t->nnodes > MATRIX_NODES_MAX)
		print_distance_counts(p);
	else if (t->nnodes > 1)
		print_matrix(p);
}

/* --- classes of CPUs --- */

static uint32_t ring_length(const struct sched_domain *sd)
{
	const struct sched_group *g = sd->groups;
	uint32_t n = 0;

	do {
		n++;
		g = g->next;
	} while (g != sd->groups);
	return n;
}

static bool chains_look_equal(const struct sched_domain *a, const struct sched_domain *b)
{
	for (; a && b; a = a->parent, b = b->parent) {
		if (!str_equal(a->name, b->name) || a->flags != b->flags)
			return false;
		if (a->span_weight != b->span_weight || ring_length(a) != ring_length(b))
			return false;
	}
	return !a && !b;
}

/* Offline CPUs stay in class TOPO_CPUS_MAX, which is printed nowhere. */
static void classify(struct printer *p)
{
	for (uint32_t cpu = 0; cpu < p->t->ncpus; cpu++) {
		uint32_t first = 0;

		p->class[cpu] = TOPO_CPUS_MAX;
		if (!p->t->cpu[cpu].present || !p->t->cpu[cpu].online)
			continue;
		for (; first < cpu; first++)
			if (p->class[first] == first &&
			    chains_look_equal(p->s->bottom[first], p->s->bottom[cpu]))
				break;
		p->class[cpu] = (uint16_t)first;
	}
}

/* --- domains --- */

static void print_flags(struct printer *p, const struct sched_domain *sd)
{
	const char *name;
	uint32_t flag;

	put_str(p, "    flags    ");
	for (size_t i = 0; (name = sd_flag_name(p->s->words, i, &flag)); i++) {
		if (!(sd->flags & flag))
			continue;
		if (p->line.len + str_len(name) > FLAG_COLUMN) {
			end_line(p);
			pad_to(p, 13);
		}
		put_str(p, p->line.len > 13 ? " " : "");
		put_str(p, name);
	}
	end_line(p);
}

static void print_numbers(struct printer *p, const struct sched_domain *sd)
{
	put_str(p, "    numbers  imbalance_pct ");
	put_u64(p, sd->imbalance_pct);
	put_str(p, ", interval ");
	put_u64(p, sd->min_interval_ms);
	put_str(p, "-");
	put_u64(p, sd->max_interval_ms);
	put_str(p, " ms (first ");
	put_u64(p, sd->balance_interval_ms);
	put_str(p, "), busy_factor ");
	put_u64(p, sd->busy_factor);
	put_str(p, ", cache_nice_tries ");
	put_u64(p, sd->cache_nice_tries);
	end_line(p);
	if (sd->imb_numa_nr) {
		put_str(p, "    nodes    imb_numa_nr ");
		put_u64(p, sd->imb_numa_nr);
		end_line(p);
	}
	if (sd->groups->sgc)
		return;
	put_str(p, "    load idx busy ");
	put_u64(p, sd->busy_idx);
	put_str(p, ", idle ");
	put_u64(p, sd->idle_idx);
	put_str(p, ", newidle ");
	put_u64(p, sd->newidle_idx);
	put_str(p, ", wake ");
	put_u64(p, sd->wake_idx);
	put_str(p, ", forkexec ");
	put_u64(p, sd->forkexec_idx);
	end_line(p);
}

/* The mask of those that may balance is told where it is not the group, as the kernel does. */
static void put_group(struct printer *p, const struct sched_group *g)
{
	const struct sched_group_capacity *sgc = g->sgc;

	cpulist_put(&p->line, g->cpus);
	if (!sgc) {
		put_str(p, " power ");
		put_u64(p, g->cpu_power);
		return;
	}
	if (!mask_equal(sgc->balance_mask, g->cpus)) {
		put_str(p, " mask ");
		cpulist_put(&p->line, sgc->balance_mask);
	}
	put_str(p, " capacity ");
	put_u64(p, sgc->capacity);
	if (sgc->min_capacity != sgc->max_capacity) {
		put_str(p, " (");
		put_u64(p, sgc->min_capacity);
		put_str(p, "-");
		put_u64(p, sgc->max_capacity);
		put_str(p, ")");
	}
}

static void print_groups(struct printer *p, const struct sched_domain *sd)
{
	size_t room = sd->groups->sgc ? 40 : 16; /* for one more on the line */
	const struct sched_group *g = sd->groups;
	uint32_t total = ring_length(sd);
	uint32_t shown = total <= GROUPS_SHOWN_MAX ? total : GROUPS_SHOWN_MAX;

	put_str(p, "    groups   ");
	for (uint32_t i = 0; i < shown; i++, g = g->next) {
		size_t start = p->line.len;

		pad_to(p, 13);
		put_str(p, start > 13 ? "  " : "");
		put_group(p, g);
		if (p->line.len > FLAG_COLUMN - room && i + 1 < shown)
			end_line(p);
	}
	if (shown < total) {
		put_str(p, "  and ");
		put_u64(p, total - shown);
		put_str(p, " more");
	}
	end_line(p);
}

static void print_domain(struct printer *p, const struct sched_domain *sd)
{
	put_str(p, "  domain");
	put_u64(p, sd->level);
	put_str(p, " ");
	put_str(p, sd->name);
	put_str(p, ": CPUs ");
	cpulist_put(&p->line, sd->span);
	put_str(p, " (");
	put_u64(p, sd->span_weight);
	put_str(p, "), ");
	put_count(p, ring_length(sd), " group", " groups");
	end_line(p);
	print_flags(p, sd);
	print_numbers(p, sd);
	print_groups(p, sd);
}

static void print_class(struct printer *p, uint32_t first)
{
	uint32_t n;

	mask_zero(p->mask);
	for (uint32_t cpu = first; cpu < p->t->ncpus; cpu++)
		if (p->class[cpu] == first)
			mask_set(p->mask, cpu);
	n = mask_weight(p->mask);
	end_line(p);
	put_str(p, n == 1 ? "CPU " : "CPUs ");
	cpulist_put(&p->line, p->mask);
	if (!p->s->bottom[first])
		put_str(p, ": no domain");
	else if (n > 1) {
		put_str(p, ", as seen by CPU ");
		put_u64(p, first);
	}
	end_line(p);
	for (const struct sched_domain *sd = p->s->bottom[first]; sd; sd = sd->parent)
		print_domain(p, sd);
}

bool topo_print(const struct topology *t, const struct domain_set *s, const char *kernel,
		const struct topo_sink *sink)
{
	struct printer p = {.t = t, .s = s, .sink = sink};
	size_t line_bytes = CPULIST_BYTES(t->ncpus) + 64u * MATRIX_NODES_MAX + 8192;
	char *line = malloc(line_bytes);
	void *mask = malloc(mask_size(t->ncpus));
	bool ok;

	CHECK(s->ncpus == t->ncpus);
	p.class = calloc(t->ncpus, sizeof(*p.class));
	ok = line && mask && p.class;
	if (ok) {
		buf_init(&p.line, line, line_bytes);
		p.mask = mask_init(mask, t->ncpus);
		print_machine(&p, kernel);
		classify(&p);
		for (uint32_t cpu = 0; cpu < t->ncpus; cpu++)
			if (p.class[cpu] == cpu)
				print_class(&p, cpu);
	}
	free(p.class);
	free(mask);
	free(line);
	return ok;
}
