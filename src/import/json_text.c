/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jsmn cuts JSON into tokens without copying and keeps their offsets, which is
 * what positions and repeated keys need; but it looks at brackets and strings
 * only and would accept much that is not JSON. So a scanner goes first. It
 * checks bytes (UTF-8, no zero byte) and grammar with a state for what may
 * come next and a bit per open container, and writes blanks over comments, so
 * that offsets stay those of the file. What passes it, jsmn in its strict form
 * cuts without surprises.
 *
 * The root is an object or an array; jsmn's strict form could not see the end
 * of a number at the end of the text.
 *
 * Extensions to JSON: comments, one comma before a closing bracket, a member
 * that is a key alone, a byte order mark. All are seen in rt-app files.
 */
#include "import/json_text.h"

#include <stdlib.h>
#include <string.h>

#define JSMN_STATIC
#define JSMN_STRICT
#define JSMN_PARENT_LINKS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <jsmn.h>
#pragma GCC diagnostic pop

#include "base/buf.h"
#include "base/check.h"

enum expect {
	EXPECT_ROOT,
	EXPECT_VALUE,
	EXPECT_ELEMENT, /* or the array's end */
	EXPECT_KEY,     /* or the object's end */
	EXPECT_COLON,   /* or what ends a member without a value */
	EXPECT_COMMA,   /* or the container's end */
	EXPECT_END,
};

static const char *const expect_text[] = {
	[EXPECT_ROOT] = "{ or [",
	[EXPECT_VALUE] = "a value",
	[EXPECT_ELEMENT] = "a value or ]",
	[EXPECT_KEY] = "a key in quotes or }",
	[EXPECT_COLON] = "a colon",
	[EXPECT_COMMA] = "a comma or a closing bracket",
	[EXPECT_END] = "the end of the file",
};

struct scan {
	struct json_text *j;
	size_t at;
	enum expect expect;
	uint64_t is_object; /* bit i: the container at depth i is an object */
	uint32_t depth;
	struct rql_error *e;
};

/* Fills line and column of byte AT; columns count bytes from 1. */
static bool error_at(const struct json_text *j, size_t at, const char *what_1, const char *what_2,
		     const char *what_3, struct rql_error *e)
{
	uint32_t line = 1, column = 1;

	err_set(e, j->where, what_1, what_2, what_3);
	for (size_t i = 0; i < at && i < j->len; i++) {
		column++;
		if (j->text[i] == '\n') {
			line++;
			column = 1;
		}
	}
	e->line = line;
	e->column = column;
	return false;
}

bool json_error(const struct json_text *j, uint32_t token, const char *what_1, const char *what_2,
		const char *what_3, struct rql_error *e)
{
	const struct json_token *t = &j->tokens[token];

	CHECK(token < j->ntokens);
	return error_at(j, t->type == JSON_STRING ? t->start - 1 : t->start, what_1, what_2, what_3,
			e);
}

static bool unexpected(struct scan *s)
{
	char what[128];
	struct buf b;

	buf_init(&b, what, sizeof(what));
	if (s->at == s->j->len) {
		buf_str(&b, "the end of the file");
	} else if ((unsigned char)s->j->text[s->at] >= 0x80) {
		buf_str(&b, "this character");
	} else {
		buf_char(&b, '\'');
		buf_char(&b, s->j->text[s->at]);
		buf_char(&b, '\'');
	}
	buf_str(&b, " is not expected here; ");
	buf_str(&b, expect_text[s->expect]);
	buf_str(&b, " is");
	return error_at(s->j, s->at, what, NULL, NULL, s->e);
}

/* Bytes of the UTF-8 character at S of at most N, 0 if it is none (overlong forms and surrogates included). */
static size_t utf8_length(const unsigned char *s, size_t n)
{
	size_t len;
	unsigned low = 0x80, high = 0xbf;

	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (len > n)
		return 0;
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	return len;
}

