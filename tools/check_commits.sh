#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Subjects of the last 20 commits: `area: what it does now`, at most 72 columns.
set -u
if [ ! -e .git ] || ! command -v git >/dev/null || ! git rev-parse -q --verify HEAD >/dev/null 2>&1; then
	echo "ok - commits # SKIP no git"
	exit 0
fi
faults=$(git log -20 --no-merges --format='%h %s' | LC_ALL=C.UTF-8 awk '
{
	id = $1
	subject = substr($0, length(id) + 2)
	if (length(subject) > 72)
		print "# " id ": " length(subject) " columns: " subject
	else if (subject !~ /^[A-Za-z0-9_.\/ ,*+-]+: ./)
		print "# " id ": names no area: " subject
}')
[ -z "$faults" ] || { echo "$faults"; echo "not ok - commits"; exit 1; }
echo "ok - commits"
