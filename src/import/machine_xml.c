/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hwloc says only that it cannot read a file, not where and why, and its
 * parser follows nested elements by recursion and sizes bitmaps by the numbers
 * it finds. One pass over the bytes settles that first: the file is text, its
 * root is <topology>, its elements are closed, nesting stays below DEPTH_MAX,
 * it defines no entities, and CPU and node numbers are of sane size. It is no
 * XML parser: names of closing tags and the contents of attributes are hwloc's
 * business.
 *
 * The pass copies what hwloc needs. Of the children of the root these are the
 * objects, the distances and the kinds of CPUs; all else (memory attributes,
 * supported features, places of PCI devices) is of no use here, and what hwloc
 * 3 added there is all that keeps hwloc 2 from reading its files. Only the name
 * of the architecture, which hwloc 3 keeps there, is picked out.
 *
 * Every step of the scan moves forward, so the time is linear in the bytes.
 */
#include "import/machine_xml.h"

#include "base/check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 128u      /* hwloc's own files nest below 30 */
#define OS_INDEX_MAX 65535u /* of CPUs and nodes: a bitmap of 8 KB */

struct scan {
	const char *bytes;
	const char *at, *end;
	const char *where;
	uint32_t depth;
	uint32_t skipped_depth; /* above 0: the element at this depth and all in it is left out */
	bool root_seen;
	struct machine_xml *xml;
	struct rql_error *e;
};

static bool fail(const struct scan *s, const char *what_1, const char *what_2, const char *what_3)
{
	uint32_t line = 1;

	for (const char *p = s->bytes; p < s->at; p++)
		line += *p == '\n';
	err_set(s->e, s->where, what_1, what_2, what_3);
	s->e->line = line;
	return false;
}

static bool starts_with(const struct scan *s, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(s->end - s->at) >= len && memcmp(s->at, word, len) == 0;
}

/* Move behind the next WORD. */
static bool skip_behind(struct scan *s, const char *word)
{
	size_t len = strlen(word);

	CHECK(len > 0);
	for (const char *p = s->at; (size_t)(s->end - p) >= len; p++) {
		p = memchr(p, word[0], (size_t)(s->end - p));
		if (!p || (size_t)(s->end - p) < len)
			break;
		if (memcmp(p, word, len) == 0) {
			s->at = p + len;
			return true;
		}
	}
	return fail(s, "the file ends before the next ", word, "; was it cut off?");
}

/* First occurrence of WORD in [at, end). */
static const char *find(const char *at, const char *end, const char *word)
{
	size_t len = strlen(word);

	for (; (size_t)(end - at) >= len; at++)
		if (memcmp(at, word, len) == 0)
			return at;
	return NULL;
}

/* The number of a CPU or node in the tag [at, end) must be usable as an index. */
static bool check_os_index(const struct scan *s, const char *at, const char *end)
{
	const char *value = find(at, end, " os_index=");
	uint64_t number = 0;

	if (!value)
		return true;
	if (!find(at, end, "\"PU\"") && !find(at, end, "\"NUMANode\"") && !find(at, end, "'PU'") &&
	    !find(at, end, "'NUMANode'"))
		return true;
	value += strlen(" os_index=") + 1;
	while (value < end && *value >= '0' && *value <= '9' && number <= OS_INDEX_MAX)
		number = number * 10 + (uint64_t)(*value++ - '0');
	if (number > OS_INDEX_MAX || (value < end && *value == '-'))
		return fail(s, "a CPU or node has an impossible number", "; 0 to 65535 is right",
			    NULL);
	return true;
}

static void copy(const struct scan *s, const char *start, const char *end)
{
	struct machine_xml *xml = s->xml;

	if (s->skipped_depth)
		return;
	CHECK(end >= start);
	memcpy(xml->bytes + xml->len, start, (size_t)(end - start));
	xml->len += (size_t)(end - start);
}

static bool tag_is(const char *at, const char *end, const char *name)
{
	size_t len = strlen(name);

	return (size_t)(end - at) > len && memcmp(at + 1, name, len) == 0 &&
	       strchr(" \t\r\n/>", at[1 + len]);
}

/* Is the child of the root whose tag is [at, end] of any use here? */
static bool child_is_wanted(const char *at, const char *end)
{
	static const char *const wanted[] = {"object", "distances2", "cpukind"};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (tag_is(at, end, wanted[i]))
			return true;
	return false;
}

/* <info name="Architecture" value="x86_64"/> below the root. */
static void note_architecture(const struct scan *s, const char *at, const char *end)
{
	const char *value = find(at, end, " value=\"");
	size_t len = 0;

	if (!value || !tag_is(at, end, "info") || !find(at, end, "\"Architecture\""))
		return;
	value += strlen(" value=\"");
	while (value < end && *value != '"' && len + 1 < sizeof(s->xml->arch_name))
		s->xml->arch_name[len++] = *value++;
	s->xml->arch_name[len] = '\0';
}

/* The root's tag [at, end]: version 3 is read as 2. */
static bool copy_root(struct scan *s, const char *at, const char *end)
{
	const char *version = find(at, end, " version=");
	static const char two[] = "2";
	const char *digit = version ? version + strlen(" version=\"") : end;

	if (!tag_is(at, end, "topology"))
		return fail(s, "the root of this XML is not <topology>",
			    "; a file that hwloc's lstopo wrote is needed", NULL);
	s->root_seen = true;
	if (digit >= end || *digit == '1' || *digit == '2') {
		copy(s, at, end + 1);
		return true;
	}
	if (*digit != '3')
		return fail(s, "the file is of an unknown version of hwloc's XML",
			    "; 1, 2 and 3 can be read", NULL);
	copy(s, at, digit);
	copy(s, two, two + 1);
	copy(s, digit + 1, end + 1);
	return true;
}

