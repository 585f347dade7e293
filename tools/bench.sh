#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the benchmarks and prints each figure with its change against
# bench/base.txt. Never fails.
#
#   bench.sh BUILD_DIR PROGRAM...
#
# A program, or an executable bench/*.sh called with BUILD_DIR, prints lines
# `name value unit`, and `# text` that is shown as it is; the stored file has
# the same lines.
build=${1:?build folder}
shift
out=build/bench.txt
mkdir -p build
for program in "$@" bench/*.sh; do
	[ -f "$program" ] || continue
	case $program in
	*.sh) sh "$program" "$build" ;;
	*) "$program" ;;
	esac || echo "bench: $program failed" >&2
done >"$out"
[ -s "$out" ] || { echo "bench: nothing to measure yet"; exit 0; }
base=bench/base.txt
[ -f "$base" ] || base=/dev/null
awk -v base="$base" '
BEGIN {
	while ((getline line < base) > 0) {
		split(line, field, " ")
		old[field[1]] = field[2]
	}
}
/^#/ { print; next }
NF >= 2 && $2 ~ /^[0-9.]+$/ {
	change = old[$1] > 0 ? sprintf("%+.1f %%", ($2 / old[$1] - 1) * 100) : "new"
	printf "%-40s %14s %-12s %s\n", $1, $2, $3, change
}' "$out"
echo "figures: $out; to store them: cp $out bench/base.txt"
exit 0
