# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of tools/: a small tree of one's own, in $tree, to plant faults in.
top=$(cd "$(dirname "$0")/../.." && pwd)
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
cd "$tree" || exit 1
failed=0

report()
{
	if [ "$1" = yes ]; then
		echo "ok - $2"
	else
		sed 's/^/# /' "$tree.out"
		echo "not ok - $2"
		failed=1
	fi
	rm -f "$tree.out"
}

# passes FACT COMMAND...: the command finds nothing wrong
passes()
{
	fact=$1
	shift
	"$@" >"$tree.out" 2>&1 && word=yes || word=no
	report $word "$fact"
}

# finds FACT PATTERN COMMAND...: the command fails and says so
finds()
{
	fact=$1
	pattern=$2
	shift 2
	word=no
	"$@" >"$tree.out" 2>&1 || { grep -q -e "$pattern" "$tree.out" && word=yes; }
	report $word "$fact"
}

# skips REASON FACT...
skips()
{
	reason=$1
	shift
	for fact in "$@"; do echo "ok - $fact # SKIP $reason"; done
}

# put FILE: standard input becomes that file of the tree
put()
{
	mkdir -p "$(dirname "$1")"
	cat >"$1"
}
