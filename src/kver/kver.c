/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading a KERNEL text. Items change a set of deltas and a list of overrides
 * from left to right; at the end the deltas are applied to the base in their
 * own order, then the overrides. So the text's order matters only where two
 * items speak of the same thing.
 */
#include "kver/kver.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/params.h"
#include "kver/deltas.h"
#include "kver/modern.h"

#define NAMES_MAX 256u

/* What the items said so far. */
struct request {
	const char *text;
	struct kver_parts is;
};

static const char *const preempt_models[] = {"none", "voluntary", "full"};

/* One item of the text. */
struct item {
	const char *s;
	size_t n;
};

static const struct kver_feature_info feature_infos[FEATURE_COUNT] = {
#define FEATURE(name, comment) {#name, comment, false},
#define RULE(name, comment) {#name, comment, true},
#include "model/features.def"
};

static const struct kver_tunable_info tunable_infos[TUNABLE_COUNT] = {
#define NS_SCALED false
#define NS false
#define US false
#define US_OR_NONE true
#define COUNT false
#define TUNABLE(field, file, file_54, unit, low, high, comment)                                    \
	{file, file_54, #unit, comment, low, high, unit},
#include "model/tunables.def"
};

const struct kver_feature_info *kver_feature_info(enum feature f)
{
	CHECK(f < FEATURE_COUNT);
	return &feature_infos[f];
}

const struct kver_tunable_info *kver_tunable_info(enum tunable_id id)
{
	CHECK(id < TUNABLE_COUNT);
	return &tunable_infos[id];
}

const char *kver_tunable_name(enum kver_family family, enum tunable_id id)
{
	const struct kver_tunable_info *t = kver_tunable_info(id);

	return family == KVER_PELT && t->name_54[0] ? t->name_54 : t->name;
}

static uint64_t *tunable_field(struct kver *v, enum tunable_id id)
{
	switch (id) {
#define TUNABLE(field, file, file_54, unit, low, high, comment)                                    \
	case TUN_##field:                                                                          \
		return &v->tun.field;
#include "model/tunables.def"
	case TUNABLE_COUNT:
		break;
	}
	CHECK(false && "no such tunable");
	return NULL;
}

uint64_t kver_tunable_value(const struct kver *v, enum tunable_id id)
{
	struct kver copy = *v;

	return *tunable_field(&copy, id);
}

/* "kernel TEXT: unknown KIND 'WORD'; nearest: A, B, C" */
static bool unknown(const struct request *r, const char *kind, const struct item *it,
		    const char *const *names, uint32_t count, struct rql_error *e)
{
	uint32_t nearest[3];
	uint32_t n = param_nearest(it->s, it->n, names, count, nearest);
	char what[256], right[256];
	struct buf b;

	buf_init(&b, what, sizeof(what));
	buf_str(&b, "unknown ");
	buf_str(&b, kind);
	buf_str(&b, " '");
	buf_strn(&b, it->s, it->n < 60 ? it->n : 60);
	buf_str(&b, "'; nearest: ");
	buf_init(&b, right, sizeof(right));
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			buf_str(&b, ", ");
		buf_str(&b, names[nearest[i]]);
	}
	return err_set(e, r->text, what, right, NULL);
}

static bool find_profile(struct request *r, const struct item *it, struct rql_error *e)
{
	const char *names[NAMES_MAX];
	uint32_t n = 0;

	for (; kver_profile(n); n++) {
		CHECK(n < NAMES_MAX);
		names[n] = kver_profile(n)->version;
		if (str_equal_n(it->s, it->n, names[n])) {
			r->is.profile = kver_profile(n);
			r->is.deltas = r->is.profile->deltas;
			return true;
		}
	}
	if (it->n == 0)
		return err_set(e, r->text, "empty kernel; a version such as ", names[n - 1], NULL);
	return unknown(r, "kernel", it, names, n, e);
}

