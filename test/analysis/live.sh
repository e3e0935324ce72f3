#!/usr/bin/env bash
# A job that hangs and still runs: within 15 s of the stall the verdict names the missing rank; before that, nobody.
. "$(dirname "$0")/../lib.sh"
need jq jq
LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run LOCKSTEP_DUMP_INTERVAL_US=200000 "$BUILD/lockstep-emulate" --ranks 3 \
  --iterations 20 --rate 20 --hang-rank 2 --at 10 --stall-us 60000000 "$BUILD/libnccl-profiler.so" >"$TMP/played" &
job=$!
trap 'kill $job 2>/dev/null || true; rm -rf "$TMP"' EXIT
sleep 2
status=0
"$BUILD/lockstep" diagnose "$TMP/run" --json >"$TMP/early" || status=$?
want_equal "exit code within two seconds" 0 $status
for _ in $(seq 13); do
  sleep 1
  status=0
  "$BUILD/lockstep" diagnose "$TMP/run" --json >"$TMP/answer" || status=$?
  [ $status -eq 0 ] || break
done
want_equal "exit code within 15 s" 1 $status
want_equal "verdict" '["missing_rank","AllReduce",10,[0,1],[2]]' \
  "$(jq -c '.findings[0] | [.kind, .op, .ordinal, .ranks, .culprits]' "$TMP/answer")"
