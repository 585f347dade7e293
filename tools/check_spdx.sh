#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sources and scripts name their licence in their first three lines.
set -u
here=$(dirname "$0")
faults=$(sh "$here/tree.sh" | grep -E '(\.(c|h|S|def|sh|awk|py)|(^|/)Makefile|^\.ci/run|^\.clang-format)$' |
	while IFS= read -r file; do
		sed 3q "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-or-later' ||
			echo "# $file: no SPDX line"
	done)
[ -z "$faults" ] || { echo "$faults"; echo "not ok - licence lines"; exit 1; }
echo "ok - licence lines"