static bool parse_delta(struct request *r, const struct item *it, struct rql_error *e)
{
	const struct item name = {it->s + 1, it->n - 1};
	const char *names[NAMES_MAX];
	uint32_t n = 0;

	for (uint32_t i = 0; kver_delta(i); i++) {
		const struct kver_delta *d = kver_delta(i);
		bool fits = kver_delta_family(i) == r->is.profile->family;

		if (fits)
			names[n++] = d->name;
		if (!str_equal_n(name.s, name.n, d->name) &&
		    !(d->alias && str_equal_n(name.s, name.n, d->alias)))
			continue;
		if (!fits)
			return err_set(e, r->text, d->name,
				       r->is.profile->family == KVER_PELT ?
					       " is a delta of kernels up to 4.0; " :
					       " is a delta of kernels from 5.4 on; ",
				       "see runqlab list deltas");
		if (it->s[0] == '+')
			r->is.deltas |= DELTA_BIT(i);
		else
			r->is.deltas &= ~DELTA_BIT(i);
		return true;
	}
	return unknown(r, "delta", &name, names, n, e);
}

/* NAME or NO_NAME; whether this version has it is asked when all deltas are known. */
static bool parse_feature(struct request *r, const struct item *it, struct rql_error *e)
{
	const char *names[NAMES_MAX];
	uint32_t n = 0;
	bool off = it->n > 3 && str_equal_n(it->s, 3, "NO_");
	struct item name = *it;

	if (off) {
		name.s += 3;
		name.n -= 3;
	}
	for (enum feature f = 0; f < FEATURE_COUNT; f++) {
		if (feature_infos[f].is_rule)
			continue;
		if (str_equal_n(name.s, name.n, feature_infos[f].name)) {
			feature_set_add(off ? &r->is.features_off : &r->is.features_on, f);
			feature_set_remove(off ? &r->is.features_on : &r->is.features_off, f);
			return true;
		}
		names[n++] = feature_infos[f].name;
	}
	return unknown(r, "feature or item", &name, names, n, e);
}

static bool parse_preempt(struct request *r, const struct param *v, struct rql_error *e)
{
	for (int i = 0; i < 3; i++) {
		if (str_equal_n(v->s, v->n, preempt_models[i])) {
			r->is.preempt = i;
			return true;
		}
	}
	return param_error(v, "unknown preemption model; ", "none, voluntary or full", e);
}

/* Always false. */
static bool add_to_error(struct rql_error *e, const char *text)
{
	struct rql_error before = *e;

	return err_set(e, before.where, before.what, text, NULL);
}

static bool parse_assignment(struct request *r, const struct item *it, size_t eq,
			     struct rql_error *e)
{
	const char *names[NAMES_MAX];
	char name[64];
	struct param v = {r->text, name, it->s + eq + 1, it->n - eq - 1};
	const struct item key = {it->s, eq};
	uint32_t n = 0;
	struct buf b;

	buf_init(&b, name, sizeof(name));
	buf_strn(&b, it->s, eq);
	if (str_equal(name, "hz"))
		return param_count(&v, 100, 10000, &r->is.hz, e) &&
		       (1000000000 % r->is.hz == 0 ||
			param_error(&v, "a tick must be a whole number of ns; ",
				    "100, 200, 250, 500 or 1000", e));
	if (str_equal(name, "preempt"))
		return parse_preempt(r, &v, e);
	for (uint32_t i = 0; i < TUNABLE_COUNT; i++) {
		const struct kver_tunable_info *t = &tunable_infos[i];

		if (str_equal_n(key.s, key.n, t->name) ||
		    (key.n && str_equal_n(key.s, key.n, t->name_54))) {
			r->is.tun_set |= UINT64_C(1) << i;
			if (t->or_none && str_equal_n(v.s, v.n, "-1")) {
				r->is.tun[i] = TUNABLE_NONE;
				return true;
			}
			return param_count(&v, t->low, t->high, &r->is.tun[i], e) ||
			       (t->or_none && add_to_error(e, ", or -1 for no limit"));
		}
		names[n++] = kver_tunable_name(r->is.profile->family, (enum tunable_id)i);
	}
	names[n++] = "hz";
	names[n++] = "preempt";
	return unknown(r, "tunable", &key, names, n, e);
}

static bool parse_item(struct request *r, const struct item *it, struct rql_error *e)
{
	if (it->n == 0)
		return err_set(e, r->text, "empty item; ",
			       "items are FEATURE, NO_FEATURE, +DELTA, -DELTA, TUNABLE=VALUE",
			       NULL);
	if (it->s[0] == '+' || it->s[0] == '-')
		return parse_delta(r, it, e);
	for (size_t i = 0; i < it->n; i++)
		if (it->s[i] == '=')
			return parse_assignment(r, it, i, e);
	return parse_feature(r, it, e);
}

