#!/usr/bin/env bash
# The report of an emulated run: its counts are the truth's, its files are whole, it names the late rank, it never
# overwrites unasked, and it sees a run that became slower.
. "$(dirname "$0")/../lib.sh"
need jq jq

play() { # play RUN OPTIONS...
  run=$1
  shift
  LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all LOCKSTEP_HOST_LOAD=0 LOCKSTEP_DIR=$run "$BUILD/lockstep-emulate" --ranks 4 --iterations 60 \
    --rate 50 "$@" "$BUILD/libnccl-profiler.so" >"$run.truth"
}
report() { "$BUILD/lockstep" report "$@"; }
sum_of() { # sum_of FILE COLUMN KIND: over the lines of that kind
  awk -F, -v column="$2" -v kind="$3" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    $at["kind"] == kind { sum += $at[column] } END { print sum + 0 }' "$1"
}

play "$TMP/run" --sizes 64K 1M --sendrecv --late-rank 2 --late-us 20000 --late-fraction 0.3
report "$TMP/run" >"$TMP/head"
for file in summary.md operations.csv aggregate.csv top.csv report.html; do
  [ -s "$TMP/run/$file" ] || fail "no $file"
done
want_equal "collectives" "$(jq .starts.Coll "$TMP/run.truth")" "$(sum_of "$TMP/run/operations.csv" operations collective)"
want_equal "sends and receives" "$(jq .starts.P2p "$TMP/run.truth")" "$(sum_of "$TMP/run/operations.csv" operations p2p)"
want_equal "matched collectives" $(($(jq .starts.Coll "$TMP/run.truth") / 4)) "$(sum_of "$TMP/run/operations.csv" matches collective)"
grep -q "Late: rank 2 of world" "$TMP/head" || fail "the late rank is not on the terminal: $(cat "$TMP/head")"
grep -q "Late: rank 2 of world" "$TMP/run/summary.md" || fail "the late rank is not in summary.md"
grep -q "^Times: .*+-" "$TMP/head" || fail "nothing says how exact times are"

status=0
report "$TMP/run" >"$TMP/out" 2>"$TMP/err" || status=$?
want_equal "exit code over an existing report" 3 $status
grep -q -- "--force" "$TMP/err" || fail "nothing says how to replace a report: $(cat "$TMP/err")"
report "$TMP/run" --force --json --top 1 >"$TMP/numbers"
want_equal "operations in --json" "$(awk -F, '$1 == "operations" { print $2 }' "$TMP/run/aggregate.csv")" \
  "$(jq .operations "$TMP/numbers")"
want_equal "lines of one ranking" 1 "$(grep -c '^count,' "$TMP/run/top.csv")"
report "$TMP/run" --snapshot >"$TMP/out"
[ -s "$(find -L "$TMP/run/snapshot" -name summary.md)" ] || fail "no snapshot: $(cat "$TMP/out")"
want_equal "a snapshot's folder" "$(ls "$TMP/run/snapshot")" "$(basename "$(dirname "$(compgen -G "$TMP/run/summary/*Z/report.html")")")"
report "$TMP/run" --force >"$TMP/out"
grep -q "^- Since the snapshot summary/.*: nothing differs in [0-9]* figures\.$" "$TMP/run/summary.md" ||
  fail "the report does not compare with its snapshot: $(sed -n '/^## What ran/,/^## F/p' "$TMP/run/summary.md")"
sed -i 's/^operations,.*/operations,7/' "$TMP"/run/summary/*Z/aggregate.csv
report "$TMP/run" --force >"$TMP/out"
grep -q "^- Since the snapshot .*: operations 7 -> [0-9]*; [0-9]* figures the same\.$" "$TMP/run/summary.md" || fail "a difference is not said"

report "$TMP/run" -o "$TMP/same" --compare "$TMP/run" >"$TMP/out" || fail "a run became slower than itself: $(cat "$TMP/out")"
play "$TMP/slow" --sizes 64K 1M --sendrecv --late-rank 2 --late-us 60000
status=0
report "$TMP/slow" --compare "$TMP/run" >"$TMP/out" || status=$?
want_equal "exit code of a slower run" 1 $status
grep -q "^slower: AllReduce" "$TMP/out" || fail "the slower operation is not named: $(cat "$TMP/out")"

for wrong in nowhere empty; do
  [ $wrong = nowhere ] || mkdir "$TMP/$wrong"
  status=0
  report "$TMP/$wrong" >"$TMP/out" 2>"$TMP/err" || status=$?
  want_equal "exit code, $wrong" 3 $status
  [ -s "$TMP/err" ] || fail "$wrong: no sentence"
done
