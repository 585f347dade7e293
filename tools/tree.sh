#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints the files of the project: those git knows and those it does not
# ignore (with --tracked only the former); in a tarball all but build/.
if [ -e .git ] && command -v git >/dev/null && git rev-parse --git-dir >/dev/null 2>&1; then
	others='--others --exclude-standard'
	[ "${1:-}" != --tracked ] || others=
	# shellcheck disable=SC2086
	git ls-files --cached $others |
		while IFS= read -r file; do [ ! -f "$file" ] || printf '%s\n' "$file"; done
else
	find . -path ./build -prune -o -path ./.git -prune -o -type f -print | sed 's|^\./||'
fi | LC_ALL=C sort
