#!/usr/bin/env bash
# `lockstep capture --steps` on a job that marks its steps: every rank begins with the same step and ends that many later, which
# the tables confirm; the calls of other steps are not in it. A job without marks is told so.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
export LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0 LOCKSTEP_DIR=$TMP/run
jobs=()
trap 'kill "${jobs[@]}" 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
for rank in 0 1 2; do
  "$BUILD/lockstep-marks" "$BUILD/libnccl-profiler.so" --ranks 3 --rank $rank --steps 100000 --step-ms $((40 + 5 * rank)) --threads 1 >"$TMP/job$rank" 2>&1 &
  jobs+=($!)
done
steps_are_there() { [ "$("$lockstep" cat "$TMP/run" 2>/dev/null | grep -c '"step_begin"')" -gt 30 ]; }
for _ in $(seq 300); do
  steps_are_there && break
  sleep 0.2
done
steps_are_there || fail "the job marks no steps: $(cat "$TMP"/job*)"
code=0
"$lockstep" capture "$TMP/run" --steps 3 --events step --json >"$TMP/capture" 2>"$TMP/err" || code=$?
want_equal "exit code" 0 $code
want_equal "ranks and states" '[[0,"stopped"],[1,"stopped"],[2,"stopped"]]' "$(jq -c '[.ranks[] | [.rank, .state]]' "$TMP/capture")"
want_equal "steps that they began with" 1 "$(jq '[.ranks[].position] | unique | length' "$TMP/capture")"
step=$(jq .ranks[0].position "$TMP/capture")
want_equal "the rule" "step:$step:3" "$(jq -r .rule "$TMP/capture")"
kill "${jobs[@]}"
wait "${jobs[@]}" 2>/dev/null || true
jobs=()
"$lockstep" recover "$TMP/run" >/dev/null 2>&1 || true
need_duckdb "$TMP/run"
id=$(jq -r .id "$TMP/capture")
want_equal "operations of the capture, and their steps" "$(for rank in 0 1 2; do echo "$rank,6,$step,$((step + 2))"; done)" \
  "$("$lockstep" query "$TMP/run" --csv "SELECT rank, count(*), min(step), max(step) FROM operations WHERE capture = '$id' GROUP BY rank ORDER BY rank" | tail -n +2)"
