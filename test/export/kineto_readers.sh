#!/usr/bin/env bash
# TraceLens and HTA find in a Kineto export what lockstep itself says of the run (kineto_readers.py has what they read; the
# tools themselves need packages that are not installed here).
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/export/record.sh"
lockstep=$BUILD/lockstep
need python3 python3
reader() { python3 "$ROOT/test/export/kineto_readers.py" "$@"; }

record straggler "$TMP/run"
"$lockstep" export "$TMP/run" --to kineto -o "$TMP/kineto" >"$TMP/out"
"$lockstep" export "$TMP/run" --to csv -o "$TMP/csv" >"$TMP/out"
column() { head -1 "$TMP/csv/arrivals.csv" | tr , '\n' | grep -n "^$1\$" | cut -d: -f1; }
awk -F, -v rank="$(column rank)" -v last="$(column last)" -v wait="$(column wait_ns)" '
  NR > 1 { lasts[$rank] += $last; waits[$rank] += $wait }
  END { for (r in waits) printf "%d %d %.0f\n", r, lasts[r], waits[r] / 1000 }' "$TMP/csv/arrivals.csv" | sort -n >"$TMP/own"
reader tracelens "$TMP"/kineto/rank{0,1,2,3}.json >"$TMP/tracelens"
want_equal "who came last, and who waited how long, by TraceLens" "$(cat "$TMP/own")" "$(cat "$TMP/tracelens")"
want_equal "who came last most often" 2 "$(sort -nk2 "$TMP/tracelens" | tail -1 | cut -d' ' -f1)"

want_equal "the ranks that HTA finds, and how much of their time it takes for communication" \
  "$(printf '%s\n' '0 rank0.json 100' '1 rank1.json 100' '2 rank2.json 100' '3 rank3.json 100')" "$(reader hta "$TMP/kineto")"

"$lockstep" export "$TMP/run" --to kineto -o "$TMP/compressed" --gzip >"$TMP/out"
want_equal "compressed files" "rank0.json.gz rank1.json.gz rank2.json.gz rank3.json.gz" \
  "$(cd "$TMP/compressed" && echo rank*)"
want_equal "a compressed format of one file" 2 \
  "$(exit_code "$lockstep" export "$TMP/run" --to sqlite -o "$TMP/x" --gzip)"
sentence "a compressed format of one file" "--gzip is for formats with a file per process"
want_equal "TraceLens on compressed files" "$(cat "$TMP/own")" "$(reader tracelens "$TMP"/compressed/rank{0,1,2,3}.json.gz)"
want_equal "HTA on compressed files" "3 rank3.json.gz 100" "$(reader hta "$TMP/compressed" | tail -1)"
