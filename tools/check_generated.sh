#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A file that says `Made by tools/gen_X; do not edit` is what that generator
# prints today. Generators are python3 scripts or C programs.
set -u
CC=${CC:-gcc}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0
count=0
skipped=
for file in $(find src include cases docs -type f 2>/dev/null | sort | xargs grep -lE 'Made by tools/gen_[A-Za-z0-9_]+\.[a-z]+'); do
	generator=$(sed -n 's|.*Made by \(tools/gen_[A-Za-z0-9_]*\.[a-z]*\).*|\1|p;T;q' "$file" | sed 1q)
	count=$((count + 1))
	case $generator in
	*.py)
		command -v python3 >/dev/null || { skipped="no python3"; continue; }
		python3 "$generator" >"$dir/out" 2>"$dir/err" ;;
	*.sh)
		sh "$generator" >"$dir/out" 2>"$dir/err" ;;
	*.c)
		command -v "$CC" >/dev/null || { skipped="no $CC"; continue; }
		"$CC" -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -Isrc "$generator" -o "$dir/gen" -lm \
			2>"$dir/err" && "$dir/gen" >"$dir/out" 2>>"$dir/err" ;;
	*)
		echo "# $file: cannot tell its generator"
		bad=1
		continue ;;
	esac || { sed 's/^/# /' "$dir/err"; bad=1; continue; }
	if ! cmp -s "$dir/out" "$file"; then
		echo "# $file is stale: $generator prints something else"
		bad=1
	fi
done
if [ $bad = 1 ]; then
	echo "not ok - generated files"
	exit 1
fi
[ -z "$skipped" ] || { echo "ok - generated files # SKIP $skipped"; exit 0; }
echo "ok - generated files"