/* Index of the delta called NAME. */
static uint32_t delta_index(const struct item *name)
{
	uint32_t i = 0;

	while (!str_equal_n(name->s, name->n, kver_delta(i)->name))
		i++;
	return i;
}

/* "delta D VERB NAME; write TEXT,SIGN NAME" */
static bool set_error(const struct request *r, const struct kver_delta *d, const char *verb,
		      const char *sign, const struct item *name, struct rql_error *e)
{
	char what[200], right[600];
	struct buf b;

	buf_init(&b, what, sizeof(what));
	buf_str(&b, "delta ");
	buf_str(&b, d->name);
	buf_str(&b, verb);
	buf_strn(&b, name->s, name->n);
	buf_str(&b, "; write ");
	buf_init(&b, right, sizeof(right));
	buf_str(&b, r->text);
	buf_str(&b, sign);
	buf_strn(&b, name->s, name->n);
	return err_set(e, r->text, what, right, NULL);
}

/* The first word of *TEXT, which then begins after it; false: there is none. */
static bool next_name(const char **text, struct item *name)
{
	const char *s = *text;
	size_t n = 0;

	if (!s || !*s)
		return false;
	while (s[n] && s[n] != ' ')
		n++;
	*name = (struct item){s, n};
	*text = s + n + (s[n] == ' ');
	return true;
}

/* Every delta of the set has what it needs and nothing it excludes. */
static bool check_set(const struct request *r, struct rql_error *e)
{
	for (uint32_t i = 0; kver_delta(i); i++) {
		const struct kver_delta *d = kver_delta(i);
		const char *needs = d->needs, *excludes = d->excludes;
		struct item name;

		if (!kver_set_has(r->is.profile, r->is.deltas, i))
			continue;
		while (next_name(&needs, &name))
			if (!(r->is.deltas & DELTA_BIT(delta_index(&name))))
				return set_error(r, d, " needs ", ",+", &name, e);
		while (next_name(&excludes, &name))
			if (r->is.deltas & DELTA_BIT(delta_index(&name)))
				return set_error(r, d, " cannot be with ", ",-", &name, e);
	}
	return true;
}

/* Features that exist in a kernel's list but not in this model. */
static bool is_unmodelled(enum feature f)
{
	return f == FEAT_HRTICK || f == FEAT_HRTICK_DL || f == FEAT_DOUBLE_TICK ||
	       f == FEAT_ARCH_POWER || f == FEAT_LATENCY_WARN;
}

static bool apply_features(const struct request *r, struct kver *v, struct rql_error *e)
{
	for (enum feature f = 0; f < FEATURE_COUNT; f++) {
		bool on = feature_set_has(&r->is.features_on, f);

		if (!on && !feature_set_has(&r->is.features_off, f))
			continue;
		if (!feature_set_has(&v->known, f))
			return err_set(e, r->text, feature_infos[f].name,
				       " is not a feature of this kernel; ",
				       "see runqlab list features");
		if (on && is_unmodelled(f))
			return err_set(e, r->text, feature_infos[f].name,
				       " is not modelled and can only be off; ", "leave it out");
		if (on)
			feature_set_add(&v->features, f);
		else
			feature_set_remove(&v->features, f);
	}
	return true;
}

static bool apply_tunables(const struct request *r, struct kver *v, struct rql_error *e)
{
	for (uint32_t i = 0; i < TUNABLE_COUNT; i++) {
		if (!(r->is.tun_set >> i & 1))
			continue;
		if (!(v->tun_known >> i & 1))
			return err_set(e, r->text,
				       kver_tunable_name(r->is.profile->family, (enum tunable_id)i),
				       " is not a tunable of this kernel; ",
				       "see runqlab list tunables");
		*tunable_field(v, (enum tunable_id)i) = r->is.tun[i];
	}
	v->tun_user = r->is.tun_set;
	return true;
}

static bool split(struct request *r, struct rql_error *e)
{
	const char *s = r->text;
	bool first = true;

	for (;;) {
		struct item it = {s, 0};

		while (s[it.n] && s[it.n] != ',')
			it.n++;
		if (!(first ? find_profile(r, &it, e) : parse_item(r, &it, e)))
			return false;
		first = false;
		if (!s[it.n])
			return true;
		s += it.n + 1;
	}
}