static bool check_bytes(const struct json_text *j, struct rql_error *e)
{
	for (size_t at = 0; at < j->len;) {
		size_t n = utf8_length((const unsigned char *)j->text + at, j->len - at);

		if (n == 0)
			return error_at(j, at, "not UTF-8 text; JSON is", NULL, NULL, e);
		if (j->text[at] == 0)
			return error_at(j, at, "a zero byte; JSON is text", NULL, NULL, e);
		at += n;
	}
	if (j->len >= 3 && memcmp(j->text, "\xef\xbb\xbf", 3) == 0)
		memset(j->text, ' ', 3);
	return true;
}

/* Blank the comment that begins at s->at; false when it does not end. */
static bool skip_comment(struct scan *s)
{
	char *text = s->j->text;
	size_t start = s->at, end = start + 2, len = s->j->len;

	if (text[start + 1] == '/') {
		while (end < len && text[end] != '\n')
			end++;
	} else {
		while (end + 1 < len && !(text[end] == '*' && text[end + 1] == '/'))
			end++;
		if (end + 1 >= len)
			return error_at(s->j, start, "a comment that does not end; */ is right",
					NULL, NULL, s->e);
		end += 2;
	}
	for (size_t i = start; i < end; i++)
		if (text[i] != '\n')
			text[i] = ' ';
	s->at = end;
	return true;
}

static bool skip_blanks(struct scan *s)
{
	const char *text = s->j->text;

	while (s->at < s->j->len) {
		char c = text[s->at];

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			s->at++;
		} else if (c == '/' && s->at + 1 < s->j->len &&
			   (text[s->at + 1] == '/' || text[s->at + 1] == '*')) {
			if (!skip_comment(s))
				return false;
		} else {
			break;
		}
	}
	return true;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static const char bad_escape[] = "not an escape of JSON; write one of \\\" \\/ \\\\ \\b \\f \\n "
				 "\\r \\t, or \\u and four hexadecimal digits";
static const char bad_number[] = "not a number of JSON; write digits, as 10, -1 or 0.5";

/* The escape at s->at, a backslash. */
static bool scan_escape(struct scan *s)
{
	const char *text = s->j->text;

	if (s->at + 1 < s->j->len && text[s->at + 1] != 'u') {
		if (!strchr("\"/\\bfrnt", text[s->at + 1]))
			return error_at(s->j, s->at, bad_escape, NULL, NULL, s->e);
		s->at += 2;
		return true;
	}
	for (size_t i = 2; i < 6; i++)
		if (s->at + i >= s->j->len || !is_hex(text[s->at + i]))
			return error_at(s->j, s->at, bad_escape, NULL, NULL, s->e);
	s->at += 6;
	return true;
}

static bool scan_string(struct scan *s)
{
	size_t start = s->at++;

	while (s->at < s->j->len && s->j->text[s->at] != '"') {
		unsigned char c = (unsigned char)s->j->text[s->at];

		if (c < 0x20)
			return error_at(s->j, s->at,
					"a line break or control character in a string",
					"; close the quotes or write \\n", NULL, s->e);
		if (c != '\\')
			s->at++;
		else if (!scan_escape(s))
			return false;
	}
	if (s->at >= s->j->len)
		return error_at(s->j, start,
				"a string that does not end; a quote in its line is right", NULL,
				NULL, s->e);
	s->at++;
	return true;
}

static void scan_digits(struct scan *s)
{
	while (s->at < s->j->len && s->j->text[s->at] >= '0' && s->j->text[s->at] <= '9')
		s->at++;
}

/* A number as JSON has it; what follows is the next state's business. */
static bool scan_number(struct scan *s)
{
	const char *text = s->j->text;
	size_t start = s->at, digits;

	if (text[s->at] == '-')
		s->at++;
	digits = s->at;
	scan_digits(s);
	if (s->at == digits || (text[digits] == '0' && s->at > digits + 1))
		return error_at(s->j, start, bad_number, NULL, NULL, s->e);
	if (s->at < s->j->len && text[s->at] == '.') {
		digits = ++s->at;
		scan_digits(s);
		if (s->at == digits)
			return error_at(s->j, start, bad_number, NULL, NULL, s->e);
	}
	if (s->at < s->j->len && (text[s->at] == 'e' || text[s->at] == 'E')) {
		s->at++;
		if (s->at < s->j->len && (text[s->at] == '+' || text[s->at] == '-'))
			s->at++;
		digits = s->at;
		scan_digits(s);
		if (s->at == digits)
			return error_at(s->j, start, bad_number, NULL, NULL, s->e);
	}
	return true;
}

