#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The goldens' fingerprints must not depend on compiler, optimisation, place,
# language, what memory held before, or where the program was loaded.
set -u
MAKE=${MAKE:-make}
CLANG=${CLANG:-clang}
if ! ls tests/golden/*/cmd >/dev/null 2>&1; then
	echo "determinism: skipped, no goldens"
	exit 0
fi
compilers=gcc
if command -v "$CLANG" >/dev/null; then
	compilers="gcc clang"
else
	echo "determinism: no $CLANG, gcc only"
fi
fixed=
if setarch -R true 2>/dev/null; then
	fixed='setarch -R'
else
	echo "determinism: address randomisation cannot be switched off here"
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0

# once LABEL BUILD [PREFIX]: all goldens in surroundings of their own
once()
{
	if TMPDIR=$dir RUNQLAB_PREFIX="${3:-}" sh tests/golden/run.sh "$2" >"$dir/out" 2>&1; then
		passed=$((passed + 1))
		echo "ok     $1"
	else
		failed=$((failed + 1))
		echo "FAILED $1"
		sed 's/^/       /' "$dir/out"
	fi
}

for compiler in $compilers; do
	for level in O0 O2 O3; do
		build=build/det-$compiler-$level
		if ! $MAKE VARIANT="det-$compiler-$level" all >"$dir/log" 2>&1; then
			tail -n 20 "$dir/log"
			echo "FAILED $compiler -$level: does not build"
			failed=$((failed + 1))
			continue
		fi
		once "$compiler -$level" "$build" "env LC_ALL=C"
		once "$compiler -$level, memory filled, other language and time zone" "$build" \
			"env MALLOC_PERTURB_=165 LC_ALL=C.UTF-8 LANG=de_DE.UTF-8 TZ=Asia/Tokyo X=1"
		[ -z "$fixed" ] || once "$compiler -$level, fixed addresses" "$build" "$fixed"
	done
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