static bool parse_request(const char *text, struct request *r, struct rql_error *e)
{
	*r = (struct request){.text = text, .is = {.preempt = -1}};
	if (str_len(text) >= KVER_NAME_BYTES)
		return err_set(e, "kernel", "the text is too long; at most 2047 characters", NULL,
			       NULL);
	return split(r, e) && check_set(r, e);
}

bool kver_deltas_of(const char *text, u128 *deltas, struct rql_error *e)
{
	struct request r;

	if (!parse_request(text, &r, e))
		return false;
	*deltas = r.is.deltas;
	return true;
}

bool kver_take_apart(const char *text, struct kver_parts *out, struct rql_error *e)
{
	struct request r;

	if (!parse_request(text, &r, e))
		return false;
	*out = r.is;
	return true;
}

static void write_deltas(const struct kver_parts *p, struct buf *b)
{
	u128 differ = p->deltas ^ p->profile->deltas;

	for (uint32_t i = 0; kver_delta(i); i++) {
		if (!kver_set_has(p->profile, differ, i))
			continue;
		buf_str(b, p->deltas & DELTA_BIT(i) ? ",+" : ",-");
		buf_str(b, kver_delta(i)->name);
	}
}

static void write_features(const struct kver_parts *p, struct buf *b)
{
	for (enum feature f = 0; f < FEATURE_COUNT; f++) {
		bool on = feature_set_has(&p->features_on, f);

		if (!on && !feature_set_has(&p->features_off, f))
			continue;
		buf_str(b, on ? "," : ",NO_");
		buf_str(b, feature_infos[f].name);
	}
}

static void write_tunables(const struct kver_parts *p, struct buf *b)
{
	for (uint32_t i = 0; i < TUNABLE_COUNT; i++) {
		if (!(p->tun_set >> i & 1))
			continue;
		buf_char(b, ',');
		buf_str(b, kver_tunable_name(p->profile->family, (enum tunable_id)i));
		buf_char(b, '=');
		if (p->tun[i] == TUNABLE_NONE)
			buf_str(b, "-1");
		else
			buf_u64(b, p->tun[i]);
	}
}

bool kver_write(const struct kver_parts *p, char *out, size_t cap)
{
	struct buf b;

	buf_init(&b, out, cap);
	buf_str(&b, p->profile->version);
	write_deltas(p, &b);
	write_features(p, &b);
	write_tunables(p, &b);
	if (p->hz) {
		buf_str(&b, ",hz=");
		buf_u64(&b, p->hz);
	}
	if (p->preempt >= 0) {
		buf_str(&b, ",preempt=");
		buf_str(&b, preempt_models[p->preempt]);
	}
	return !b.cut;
}

const char *kver_preempt_name(enum preempt_model m)
{
	CHECK((size_t)m < sizeof(preempt_models) / sizeof(preempt_models[0]));
	return preempt_models[m];
}

bool kver_parse(const char *text, struct kver *out, struct rql_error *e)
{
	struct request r;
	struct buf b;

	if (!parse_request(text, &r, e))
		return false;
	*out = (struct kver){0};
	buf_init(&b, out->name, sizeof(out->name));
	buf_str(&b, text);
	buf_init(&b, out->version, sizeof(out->version));
	buf_str(&b, r.is.profile->version);
	out->approximate = r.is.profile->approximate;
	out->rt_only = r.is.profile->rt_only;
	out->sched_debug_version = r.is.profile->sched_debug;
	if (r.is.profile->family == KVER_PELT)
		kver_base_54(out);
	else
		kver_base(out);
	for (uint32_t i = 0; kver_delta(i); i++)
		if (kver_set_has(r.is.profile, r.is.deltas, i))
			kver_delta(i)->apply(out);
	if (!apply_features(&r, out, e) || !apply_tunables(&r, out, e))
		return false;
	if (out->tun.rt_runtime_us != TUNABLE_NONE &&
	    out->tun.rt_runtime_us > out->tun.rt_period_us)
		return err_set(e, text, "sched_rt_runtime_us exceeds sched_rt_period_us; ",
			       "at most the period, or -1 for no limit", NULL);
	if (r.is.hz)
		out->hz = (uint32_t)r.is.hz;
	if (r.is.preempt >= 0)
		out->preempt = (enum preempt_model)r.is.preempt;
	return true;
}