/* Find the '>' of the start tag at s->at; *END is there. */
static bool find_tag_end(const struct scan *s, const char **end)
{
	const char *p = s->at + 1;
	char quote = '\0';

	for (; p < s->end && (quote || *p != '>'); p++) {
		if (quote)
			quote = *p == quote ? '\0' : quote;
		else if (*p == '"' || *p == '\'')
			quote = *p;
		else if (*p == '<')
			return fail(s, "a tag is not closed before the next", "; add a '>'", NULL);
	}
	*end = p;
	return p < s->end || fail(s, "the file ends inside a tag", "; was it cut off?", NULL);
}

/* s->at is at the '<' of a start tag. */
static bool scan_start_tag(struct scan *s)
{
	const char *start = s->at;
	const char *end = start;
	bool open;

	if (!find_tag_end(s, &end) || !check_os_index(s, start, end))
		return false;
	open = end[-1] != '/';
	s->depth++;
	if (s->depth > DEPTH_MAX)
		return fail(s, "elements are nested deeper than 128", "; hwloc nests below 30",
			    NULL);
	if (s->depth == 2 && !s->skipped_depth && !child_is_wanted(start, end)) {
		s->skipped_depth = s->depth;
		note_architecture(s, start, end);
	}
	if (s->depth > 1)
		copy(s, start, end + 1);
	else if (s->root_seen)
		return fail(s, "there is a second root element", "; one <topology> is right", NULL);
	else if (!copy_root(s, start, end))
		return false;
	if (!open && s->skipped_depth == s->depth)
		s->skipped_depth = 0;
	if (!open)
		s->depth--;
	s->at = end + 1;
	return true;
}

static bool scan_end_tag(struct scan *s)
{
	const char *start = s->at;

	if (s->depth == 0)
		return fail(s, "an element is closed that was not opened", "; remove it", NULL);
	if (!skip_behind(s, ">"))
		return false;
	copy(s, start, s->at);
	if (s->skipped_depth == s->depth)
		s->skipped_depth = 0;
	s->depth--;
	return true;
}

/* s->at is at a '<'. */
static bool scan_markup(struct scan *s)
{
	const char *start = s->at;

	if (starts_with(s, "<!--"))
		return skip_behind(s, "-->");
	if (starts_with(s, "<?"))
		return skip_behind(s, "?>");
	if (starts_with(s, "<![CDATA["))
		return skip_behind(s, "]]>");
	if (starts_with(s, "<!")) {
		if (!skip_behind(s, ">"))
			return false;
		if (memchr(start, '[', (size_t)(s->at - start)) || find(start, s->at, "ENTITY"))
			return fail(s, "the file defines entities or elements of its own",
				    "; hwloc's files do not", NULL);
		return true;
	}
	if (starts_with(s, "</"))
		return scan_end_tag(s);
	return scan_start_tag(s);
}

static bool check_is_xml(struct scan *s)
{
	if (s->at == s->end)
		return fail(s, "the file is empty",
			    "; an hwloc XML file is needed, `lstopo FILE.xml` "
			    "writes one",
			    NULL);
	if (starts_with(s, "\xef\xbb\xbf"))
		s->at += 3;
	if (memchr(s->at, '\0', (size_t)(s->end - s->at)))
		return fail(s, "this is a binary file",
			    "; an hwloc XML file is needed, `lstopo FILE.xml` writes one", NULL);
	while (s->at < s->end && strchr(" \t\r\n", *s->at))
		s->at++;
	if (s->at == s->end || *s->at != '<')
		return fail(s, "this is no XML file",
			    "; a machine is an hwloc XML file (`lstopo FILE.xml` writes one) or a "
			    "folder that holds sys/devices/system",
			    NULL);
	return true;
}

static bool scan_all(struct scan *s)
{
	if (!check_is_xml(s))
		return false;
	while (s->at < s->end) {
		const char *next = memchr(s->at, '<', (size_t)(s->end - s->at));

		if (!next)
			break;
		copy(s, s->at, next);
		s->at = next;
		if (!scan_markup(s))
			return false;
	}
	s->at = s->end;
	if (s->depth > 0)
		return fail(s, "the file ends before all elements are closed", "; was it cut off?",
			    NULL);
	if (!s->root_seen)
		return fail(s, "the file has no <topology>",
			    "; a file that hwloc's lstopo wrote is needed", NULL);
	return true;
}

bool machine_xml_prepare(const char *bytes, size_t len, const char *where, struct machine_xml *xml,
			 struct rql_error *e)
{
	struct scan s = {bytes, bytes, bytes + len, where, 0, 0, false, xml, e};

	memset(xml, 0, sizeof(*xml));
	if (len > MACHINE_XML_BYTES_MAX)
		return err_set(e, where, "the file is larger than 64 MB",
			       "; an hwloc XML file of 4096 CPUs takes 8 MB", NULL);
	/* What is copied is never longer than what is read. */
	xml->bytes = malloc(len + 1);
	if (!xml->bytes)
		return err_set(e, where, "no memory to read the file", "; free some", NULL);
	if (!scan_all(&s)) {
		free(xml->bytes);
		memset(xml, 0, sizeof(*xml));
		return false;
	}
	CHECK(xml->len <= len);
	xml->bytes[xml->len++] = '\0';
	return true;
}
