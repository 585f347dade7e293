#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Slow readers of the sources, those that are installed. What they say is
# advice: the exit status is 1 when any of them has something to say.
#
#   tidy.sh SOURCE...
set -u
CC=${CC:-gcc}
flags='-std=c11 -D_POSIX_C_SOURCE=200809L -Isrc -Iinclude'
said=0
jobs=$(nproc 2>/dev/null || echo 1)
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
each()
{
	what=$1
	shift
	echo "== $what"
	if "$@" >"$out" 2>&1 && ! grep -q 'warning:\|error:' "$out"; then
		echo "nothing"
	else
		grep -v 'warnings\? generated\|Suppressed\|Use -header-filter' "$out"
		said=1
	fi
}
sources=$(mktemp) || exit 1
trap 'rm -f "$out" "$sources"' EXIT
printf '%s\n' "$@" >"$sources"
if command -v clang-tidy >/dev/null; then
	# shellcheck disable=SC2016
	each clang-tidy sh -c 'xargs -n 1 -P '"$jobs"' sh -c '\''
		clang-tidy --quiet --checks="clang-analyzer-*,bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-bugprone-macro-parentheses,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling" "$1" -- '"$flags"' 2>/dev/null'\'' sh <'"$sources"
fi
if command -v cppcheck >/dev/null; then
	each cppcheck sh -c 'cppcheck --quiet --inline-suppr --enable=warning,portability \
		--std=c11 -Isrc -Iinclude --template=gcc -j '"$jobs"' --file-list='"$sources"
fi
each "$CC -fanalyzer" sh -c "xargs -n 1 -P $jobs $CC $flags -O1 -fanalyzer -c -o /dev/null <$sources"
exit $said
