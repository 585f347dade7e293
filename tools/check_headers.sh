#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each header compiles on its own, twice included.
set -u
CC=${CC:-gcc}
command -v "$CC" >/dev/null || { echo "ok - headers # SKIP no $CC"; exit 0; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export CC dir
# The warning a typedef-free translation unit would give is of no interest.
find src include tests/support -name '*.h' 2>/dev/null | sort |
	xargs -n 1 -P "$(nproc 2>/dev/null || echo 1)" sh -c '
		printf "#include \"%s\"\n#include \"%s\"\nint main(void);\n" "$1" "$1" |
			"$CC" -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wno-unused-function \
				-Wno-unused-const-variable -Werror -I. -Isrc -Iinclude -Itests/support \
				-fsyntax-only -x c - >"$dir/$(echo "$1" | tr / _)" 2>&1 ||
			echo "$1" >"$dir/bad_$(echo "$1" | tr / _)"' sh
if ls "$dir"/bad_* >/dev/null 2>&1; then
	for bad in $(cat "$dir"/bad_*); do
		echo "# $bad does not compile alone:"
		sed 5q "$dir/$(echo "$bad" | tr / _)" | sed 's/^/#   /'
	done
	echo "not ok - headers"
	exit 1
fi
echo "ok - headers"
