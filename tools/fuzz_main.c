/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Feeds stored inputs to a fuzz target where libFuzzer is not at hand: each
 * argument is a file. Every input is also tried cut short at each of its
 * first 64 lengths, since truncation is the commonest damage to a file.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of exactly SIZE bytes, so that a sanitizer sees a read beyond it. */
static void try_bytes(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static int try_file(const char *path)
{
	static uint8_t bytes[1 << 20];
	FILE *f = fopen(path, "rb");
	size_t size;

	if (!f) {
		perror(path);
		return 1;
	}
	size = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	for (size_t cut = 0; cut < 64 && cut < size; cut++)
		try_bytes(bytes, cut);
	try_bytes(bytes, size);
	return 0;
}

int main(int argc, char **argv)
{
	int bad = 0;

	for (int i = 1; i < argc; i++)
		bad |= try_file(argv[i]);
	printf("%d inputs\n", argc - 1);
	return bad;
}
