#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Collects the `Linux:`, `Deviation:` and `Behaviour:` notes of the sources,
# with the function or structure they stand above, sorted by the kernel's name.
#
# A note runs to the next note, an empty comment line or the end of the comment.
find src include -name '*.[ch]' -o -name '*.def' 2>/dev/null | LC_ALL=C sort | xargs awk '
# Print what was collected, now that the line after the comment names its owner.
function flush(owner,    i)
{
	sub(/^[ \t]+/, "", owner)
	sub(/[ \t]*[{;].*/, "", owner)
	if (match(owner, /[A-Za-z_0-9]+\(/))
		owner = substr(owner, RSTART, RLENGTH) ")"
	for (i = 1; i <= n; i++)
		printf "%s\t%s\t%s:%d\t%s\n", kind[i], note[i], where[i], line[i], owner
	n = 0
	open = 0
}
# Cut notes that stand on one line (`Linux: ...   Deviation: ...`) apart.
function take(text,    rest, at)
{
	at = match(text, /(Linux|Deviation|Behaviour): /)
	if (!at) {
		if (open)
			note[n] = note[n] " " text
		return
	}
	if (open && at > 1)
		note[n] = note[n] " " substr(text, 1, at - 1)
	rest = substr(text, RSTART)
	n++
	open = 1
	kind[n] = substr(rest, 1, index(rest, ":") - 1)
	rest = substr(rest, index(rest, ":") + 2)
	where[n] = FILENAME
	line[n] = FNR
	note[n] = ""
	if (match(rest, /[ \t.;]+(Linux|Deviation|Behaviour): /)) {
		note[n] = substr(rest, 1, RSTART - 1)
		take(substr(rest, RSTART))
	} else {
		note[n] = rest
	}
}
FNR == 1 { flush(""); comment = 0 }
{
	text = $0
	starts = text ~ /\/\*/
	if (!comment && !starts) {
		if (n && text !~ /^[ \t]*$/)
			flush(text)
		next
	}
	comment = text !~ /\*\//
	sub(/^.*\/\*+[ \t]*/, "", text)
	sub(/^[ \t]*\*+[ \t]*/, "", text)
	sub(/[ \t]*\*\/.*/, "", text)
	if (text ~ /^[ \t\/]*$/)
		open = 0
	else
		take(text)
	if (!comment)
		open = 0
}
END { flush("") }' | sed 's/  */ /g; s/ *\t */\t/g' | LC_ALL=C sort -t '	' -k 1,1r -k 2,2 |
awk -F '\t' '{ printf "%-9s  %s\n           %s  %s\n", $1, $2, $3, $4 }'
