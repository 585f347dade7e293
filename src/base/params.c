/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values are read digit by digit with the overflow test before the step that
 * would overflow; nothing of libc's number reading is used, because it depends
 * on the locale, skips blanks and accepts signs. A fraction is kept as a whole
 * number of 10^-k units, k <= 9 after trailing zeros are dropped, and is
 * accepted only when it is a whole number of nanoseconds: what a user typed is
 * what is simulated, to the digit.
 *
 * The nearest name is found by the edit distance of Wagner and Fischer over
 * two rows of a fixed length; words longer than that are cut first. Cost:
 * names x length x length, only ever on the way to an error message.
 */
#include "base/params.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/fixed.h"
#include "base/mask.h"

#define SHOWN_MAX 40 /* bytes of a bad value that are repeated in a message */
#define WORD_MAX 48  /* bytes compared by param_nearest() */

struct time_unit {
	const char *name;
	uint64_t ns;
};

static const struct time_unit time_units[] = {
	{"ns", 1},
	{"us", NS_PER_US},
	{"ms", NS_PER_MS},
	{"s", NS_PER_S},
};

#define TIME_UNIT_COUNT (sizeof(time_units) / sizeof(time_units[0]))

bool param_error(const struct param *v, const char *what_1, const char *what_2, struct rql_error *e)
{
	char text[512];
	struct buf b;

	buf_init(&b, text, sizeof(text));
	buf_str(&b, v->name);
	buf_char(&b, '=');
	buf_strn(&b, v->s, v->n < SHOWN_MAX ? v->n : SHOWN_MAX);
	if (v->n > SHOWN_MAX)
		buf_str(&b, "...");
	buf_str(&b, ": ");
	return err_set(e, v->where, text, what_1, what_2);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits from *AT on; false when there is none or the number does not fit 64 bits. */
static bool read_digits(const struct param *v, size_t *at, uint64_t *out, bool *overflow)
{
	size_t start = *at;
	uint64_t x = 0;

	*overflow = false;
	for (; *at < v->n && is_digit(v->s[*at]); ++*at) {
		uint64_t digit = (uint64_t)(v->s[*at] - '0');

		if (x > (UINT64_MAX - digit) / 10)
			*overflow = true;
		else
			x = x * 10 + digit;
	}
	*out = x;
	return *at > start && !*overflow;
}

static bool range_error(const struct param *v, const char *low, const char *high,
			struct rql_error *e)
{
	char text[96];
	struct buf b;

	buf_init(&b, text, sizeof(text));
	buf_str(&b, low);
	buf_str(&b, " to ");
	buf_str(&b, high);
	return param_error(v, "out of range; write ", text, e);
}

static bool range_error_u64(const struct param *v, uint64_t low, uint64_t high, struct rql_error *e)
{
	char low_text[24], high_text[24];
	struct buf b;

	buf_init(&b, low_text, sizeof(low_text));
	buf_u64(&b, low);
	buf_init(&b, high_text, sizeof(high_text));
	buf_u64(&b, high);
	return range_error(v, low_text, high_text, e);
}

bool param_count(const struct param *v, uint64_t low, uint64_t high, uint64_t *out,
		 struct rql_error *e)
{
	bool overflow;
	size_t at = 0;

	CHECK(low <= high);
	if (v->n == 0)
		return param_error(v, "empty; write a whole number", NULL, e);
	if (v->s[0] == '-')
		return range_error_u64(v, low, high, e);
	if (!read_digits(v, &at, out, &overflow) && !overflow)
		return param_error(v, "not a whole number; write its digits alone", NULL, e);
	if (at != v->n)
		return param_error(v, "not a whole number; a count has no unit and no fraction",
				   NULL, e);
	if (overflow || *out < low || *out > high)
		return range_error_u64(v, low, high, e);
	return true;
}

bool param_integer(const struct param *v, int64_t low, int64_t high, int64_t *out,
		   struct rql_error *e)
{
	bool negative = v->n > 0 && v->s[0] == '-';
	char low_text[24], high_text[24];
	size_t at = negative ? 1 : 0;
	bool overflow;
	uint64_t x;
	struct buf b;

	CHECK(low <= high);
	if (v->n == 0)
		return param_error(v, "empty; write a whole number", NULL, e);
	if (!read_digits(v, &at, &x, &overflow) && !overflow)
		return param_error(v, "not a whole number; write its digits alone", NULL, e);
	if (at != v->n)
		return param_error(v, "not a whole number; write its digits alone", NULL, e);
	if (!overflow && x <= (uint64_t)INT64_MAX) {
		*out = negative ? -(int64_t)x : (int64_t)x;
		if (*out >= low && *out <= high)
			return true;
	}
	buf_init(&b, low_text, sizeof(low_text));
	buf_s64(&b, low);
	buf_init(&b, high_text, sizeof(high_text));
	buf_s64(&b, high);
	return range_error(v, low_text, high_text, e);
}

/*
 * The digits after the point from *AT on, as *FRACTION * 10^-*PLACES without
 * trailing zeros. False when there is no digit or more than 9 places remain.
 */
static bool read_fraction(const struct param *v, size_t *at, uint64_t *fraction, uint32_t *places)
{
	size_t start = *at, end;

	while (*at < v->n && is_digit(v->s[*at]))
		++*at;
	if (*at == start)
		return false;
	end = *at;
	while (end > start && v->s[end - 1] == '0')
		end--;
	if (end - start > 9)
		return false;
	*places = (uint32_t)(end - start);
	*fraction = 0;
	for (size_t i = start; i < end; i++)
		*fraction = *fraction * 10 + (uint64_t)(v->s[i] - '0');
	return true;
}

static const struct time_unit *find_time_unit(const char *s, size_t n)
{
	for (size_t i = 0; i < TIME_UNIT_COUNT; i++)
		if (str_equal_n(s, n, time_units[i].name))
			return &time_units[i];
	return NULL;
}

bool param_time(const struct param *v, uint64_t low_ns, uint64_t high_ns, uint64_t *ns,
		struct rql_error *e)
{
	static const char units_text[] = "write a number with its unit: ns, us, ms or s, as 1.5ms";
	uint64_t whole, fraction = 0, ten_power = 1;
	const struct time_unit *unit;
	char low_text[24], high_text[24];
	bool overflow, exact = true;
	uint32_t places = 0;
	size_t at = 0;

	CHECK(low_ns <= high_ns);
	CHECK(high_ns <= PARAM_TIME_NS_MAX);
	param_print_time(low_text, sizeof(low_text), low_ns);
	param_print_time(high_text, sizeof(high_text), high_ns);
	if (v->n == 0)
		return param_error(v, "empty; ", units_text, e);
	if (v->s[0] == '-')
		return range_error(v, low_text, high_text, e);
	if (!read_digits(v, &at, &whole, &overflow) && !overflow)
		return param_error(v, "not a time; ", units_text, e);
	if (at < v->n && v->s[at] == '.') {
		at++;
		exact = read_fraction(v, &at, &fraction, &places);
	}
	unit = find_time_unit(v->s + at, v->n - at);
	/* no time at all is the same in every unit */
	if (at == v->n && whole == 0 && !overflow && exact && fraction == 0)
		unit = &time_units[0];
	else if (at == v->n)
		return param_error(v, "a time without a unit; ", units_text, e);
	if (!unit)
		return param_error(v, "not a time; ", units_text, e);
	for (uint32_t i = 0; i < places; i++)
		ten_power *= 10;
	/* fraction < 10^9 and unit->ns <= 10^9: the product fits 64 bits */
	if (!exact || fraction * unit->ns % ten_power)
		return param_error(v, "not a whole number of nanoseconds; write fewer digits", NULL,
				   e);
	if (overflow || whole > PARAM_TIME_NS_MAX / unit->ns)
		return range_error(v, low_text, high_text, e);
	*ns = whole * unit->ns + fraction * unit->ns / ten_power;
	if (*ns < low_ns || *ns > high_ns)
		return range_error(v, low_text, high_text, e);
	return true;
}

bool param_size(const struct param *v, uint64_t low, uint64_t high, uint64_t *bytes,
		struct rql_error *e)
{
	static const char units_text[] = "write bytes, or a number with K, M or G (powers of 1024)";
	bool overflow;
	uint32_t shift = 0;
	size_t at = 0;

	CHECK(low <= high);
	if (v->n == 0)
		return param_error(v, "empty; ", units_text, e);
	if (v->s[0] == '-')
		return range_error_u64(v, low, high, e);
	if (!read_digits(v, &at, bytes, &overflow) && !overflow)
		return param_error(v, "not a size; ", units_text, e);
	if (at + 1 == v->n) {
		switch (v->s[at]) {
		case 'K':
			shift = 10;
			break;
		case 'M':
			shift = 20;
			break;
		case 'G':
			shift = 30;
			break;
		default:
			return param_error(v, "not a size; ", units_text, e);
		}
		at++;
	}
	if (at != v->n)
		return param_error(v, "not a size; ", units_text, e);
	if (overflow || *bytes > UINT64_MAX >> shift)
		return range_error_u64(v, low, high, e);
	*bytes <<= shift;
	if (*bytes < low || *bytes > high)
		return range_error_u64(v, low, high, e);
	return true;
}

bool param_is_percent(const struct param *v)
{
	return v->n > 0 && v->s[v->n - 1] == '%';
}

bool param_percent(const struct param *v, uint64_t low, uint64_t high, uint64_t *percent,
		   struct rql_error *e)
{
	bool overflow;
	size_t at = 0;

	if (!param_is_percent(v))
		return param_error(v, "not a percentage; write a whole number and %", NULL, e);
	if (v->s[0] == '-')
		return range_error_u64(v, low, high, e);
	if (!read_digits(v, &at, percent, &overflow) && !overflow)
		return param_error(v, "not a percentage; write a whole number and %", NULL, e);
	if (at + 1 != v->n)
		return param_error(v, "not a percentage; write a whole number and %", NULL, e);
	if (overflow || *percent < low || *percent > high)
		return range_error_u64(v, low, high, e);
	return true;
}

/* Is the number a CPU of the machine? The message names the last one there is. */
static bool check_cpu(const struct param *v, uint64_t cpu, bool overflow, uint32_t ncpus,
		      struct rql_error *e)
{
	char text[64];
	struct buf b;

	if (!overflow && cpu < ncpus)
		return true;
	buf_init(&b, text, sizeof(text));
	buf_u64(&b, ncpus - 1);
	return param_error(v, "no such CPU; the machine's are 0 to ", text, e);
}

bool param_cpus(const struct param *v, char separator, uint32_t ncpus, struct mask *out,
		struct rql_error *e)
{
	static const char syntax[] = "not a list of CPUs; write numbers and ranges, as 0";
	const char example[] = {separator, '2', '-', '4', 0};
	uint64_t first, last;
	bool overflow;
	size_t at = 0;

	CHECK(ncpus > 0);
	mask_zero(out);
	for (;;) {
		if (!read_digits(v, &at, &first, &overflow) && !overflow)
			return param_error(v, syntax, example, e);
		if (!check_cpu(v, first, overflow, ncpus, e))
			return false;
		last = first;
		if (at < v->n && v->s[at] == '-') {
			at++;
			if (!read_digits(v, &at, &last, &overflow) && !overflow)
				return param_error(v, syntax, example, e);
			if (!check_cpu(v, last, overflow, ncpus, e))
				return false;
			if (last < first)
				return param_error(
					v, "a range runs upwards; write the lower CPU first", NULL,
					e);
		}
		for (uint64_t cpu = first; cpu <= last; cpu++)
			mask_set(out, (uint32_t)cpu);
		if (at == v->n)
			return true;
		if (v->s[at] != separator)
			return param_error(v, syntax, example, e);
		at++;
	}
}

/* Edit distance of two words of at most WORD_MAX bytes. */
static uint32_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	uint32_t row[WORD_MAX + 1];

	CHECK(nb <= WORD_MAX);
	for (uint32_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		uint32_t diagonal = row[0];

		row[0] = (uint32_t)i;
		for (size_t j = 1; j <= nb; j++) {
			uint32_t substituted = diagonal + (a[i - 1] != b[j - 1]);
			uint32_t moved = min_u32(row[j], row[j - 1]) + 1;

			diagonal = row[j];
			row[j] = min_u32(substituted, moved);
		}
	}
	return row[nb];
}

uint32_t param_nearest(const char *word, size_t n, const char *const *names, uint32_t count,
		       uint32_t nearest[3])
{
	uint32_t distance[3] = {0, 0, 0};
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++) {
		size_t len = min_u64(str_len(names[i]), WORD_MAX);
		uint32_t d = edit_distance(word, min_u64(n, WORD_MAX), names[i], len);
		uint32_t at = found;

		while (at > 0 && d < distance[at - 1])
			at--;
		if (at == 3)
			continue;
		if (found < 3)
			found++;
		for (uint32_t j = found - 1; j > at; j--) {
			distance[j] = distance[j - 1];
			nearest[j] = nearest[j - 1];
		}
		distance[at] = d;
		nearest[at] = i;
	}
	return found;
}

void param_print_time(char *out, size_t cap, uint64_t ns)
{
	size_t i = TIME_UNIT_COUNT - 1;
	struct buf b;

	while (i > 0 && ns % time_units[i].ns)
		i--;
	if (ns == 0)
		i = 0;
	buf_init(&b, out, cap);
	buf_u64(&b, ns / time_units[i].ns);
	buf_str(&b, time_units[i].name);
}
