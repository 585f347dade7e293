/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the JSON that people write by hand: with comments (both kinds),
 * trailing commas, keys that occur more than once, and keys without a value.
 * Members stay in the order of the text and every token knows its line and
 * column, so that errors can say where.
 *
 * json_text_parse(); walk with json_walk() and json_next_*(); json_text_free().
 * Tokens are numbers; the root is 0. The text is copied.
 *
 * Anything else that is not JSON is an error, and so is text that is not
 * UTF-8, holds a zero byte, is longer than JSON_TEXT_MAX bytes or nested deeper
 * than JSON_DEPTH_MAX. Time and memory are linear in the text.
 */
#ifndef RUNQLAB_IMPORT_JSON_TEXT_H
#define RUNQLAB_IMPORT_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* the result of a run on the largest machines is some 20 MB */
#define JSON_TEXT_MAX ((size_t)32 << 20)
#define JSON_DEPTH_MAX 32
#define JSON_NONE UINT32_MAX

enum json_type {
	JSON_OBJECT,
	JSON_ARRAY,
	JSON_STRING,
	JSON_NUMBER,
	JSON_BOOL,
	JSON_NULL,
};

struct json_token {
	enum json_type type;
	uint32_t start, end; /* bytes of the text; a string's without its quotes */
	uint32_t next;       /* the token after this one and all inside it */
	bool has_value;      /* a member's key: the next token is its value */
};

struct json_text {
	const char *where; /* for messages; must outlive this */
	char *text;        /* comments are blanks */
	size_t len;
	struct json_token *tokens;
	uint32_t ntokens;
};

bool json_text_parse(struct json_text *j, const char *where, const char *text, size_t len,
		     struct rql_error *e);
void json_text_free(struct json_text *j);

/* Sets an error at TOKEN; always false. */
bool json_error(const struct json_text *j, uint32_t token, const char *what_1, const char *what_2,
		const char *what_3, struct rql_error *e);

/* A walk over the members of an object or the elements of an array. */
struct json_walk {
	const struct json_text *j;
	uint32_t at, end;
};

struct json_member {
	uint32_t key;   /* a string token */
	uint32_t value; /* JSON_NONE: the key stands alone */
};

struct json_walk json_walk(const struct json_text *j, uint32_t container);
bool json_next_member(struct json_walk *w, struct json_member *m);
bool json_next_element(struct json_walk *w, uint32_t *token);

enum json_type json_type_of(const struct json_text *j, uint32_t token);
/* Is the string TOKEN, escapes not resolved, exactly S (or does it begin with S)? */
bool json_is(const struct json_text *j, uint32_t token, const char *s);
bool json_begins(const struct json_text *j, uint32_t token, const char *s);

/* The string TOKEN with its escapes resolved, in CAP bytes; longer is an error. */
bool json_string(const struct json_text *j, uint32_t token, char *out, size_t cap,
		 struct rql_error *e);
/* A whole number in [low, high]. NAME is the key it belongs to. */
bool json_integer(const struct json_text *j, uint32_t token, const char *name, int64_t low,
		  int64_t high, int64_t *out, struct rql_error *e);

#endif
