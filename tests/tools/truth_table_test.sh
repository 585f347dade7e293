#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tools/truth_table.sh writes a table of what a command's cases say, between the two lines.
. "$(dirname "$0")/lib.sh"
cd "$tree" || exit 1

cat >command <<'EOF'
#!/bin/sh
case $2 in
list) printf 'case seconds title\n2010-x 1 other\ntruth-x 1 a title\n' ;;
run) cat <<'JSON'
{ "case": "truth-x", "holds": false, "figures": [
  {
    "name": "stat_hold",
    "published": null,
    "simulated": 0.5,
    "low": 0.7,
    "high": null,
    "unit": "1",
    "holds": false,
    "also": [
    ]
  },
  {
    "name": "stat_SMT_idle_lb_count_6.1",
    "published": 10,
    "published_low": 9,
    "published_high": 11,
    "simulated": 12,
    "low": 7.5,
    "high": 12.5,
    "unit": "count",
    "kind": "stat",
    "holds": true,
    "also": [
    ]
  },
  {
    "name": "stat_b_6.1",
    "published": 10,
    "published_low": 9,
    "published_high": 11,
    "simulated": 99,
    "low": 7.5,
    "high": 12.5,
    "unit": "count",
    "kind": "stat",
    "holds": false,
    "also": [
    ]
  },
  {
    "name": "time_c_6.1",
    "published": 5,
    "published_low": 5,
    "published_high": 5,
    "simulated": 5,
    "low": null,
    "high": null,
    "unit": "us",
    "kind": "time",
    "holds": true,
    "also": [
    ]
  }
] }
JSON
exit 1 ;;
esac
EOF
chmod +x command
printf 'before\n<!-- truth: begin -->\nold\n<!-- truth: end -->\nafter\n' >doc.md
printf '# comment\ntruth-* stat_b_* known\n' >causes.txt

passes 'a table is written' sh "$top/tools/truth_table.sh" ./command doc.md causes.txt
passes 'what stands around it stays' sh -c '[ "$(sed -n 1p doc.md)" = before ] && [ "$(tail -n 1 doc.md)" = after ]'
passes 'the old one is gone' sh -c '! grep -q "^old$" doc.md'
passes 'what is judged is counted' grep -q '^| stat: all | 2 | 1 | 50.0 % | - |$' doc.md
passes 'what is aimed at is counted by itself' grep -q '^| stat: switches, wake-ups, attempts, gains | 1 | 1 | 100.0 % | 70 % |$' doc.md
passes 'what is only shown is not' sh -c '! grep -q "^| time | [0-9]" doc.md'
passes 'a failure has its cause' grep -q '^| truth-x | stat_b_6.1 | 10 | 9 to 11 | 99 | known |$' doc.md
passes 'what holds is in the table' grep -q '^| truth-x | stat_SMT_idle_lb_count_6.1 | 10 | 9 to 11 | 12 | yes |$' doc.md
passes 'what is shown is in the table' grep -q '^| truth-x | time_c_6.1 | 5 | 5 to 5 | 5 | not judged |$' doc.md
cp doc.md again.md
passes 'it can be written again' sh "$top/tools/truth_table.sh" ./command again.md causes.txt
passes 'and stays the same' cmp doc.md again.md
sed 's/printf .case seconds title.*/printf "truth-x 1 t\\ntruth-dead 1 t\\n" ;;/; s/^run) cat/run) [ "$3" = truth-x ] || { echo died >\&2; exit 2; }; cat/' command >dying
chmod +x dying
finds 'a case that does not run is an error' died sh "$top/tools/truth_table.sh" ./dying again.md causes.txt
passes 'and is told in the table' grep -q '^truth-dead did not run: died$' again.md
passes 'beside those that do' grep -q '^| stat: all | 2 | 1 ' again.md
printf 'nothing\n' >none.md
finds 'a document without the lines is refused' 'no lines' sh "$top/tools/truth_table.sh" ./command none.md
exit $failed
