#!/usr/bin/env bash
# A job that hangs and still runs: once it has stood still for some seconds the missing rank is named; before that, nobody.
. "$(dirname "$0")/../lib.sh"
need jq jq
LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run LOCKSTEP_DUMP_INTERVAL_US=200000 "$BUILD/lockstep-emulate" --ranks 3 \
  --iterations 20 --rate 20 --hang-rank 2 --at 10 --stall-us 120000000 "$BUILD/libnccl-profiler.so" >"$TMP/played" &
job=$!
trap 'kill $job 2>/dev/null || true; rm -rf "$TMP"' EXIT
hangs() { # what stands still; a busy machine makes ranks late for real
  "$BUILD/lockstep" diagnose "$TMP/run" --json >"$TMP/answer" || [ $? = 1 ] || fail "diagnose ended with $?"
  jq -c '[.findings[] | select(.kind | IN("straggler", "slow_link", "slow_proxy", "machine_overloaded") | not)
    | [.kind, .op, .ordinal, .ranks, .culprits]]' "$TMP/answer"
}
for _ in $(seq 60); do
  [ -z "$(find "$TMP/run" -name '*.lks' 2>/dev/null)" ] || break
  sleep 0.1
done
want_equal "before it has stood still for 5 s" '[]' "$(hangs)"
for _ in $(seq 60); do # it takes 5 s of standing still, and a busy machine longer to get there
  sleep 1
  [ "$(hangs)" = '[]' ] || break
done
want_equal "verdict" '[["missing_rank","AllReduce",10,[0,1],[2]]]' "$(hangs)"
