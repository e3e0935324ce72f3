#!/usr/bin/env bash
# `lockstep capture --when`: captures when an operation takes longer than asked, no more often than asked, and ends with the
# job; what never happens captures nothing.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
run=$TMP/run
job=
trap 'kill $job 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
LOCKSTEP_DIR=$run LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 "$BUILD/lockstep-emulate" --ranks 2 --iterations 100000 --rate 10 \
  --ops allreduce --sizes 1k --channels 1 --late-rank 1 --late-us 300000 --late-fraction 0.2 --stall-us 1e9 \
  "$BUILD/libnccl-profiler.so" >"$TMP/job" 2>&1 &
job=$!
for _ in $(seq 300); do
  [ "$(find "$run" -name '*.ctl' 2>/dev/null | wc -l)" = 2 ] && break
  sleep 0.1
done
code=0
"$lockstep" capture "$run" --when 'operation AllReduce takes long' >"$TMP/out" 2>"$TMP/err" || code=$?
want_equal "exit code for what is no condition" 2 $code
grep -q "write it as 'operation AllReduce > 50 ms'" "$TMP/err" || fail "$(cat "$TMP/err")"

"$lockstep" capture "$run" --when 'operation AllReduce > 1h' >"$TMP/never" 2>&1 &
never=$!
"$lockstep" capture "$run" --when 'operation AllReduce > 200 ms' --at-most 1 --operations 3 >"$TMP/out" 2>"$TMP/err" &
asker=$!
limited() { grep -q "no capture: --at-most 1 an hour" "$TMP/out"; }
for _ in $(seq 600); do
  limited && break
  sleep 0.1
done
limited || fail "it is not limited, or never happens: $(cat "$TMP/out" "$TMP/err")"
grep -qE "^AllReduce #[0-9]+ of rank 0 took [0-9.]+ (ms|s)$" "$TMP/out" || fail "it does not say what happened: $(cat "$TMP/out")"
kill -TERM $job
wait $job 2>/dev/null || true
code=0
wait $asker || code=$?
want_equal "exit code at the job's end" 0 $code
wait $never || fail "what never happened failed: $(cat "$TMP/never")"
grep -q "no process records there any more" "$TMP/never" || fail "$(cat "$TMP/never")"
want_equal "captures" 1 "$("$lockstep" captures list "$run" --json | jq length)"
want_equal "both ranks are whole" '["stopped"]' "$("$lockstep" captures list "$run" --json | jq -c '[.[0].ranks[].state] | unique')"
