#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The runners of transcripts, goldens and cases, with a command that is a script.
. "$(dirname "$0")/lib.sh"
cli="sh $top/tests/cli/run.sh"
golden="sh $top/tests/golden/run.sh"
cases="sh $top/tools/run_cases.sh quick build/runqlab results"
unset RUNQLAB_PREFIX

put build/runqlab <<'END'
#!/bin/sh
case "$1 $2" in
'say '*) shift; printf '%b\n' "$@" ;;
'fail '*) echo "runqlab: no" >&2; exit "$2" ;;
'run one') echo '{ "result": { "fingerprint": "00ff" } }' >"${3#--json=}" ;;
'run bad') exit 2 ;;
'case list') cat "$(dirname "$0")/list" ;;
'case run')
	echo "table of $3"
	[ "$3" != broken ] || exit 2
	echo '{}' >"${5#--json=}"
	[ "$3" = holds ] ;;
esac
END
chmod +x build/runqlab

put good.txt <<'END'
Prose before.

$ runqlab say 'a\n\nb 12 s' c
a
...
b ... s
c

$ runqlab fail 3
runqlab: no
# exit 3
Prose between.
$ cat >x <<X
> one
> X
$ cat x
one
END
passes 'a transcript that agrees passes' $cli build good.txt
printf '$ runqlab say a\nb\n' | put wrong.txt
finds 'other output is noticed' 'not ok - wrong' $cli build wrong.txt
printf '$ runqlab fail 1\nrunqlab: no\n' | put wrong.txt
finds 'another exit status is noticed' 'exit status 1, expected 0' $cli build wrong.txt
printf '$ runqlab say a b\na\n' | put wrong.txt
finds 'a line too many is noticed' 'not ok' $cli build wrong.txt
printf 'nothing here\n' | put wrong.txt
finds 'a transcript without commands is noticed' 'not ok' $cli build wrong.txt
printf 'p\n$ runqlab fail 2\nold\n\n$ runqlab say x...y\n...y\n' | put bless.txt
printf 'p\n$ runqlab fail 2\nrunqlab: no\n\n# exit 2\n$ runqlab say x...y\n...y\n' | put want.txt
passes 'bless rewrites what differs' sh -c "$cli --bless build bless.txt; cmp bless.txt want.txt"
passes 'and what it wrote passes' $cli build bless.txt

echo run one | put g/one/cmd
echo 00ff | put g/one/fingerprint
passes 'a golden that agrees passes' $golden build g/one
echo 00fe | put g/one/fingerprint
finds 'another fingerprint is noticed' 'not ok - golden one' $golden build g/one
passes 'bless stores the new one' sh -c "$golden --bless build g/one; grep -qx 00ff g/one/fingerprint"
echo run bad | put g/bad/cmd
finds 'a run that fails is noticed' 'no fingerprint' $golden build g/bad

echo '[ {"id": "holds", "cost_s": 1}, {"cost_s":2.5,"id":"open"} ]' | put build/list
passes 'cases that ran are success, whether they hold or not' $cases
passes 'what holds is counted' grep -q '^1 of 2 cases hold, 1 do not, 0 did not run' results/summary.txt
echo '[ {"id": "holds"}, {"id":"broken"} ]' | put build/list
finds 'a case that did not run is failure' '1 did not run' $cases
echo '[]' | put build/list
finds 'no case at all is failure' 'no cases found' $cases
exit $failed
