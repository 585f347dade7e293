#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzzes each src/**/x_fuzz.c: with clang and its runtime for SECONDS each by
# libFuzzer, starting from tests/fuzz/x/; without, the stored inputs are run
# once by a gcc build. What crashes is left in build/fuzz-found/.
#
#   fuzz.sh SECONDS SOURCE...
set -u
seconds=${1:?seconds}
shift
MAKE=${MAKE:-make}
CLANG=${CLANG:-clang}
[ $# -gt 0 ] || { echo "fuzz: no src/**/*_fuzz.c"; exit 0; }

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
echo 'int LLVMFuzzerTestOneInput(const char *p, long n) { return p && n > 99; }' >"$dir/t.c"
variant=fuzz
if "$CLANG" -fsanitize=fuzzer,address,undefined "$dir/t.c" -o "$dir/t" >/dev/null 2>&1; then
	variant=fuzz-clang
else
	echo "fuzz: no clang with libFuzzer, running the stored inputs"
fi
$MAKE VARIANT=$variant fuzzers || exit 1

mkdir -p build/fuzz-found
for corpus in tests/fuzz/*/; do
	name=$(basename "$corpus")
	case " $*" in
	*/"${name}_fuzz.c"*) ;;
	*) echo "FAILED $corpus is no target's: there is no ${name}_fuzz.c" && exit 1 ;;
	esac
done
passed=0
failed=0
for source in "$@"; do
	target=${source#src/}
	target=build/$variant/fuzz/${target%.c}
	name=$(basename "$source" _fuzz.c)
	corpus=tests/fuzz/$name
	mkdir -p "$dir/$name"
	if [ $variant = fuzz-clang ]; then
		[ -d "$corpus" ] || corpus=
		# shellcheck disable=SC2086
		"$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 \
			-artifact_prefix="build/fuzz-found/$name-" -print_final_stats=1 \
			"$dir/$name" $corpus >"$dir/log" 2>&1
	else
		find "$corpus" -type f 2>/dev/null | LC_ALL=C sort |
			xargs "$target" >"$dir/log" 2>&1
	fi
	status=$?
	if [ $status = 0 ]; then
		passed=$((passed + 1))
		echo "ok     $name: $(sed -n 's/.*number_of_executed_units: */executions: /p;s/^\([0-9]* inputs\)$/\1/p' "$dir/log" | tail -n 1)"
	else
		failed=$((failed + 1))
		echo "FAILED $name (status $status)"
		tail -n 40 "$dir/log"
	fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
