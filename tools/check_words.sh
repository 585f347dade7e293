#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# No path of somebody's machine, no host of a package archive and no leftover
# marker in the tree or in commit messages. The patterns are written so that
# they do not match themselves.
set -u
here=$(dirname "$0")
patterns=$(mktemp) || exit 1
trap 'rm -f "$patterns"' EXIT
cat >"$patterns" <<'END'
/w[o]rk/(main|shared|\.library|\.mirror)
/t[m]p/bash_
/h[o]me/[a-z]
(^|[ "'=(])/r[o]ot/
\.libr[a]ry/
bash_j[o]bs
de[b]\.debian\.org
snapshot\.deb[i]an
registry\.n[p]mjs
n[o]desource
pypi\.[o]rg
proxy\.g[o]lang
pack[a]ges\.cloud
\bC[E]O\b
\bT[O]DO\b
\bFIX[M]E\b
\bX[X]X\b
before-st[o]p
[Cc]la[u]de
[Aa]nthr[o]pic
END
faults=$(sh "$here/tree.sh" | grep -v '^COPYING$' | tr '\n' '\0' |
	xargs -0 grep -nIE -f "$patterns" /dev/null | cut -c 1-160 | sed 's/^/# /')
if [ -e .git ] && command -v git >/dev/null && git rev-parse -q --verify HEAD >/dev/null 2>&1; then
	messages=$(git log -200 --format='%h %s%n%b' | grep -E -f "$patterns" | cut -c 1-120 |
		sed 's/^/# commit message: /')
	faults=$faults${messages:+"
$messages"}
fi
[ -z "$faults" ] || { echo "$faults"; echo "not ok - words"; exit 1; }
echo "ok - words"
