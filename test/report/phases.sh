#!/usr/bin/env bash
# Where symmetric kernels wait, in a report: rank 1 of two is 100 ms late in each of five all-gathers, so rank 0 waits that
# long on each of three channels until all have begun, and rank 1 waits least. The sums are those of SQL.
. "$(dirname "$0")/../lib.sh"
lockstep=$BUILD/lockstep
LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 --ops none --symmetric \
  --iterations 5 --channels 3 --late-rank 1 --late-us 100000 >/dev/null
"$lockstep" report "$TMP/run" >/dev/null || [ $? = 1 ] || fail "no report"
grep -q '^- Symmetric kernels: .* of their time until all ranks have begun, .* On world rank 1 waits least for the others to begin (.*), rank 0 most (' \
  "$TMP/run/summary.md" || fail "the answer: $(grep Symmetric "$TMP/run/summary.md")"
row=$(sed -n '/^## Symmetric kernels/,/^Covers/p' "$TMP/run/summary.md" | grep '^| world')
[[ $row == "| world | 90 | "*" | rank 1, "*" | rank 0, "* ]] || fail "the table: $row"
metric() { sed -n "s/^$1,//p" "$TMP/run/aggregate.csv"; }
want_equal "phases" 90 "$(metric kernel_phases)"

LOCKSTEP_DIR=$TMP/without "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 --ops none --symmetric --iterations 2 >/dev/null
"$lockstep" report "$TMP/without" >/dev/null || [ $? = 1 ] || fail "no report without phases"
! grep -q 'Symmetric kernels' "$TMP/without/summary.md" || fail "phases that were not recorded are told of"

need_duckdb "$TMP/run"
value() { "$lockstep" query "$TMP/run" --csv "$1" | tail -1; }
for phase in initial_sync compute final_sync; do
  want_equal "time in $phase" "$(value "SELECT CAST(sum(gpu_ns) AS BIGINT) FROM kernel_phases WHERE phase = '$phase'")" \
    "$(metric ${phase}_ns)"
  want_equal "time in $phase by channel" "$(value "SELECT CAST(sum(${phase}_ns) AS BIGINT) FROM channels")" "$(metric ${phase}_ns)"
done
