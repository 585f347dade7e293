#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/truth/ is what tools/truth_figures.py makes of the recordings today. Skipped without
# them, or without python3.
. "$(dirname "$0")/lib.sh"
shared=${RUNQLAB_SHARED:-../shared}
case $shared in /*) ;; *) shared=$top/$shared ;; esac
if [ ! -d "$shared/truth/data" ] || ! command -v python3 >/dev/null; then
	echo "ok - figures are those of the recordings # SKIP no recordings or no python3"
	exit 0
fi

compare()
{
	python3 "$top/tools/truth_figures.py" "$shared/truth/data" "$tree/out" || return 1
	for file in "$tree"/out/*; do
		cmp "$file" "$top/tests/truth/$(basename "$file")" || return 1
	done
	for file in "$top"/tests/truth/*.txt; do
		[ -f "$tree/out/$(basename "$file")" ] || { echo "$file: by nobody"; return 1; }
	done
}

passes "figures are those of the recordings" compare
passes "tables have seven columns in all lines" \
	awk '!/^#/ && FILENAME !~ /topo-/ && NF != 7 { print FILENAME ": " $0; bad = 1 } END { exit bad }' \
	"$top"/tests/truth/*.txt
exit $failed
