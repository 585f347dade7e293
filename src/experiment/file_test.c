/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiment/file.h"

static char folder[64];

static const char *in_folder(const char *name)
{
	static char path[4][128];
	static unsigned next;
	char *p = path[next++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", folder, name);
	return p;
}

static int make_folder(void **state)
{
	snprintf(folder, sizeof(folder), "/tmp/runqlab-file-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"a", "link", "out"};

	for (size_t i = 0; i < 3; i++)
		unlink(in_folder(names[i]));
	return rmdir(folder);
}

static void expect_text(const char *path, const char *text)
{
	struct rql_error e;
	size_t len;
	char *bytes = file_read(path, 100, &len, &e);

	assert_non_null(bytes);
	assert_string_equal(bytes, text);
	free(bytes);
}

static void test_a_file_appears_when_it_is_complete(void **state)
{
	struct rql_error e;
	struct out_file o;

	assert_true(out_open(&o, in_folder("a"), &e));
	fputs("new", o.f);
	assert_int_not_equal(access(in_folder("a"), F_OK), 0);
	assert_true(out_commit(&o, &e));
	expect_text(in_folder("a"), "new");

	assert_true(out_open(&o, in_folder("a"), &e));
	fputs("lost", o.f);
	out_abandon(&o);
	expect_text(in_folder("a"), "new");
}

static void test_a_link_stays_a_link(void **state)
{
	struct rql_error e;
	struct out_file o;
	struct stat st;

	assert_int_equal(symlink("a", in_folder("link")), 0);
	assert_true(out_open(&o, in_folder("link"), &e));
	fputs("through", o.f);
	assert_true(out_commit(&o, &e));
	assert_int_equal(lstat(in_folder("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	expect_text(in_folder("a"), "through");
}

static unsigned files_in_folder(void)
{
	DIR *d = opendir(folder);
	unsigned n = 0;

	for (const struct dirent *f; (f = readdir(d));)
		n += f->d_name[0] != '.' || strlen(f->d_name) > 2;
	closedir(d);
	return n;
}

/* What kills the process between opening and committing leaves nothing, if the disk can. */
static void test_a_file_being_written_has_no_name(void **state)
{
	unsigned before = files_in_folder();
	struct rql_error e;
	struct out_file o;

	assert_true(out_open(&o, in_folder("a"), &e));
	if (o.beside) {
		out_abandon(&o);
		skip();
	}
	fputs("text", o.f);
	fflush(o.f);
	assert_int_equal(files_in_folder(), before);
	assert_true(out_commit(&o, &e));
	expect_text(in_folder("a"), "text");
	assert_int_equal(files_in_folder(), before);
}

/* An open file under the name of a device is written, never replaced. */
static void test_what_lies_in_dev_is_not_replaced(void **state)
{
	int fd = open(in_folder("out"), O_RDWR | O_CREAT, 0600);
	struct rql_error e;
	struct out_file o;
	char path[32];

	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_true(out_open(&o, path, &e));
	assert_null(o.beside);
	fputs("direct", o.f);
	assert_true(out_commit(&o, &e));
	expect_text(in_folder("out"), "direct");
	close(fd);

	assert_true(out_open(&o, "/dev/null", &e));
	assert_null(o.beside);
	assert_true(out_commit(&o, &e));
	assert_false(out_open(&o, "/dev/no-such-thing", &e));
}

static void test_what_cannot_be_written_is_told(void **state)
{
	struct rql_error e;
	struct out_file o;

	assert_false(out_open(&o, folder, &e));
	assert_string_equal(e.where, folder);
	assert_false(out_open(&o, in_folder("none/a"), &e));
	assert_memory_equal(e.what, "cannot be written:", 18);
}

static void test_only_files_of_bounded_size_are_read(void **state)
{
	struct rql_error e;
	size_t len;

	assert_null(file_read(folder, 100, &len, &e));
	assert_memory_equal(e.what, "is a folder", 11);
	assert_null(file_read("/dev/zero", 100, &len, &e));
	assert_memory_equal(e.what, "larger than 100 bytes", 21);
	assert_null(file_read(in_folder("none"), 100, &len, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_appears_when_it_is_complete),
		cmocka_unit_test(test_a_link_stays_a_link),
		cmocka_unit_test(test_a_file_being_written_has_no_name),
		cmocka_unit_test(test_what_lies_in_dev_is_not_replaced),
		cmocka_unit_test(test_what_cannot_be_written_is_told),
		cmocka_unit_test(test_only_files_of_bounded_size_are_read),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