static bool scan_word(struct scan *s)
{
	static const char *const words[] = {"true", "false", "null"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if (s->j->len - s->at >= n && memcmp(s->j->text + s->at, words[i], n) == 0) {
			s->at += n;
			return true;
		}
	}
	return unexpected(s);
}

static bool scan_open(struct scan *s, bool object)
{
	if (s->depth == JSON_DEPTH_MAX)
		return error_at(s->j, s->at, "nested deeper than 32 levels; that is the most", NULL,
				NULL, s->e);
	s->is_object &= ~(UINT64_C(1) << s->depth);
	s->is_object |= (uint64_t)object << s->depth;
	s->depth++;
	s->expect = object ? EXPECT_KEY : EXPECT_ELEMENT;
	s->at++;
	return true;
}

static bool scan_close(struct scan *s, bool object)
{
	if (s->depth == 0 || ((s->is_object >> (s->depth - 1)) & 1) != object)
		return unexpected(s);
	s->depth--;
	s->expect = s->depth ? EXPECT_COMMA : EXPECT_END;
	s->at++;
	return true;
}

static bool scan_value(struct scan *s)
{
	char c = s->j->text[s->at];
	bool ok;

	if (c == '{' || c == '[')
		return scan_open(s, c == '{');
	if (c == '"')
		ok = scan_string(s);
	else if (c == '-' || (c >= '0' && c <= '9'))
		ok = scan_number(s);
	else
		ok = scan_word(s);
	s->expect = s->depth ? EXPECT_COMMA : EXPECT_END;
	return ok;
}

static bool scan_comma(struct scan *s)
{
	bool object;

	CHECK(s->depth > 0);
	object = (s->is_object >> (s->depth - 1)) & 1;
	s->expect = object ? EXPECT_KEY : EXPECT_ELEMENT;
	s->at++;
	return true;
}

/* One token or mark, given what is expected. */
static bool scan_one(struct scan *s)
{
	char c = s->j->text[s->at];

	switch (s->expect) {
	case EXPECT_ROOT:
		return c == '{' || c == '[' ? scan_value(s) : unexpected(s);
	case EXPECT_VALUE:
		return scan_value(s);
	case EXPECT_ELEMENT:
		return c == ']' ? scan_close(s, false) : scan_value(s);
	case EXPECT_KEY:
		if (c == '}')
			return scan_close(s, true);
		if (c != '"')
			return unexpected(s);
		s->expect = EXPECT_COLON;
		return scan_string(s);
	case EXPECT_COLON:
		if (c == ',')
			return scan_comma(s);
		if (c == '}')
			return scan_close(s, true);
		if (c != ':')
			return unexpected(s);
		s->expect = EXPECT_VALUE;
		s->at++;
		return true;
	case EXPECT_COMMA:
		if (c == ',')
			return scan_comma(s);
		if (c == '}' || c == ']')
			return scan_close(s, c == '}');
		return unexpected(s);
	case EXPECT_END:
		return unexpected(s);
	}
	CHECK(false);
	return false;
}

static bool scan_text(struct json_text *j, struct rql_error *e)
{
	struct scan s = {.j = j, .expect = EXPECT_ROOT, .e = e};

	for (;;) {
		if (!skip_blanks(&s))
			return false;
		if (s.at == j->len)
			return s.expect == EXPECT_END || unexpected(&s);
		if (!scan_one(&s))
			return false;
	}
}

