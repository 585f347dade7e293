# SPDX-License-Identifier: GPL-2.0-or-later
#
# awk -f match.awk WANT GOT: exit 0 when GOT is what WANT describes. In WANT a
# line of three dots stands for any number of lines, and three dots inside a
# line for any text.

function line_fits(want, got,    n, part, i, at)
{
	if (want == got)
		return 1
	n = split(want, part, "\\.\\.\\.")
	if (n < 2 || substr(got, 1, length(part[1])) != part[1])
		return 0
	got = substr(got, length(part[1]) + 1)
	for (i = 2; i < n; i++) {
		if (part[i] == "")
			continue
		at = index(got, part[i])
		if (!at)
			return 0
		got = substr(got, at + length(part[i]))
	}
	return length(got) >= length(part[n]) &&
		substr(got, length(got) - length(part[n]) + 1) == part[n]
}

FILENAME == ARGV[1] { want[++wants] = $0; next }
{ got[++gots] = $0 }

END {
	# The last run of dots takes one line more each time the rest does not fit.
	w = g = 1
	dots = 0
	while (g <= gots) {
		if (w <= wants && want[w] == "...") {
			dots = w++
			resume = g
		} else if (w <= wants && line_fits(want[w], got[g])) {
			w++
			g++
		} else if (dots) {
			w = dots + 1
			g = ++resume
		} else {
			exit 1
		}
	}
	while (w <= wants && want[w] == "...")
		w++
	exit w <= wants
}
