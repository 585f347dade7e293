#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# C sources are laid out by clang-format 14 with .clang-format; other versions
# differ in small things and are not asked.
set -u
here=$(dirname "$0")
format=
for name in clang-format-14 clang-format; do
	if command -v $name >/dev/null && $name --version | grep -q 'version 14\.'; then
		format=$name
		break
	fi
done
[ -n "$format" ] || { echo "ok - format # SKIP no clang-format 14"; exit 0; }
faults=$(sh "$here/tree.sh" | grep '\.[ch]$' |
	xargs -n 8 -P "$(nproc 2>/dev/null || echo 1)" "$format" --dry-run 2>&1 | grep ': warning:')
if [ -n "$faults" ]; then
	echo "$faults" | sed 's/^/# /; s/: warning: .*/: not as clang-format writes it/' | sort -u |
		awk -F : '{ n[$1]++; if (n[$1] <= 3) print }'
	echo "not ok - format"
	exit 1
fi
echo "ok - format"