static enum json_type type_of_token(const struct json_text *j, const jsmntok_t *t)
{
	switch (t->type) {
	case JSMN_OBJECT:
		return JSON_OBJECT;
	case JSMN_ARRAY:
		return JSON_ARRAY;
	case JSMN_STRING:
		return JSON_STRING;
	case JSMN_PRIMITIVE:
	case JSMN_UNDEFINED:
		break;
	}
	switch (j->text[t->start]) {
	case 't':
	case 'f':
		return JSON_BOOL;
	case 'n':
		return JSON_NULL;
	default:
		return JSON_NUMBER;
	}
}

/* From jsmn's tokens to ours; a token's end in the list is its last child's, found from behind. */
static void take_tokens(struct json_text *j, const jsmntok_t *cut)
{
	for (uint32_t i = 0; i < j->ntokens; i++) {
		j->tokens[i].type = type_of_token(j, &cut[i]);
		j->tokens[i].start = (uint32_t)cut[i].start;
		j->tokens[i].end = (uint32_t)cut[i].end;
		j->tokens[i].has_value = cut[i].type == JSMN_STRING && cut[i].size > 0;
		j->tokens[i].next = i + 1;
	}
	for (uint32_t i = j->ntokens; i-- > 1;) {
		struct json_token *parent = &j->tokens[cut[i].parent];

		CHECK(cut[i].parent >= 0 && (uint32_t)cut[i].parent < i);
		if (parent->next < j->tokens[i].next)
			parent->next = j->tokens[i].next;
	}
}

static bool cut_text(struct json_text *j, struct rql_error *e)
{
	jsmn_parser parser;
	jsmntok_t *cut;
	int n;

	jsmn_init(&parser);
	n = jsmn_parse(&parser, j->text, j->len, NULL, 0);
	CHECK(n > 0);
	cut = calloc((size_t)n, sizeof(*cut));
	j->tokens = calloc((size_t)n, sizeof(*j->tokens));
	if (!cut || !j->tokens) {
		free(cut);
		return err_set(e, j->where, "out of memory", NULL, NULL);
	}
	jsmn_init(&parser);
	n = jsmn_parse(&parser, j->text, j->len, cut, (unsigned)n);
	CHECK(n > 0);
	j->ntokens = parser.toknext;
	take_tokens(j, cut);
	free(cut);
	return true;
}

bool json_text_parse(struct json_text *j, const char *where, const char *text, size_t len,
		     struct rql_error *e)
{
	memset(j, 0, sizeof(*j));
	j->where = where;
	if (len > JSON_TEXT_MAX)
		return err_set(e, where, "more than 32 MiB of JSON; that is the most", NULL, NULL);
	j->text = malloc(len + 1);
	if (!j->text)
		return err_set(e, where, "out of memory", NULL, NULL);
	if (len)
		memcpy(j->text, text, len);
	j->text[len] = 0;
	j->len = len;
	if (check_bytes(j, e) && scan_text(j, e) && cut_text(j, e))
		return true;
	json_text_free(j);
	return false;
}

void json_text_free(struct json_text *j)
{
	free(j->text);
	free(j->tokens);
	j->text = NULL;
	j->tokens = NULL;
	j->ntokens = 0;
}

struct json_walk json_walk(const struct json_text *j, uint32_t container)
{
	struct json_walk w = {j, container + 1, j->tokens[container].next};

	CHECK(container < j->ntokens);
	return w;
}

bool json_next_member(struct json_walk *w, struct json_member *m)
{
	const struct json_token *key;

	if (w->at == w->end)
		return false;
	CHECK(w->at < w->end);
	key = &w->j->tokens[w->at];
	CHECK(key->type == JSON_STRING);
	m->key = w->at;
	m->value = key->has_value ? w->at + 1 : JSON_NONE;
	w->at = key->next;
	return true;
}

bool json_next_element(struct json_walk *w, uint32_t *token)
{
	if (w->at == w->end)
		return false;
	CHECK(w->at < w->end);
	*token = w->at;
	w->at = w->j->tokens[w->at].next;
	return true;
}

enum json_type json_type_of(const struct json_text *j, uint32_t token)
{
	CHECK(token < j->ntokens);
	return j->tokens[token].type;
}

