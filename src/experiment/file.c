/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The new file lies in the same folder, so that the rename stays within one
 * file system, and gets the rights an ordinary new file would get. Where the
 * file system can, it has no name until it is complete: whatever ends the
 * process meanwhile leaves nothing behind. Elsewhere it has one of its own.
 * A symbolic link stays one: the file it leads to is replaced. Whatever lies
 * in /dev or /proc is opened as it is, even where it leads to a plain file.
 */
/* O_TMPFILE is Linux, realpath() is X/Open, not POSIX */
#define _GNU_SOURCE

#include "experiment/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "experiment/err_printf.h"

char *file_read(const char *path, size_t max, size_t *len, struct rql_error *e)
{
	FILE *f = fopen(path, "re");
	struct stat st;
	char *bytes;

	if (!f) {
		err_printf(e, path, "cannot be opened: %s; a readable file is needed",
			   strerror(errno));
		return NULL;
	}
	if (fstat(fileno(f), &st) != 0 || S_ISDIR(st.st_mode)) {
		fclose(f);
		err_printf(e, path, "is a folder; a file is needed");
		return NULL;
	}
	bytes = malloc(max + 2);
	if (!bytes) {
		fclose(f);
		err_printf(e, path, "out of memory");
		return NULL;
	}
	*len = fread(bytes, 1, max + 1, f);
	bytes[*len] = '\0';
	if (ferror(f) || *len > max) {
		err_printf(e, path,
			   *len > max ? "larger than %zu bytes; that is the most" :
					"cannot be read to its end (%zu bytes at most)",
			   max);
		fclose(f);
		free(bytes);
		return NULL;
	}
	fclose(f);
	return bytes;
}

const char *file_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool cannot_write(struct out_file *o, struct rql_error *e)
{
	err_printf(e, o->path, "cannot be written: %s; a place for a new file is needed",
		   strerror(errno));
	out_abandon(o);
	return false;
}

#define BESIDE_TRIES 100u /* of other processes, of other machines on one disk */

/* PATH's folder with its slash and room for a short name, "" for the working folder. */
static char *folder_of(const char *path)
{
	size_t n = (size_t)(file_base_name(path) - path);
	char *folder = malloc(n + sizeof(".runqlab-XXXXXX") + 24);

	if (!folder)
		return NULL;
	memcpy(folder, path, n);
	folder[n] = '\0';
	return folder;
}

/* A file without a name. NULL: this file system, or a system without /proc, has none. */
static FILE *open_unnamed(struct out_file *o)
{
	char *folder = folder_of(o->path);
	int fd = -1;

	if (folder && access("/proc/self/fd", X_OK) == 0)
		fd = open(*folder ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	free(folder);
	o->unnamed = fd >= 0;
	return fd < 0 ? NULL : fdopen(fd, "w");
}

/* Give O the name it is renamed from; false and errno. */
static bool name_it(struct out_file *o)
{
	char *name = folder_of(o->path), fd_path[32];
	size_t n = name ? strlen(name) : 0;
	bool ok = false;

	snprintf(fd_path, sizeof(fd_path), "/proc/self/fd/%d", fileno(o->f));
	for (unsigned i = 0; name && !ok && i < BESIDE_TRIES; i++) {
		sprintf(name + n, ".runqlab-%ld-%u", (long)getpid(), i);
		ok = linkat(AT_FDCWD, fd_path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
		if (!ok && errno != EEXIST)
			break;
	}
	if (ok)
		o->beside = name;
	else
		free(name);
	return ok;
}

static FILE *open_beside(struct out_file *o)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	o->beside = folder_of(o->path);
	if (!o->beside)
		return NULL;
	strcat(o->beside, ".runqlab-XXXXXX");
	fd = mkstemp(o->beside);
	if (fd < 0) {
		free(o->beside);
		o->beside = NULL;
		return NULL;
	}
	if (fchmod(fd, (mode_t)0666 & ~mask) != 0) {
		close(fd);
		return NULL;
	}
	return fdopen(fd, "w");
}

/* A file of the kernel, such as /dev/stderr: never to be replaced, whatever it leads to. */
static bool is_special(const char *path)
{
	return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

/* Where a rename puts the file: PATH, or what it leads to if it is a symbolic link. */
static char *final_place(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		return realpath(path, NULL);
	return strdup(path);
}

static FILE *open_directly(const char *path)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	return fd < 0 ? NULL : fdopen(fd, "a");
}

bool out_open(struct out_file *o, const char *path, struct rql_error *e)
{
	struct stat st;
	bool exists = stat(path, &st) == 0;

	CHECK(path != NULL);
	memset(o, 0, sizeof(*o));
	o->path = final_place(path);
	if (!o->path)
		return err_printf(e, path,
				  "cannot be written: %s; a place for a new file is needed",
				  strerror(errno));
	if (exists && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return cannot_write(o, e);
	}
	if (is_special(path) || is_special(o->path) || (exists && !S_ISREG(st.st_mode)))
		o->f = open_directly(path);
	else if (!(o->f = open_unnamed(o)))
		o->f = open_beside(o);
	return o->f ? true : cannot_write(o, e);
}

bool out_is_replaced(const struct out_file *o)
{
	return o->f && (o->unnamed || o->beside);
}

bool out_commit(struct out_file *o, struct rql_error *e)
{
	bool ok;

	CHECK(o->f != NULL);
	ok = fflush(o->f) == 0 && !ferror(o->f);
	ok = ok && (!o->unnamed || name_it(o));
	ok = fclose(o->f) == 0 && ok;
	o->f = NULL;
	if (!ok || (o->beside && rename(o->beside, o->path) != 0))
		return cannot_write(o, e);
	free(o->beside);
	free(o->path);
	memset(o, 0, sizeof(*o));
	return true;
}

void out_abandon(struct out_file *o)
{
	if (o->f)
		fclose(o->f);
	if (o->beside)
		unlink(o->beside);
	free(o->beside);
	free(o->path);
	memset(o, 0, sizeof(*o));
}