bool json_is(const struct json_text *j, uint32_t token, const char *s)
{
	const struct json_token *t = &j->tokens[token];

	return str_equal_n(j->text + t->start, t->end - t->start, s);
}

bool json_begins(const struct json_text *j, uint32_t token, const char *s)
{
	const struct json_token *t = &j->tokens[token];
	size_t n = strlen(s);

	return t->end - t->start >= n && memcmp(j->text + t->start, s, n) == 0;
}

static uint32_t hex_value(const char *s)
{
	uint32_t x = 0;

	for (int i = 0; i < 4; i++) {
		char c = s[i];
		int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;

		x = x * 16 + (uint32_t)digit;
	}
	return x;
}

/* UTF-8 of a character below 0x10000 that is no surrogate. */
static void append_character(struct buf *b, uint32_t x)
{
	if (x < 0x80) {
		buf_char(b, (char)x);
	} else if (x < 0x800) {
		buf_char(b, (char)(0xc0 | (x >> 6)));
		buf_char(b, (char)(0x80 | (x & 0x3f)));
	} else {
		buf_char(b, (char)(0xe0 | (x >> 12)));
		buf_char(b, (char)(0x80 | ((x >> 6) & 0x3f)));
		buf_char(b, (char)(0x80 | (x & 0x3f)));
	}
}

bool json_string(const struct json_text *j, uint32_t token, char *out, size_t cap,
		 struct rql_error *e)
{
	static const char escapes[] = "bfnrt", meant[] = "\b\f\n\r\t";
	const struct json_token *t = &j->tokens[token];
	struct buf b;

	CHECK(t->type == JSON_STRING);
	buf_init(&b, out, cap);
	for (uint32_t i = t->start; i < t->end; i++) {
		const char *escape;
		uint32_t x;

		if (j->text[i] != '\\') {
			buf_char(&b, j->text[i]);
			continue;
		}
		i++;
		if (j->text[i] != 'u') {
			escape = strchr(escapes, j->text[i]);
			buf_char(&b, escape ? meant[escape - escapes] : j->text[i]);
			continue;
		}
		x = hex_value(&j->text[i + 1]);
		if (x == 0 || (x >= 0xd800 && x < 0xe000))
			return json_error(j, token, "a zero or half a character in a name; ",
					  "write another name", NULL, e);
		append_character(&b, x);
		i += 4;
	}
	if (b.cut)
		return json_error(j, token, "a name of more than 255 bytes; write a shorter one",
				  NULL, NULL, e);
	return true;
}

static bool range_error(const struct json_text *j, uint32_t token, const char *name, int64_t low,
			int64_t high, struct rql_error *e)
{
	char what[128];
	struct buf b;

	buf_init(&b, what, sizeof(what));
	buf_str(&b, "\": out of range; write a whole number from ");
	buf_s64(&b, low);
	buf_str(&b, " to ");
	buf_s64(&b, high);
	return json_error(j, token, "\"", name, what, e);
}

bool json_integer(const struct json_text *j, uint32_t token, const char *name, int64_t low,
		  int64_t high, int64_t *out, struct rql_error *e)
{
	const struct json_token *t = &j->tokens[token];
	uint32_t at = t->start;
	bool negative;
	uint64_t x = 0;

	if (t->type != JSON_NUMBER)
		return json_error(j, token, "\"", name,
				  "\": not a number; write a whole one, as 10", e);
	negative = j->text[at] == '-';
	for (at += negative; at < t->end; at++) {
		if (j->text[at] < '0' || j->text[at] > '9')
			return json_error(
				j, token, "\"", name,
				"\": not a whole number; write it without point or exponent", e);
		if (x > (uint64_t)INT64_MAX / 10 - 1)
			return range_error(j, token, name, low, high, e);
		x = x * 10 + (uint64_t)(j->text[at] - '0');
	}
	*out = negative ? -(int64_t)x : (int64_t)x;
	if (*out < low || *out > high)
		return range_error(j, token, name, low, high, e);
	return true;
}
