#!/usr/bin/env bash
# A hang that a watchdog ends: the first process it kills, and then all, leave a verdict that names who was missing, not
# who was killed for waiting.
. "$(dirname "$0")/../lib.sh"
need jq jq
LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-emulate" --ranks 4 --iterations 20 --rate 20 --hang-rank 2 --at 10 \
  --stall-us 250000000 --truth "$TMP/truth" "$BUILD/libnccl-profiler.so" >"$TMP/played" 2>&1 &
job=$!
pids=()
trap 'kill -9 $job "${pids[@]}" 2>/dev/null || true; rm -rf "$TMP"' EXIT

verdict() {
  "$BUILD/lockstep" diagnose "$TMP/run" --json >"$TMP/answer" 2>"$TMP/errors" || [ $? -eq 1 ] || return 1
  jq -c '.findings[0] | [.kind, .op, .ordinal, .culprits]' "$TMP/answer"
}
MISSING='["missing_rank","AllReduce",10,[2]]'
for _ in $(seq 120); do # it takes 5 s of standing still, and a busy machine longer to get there
  [ "$(verdict)" = "$MISSING" ] && break
  sleep 1
done
want_equal "while all wait" "$MISSING" "$(verdict)"
for rank in 0 1 2 3; do pids+=("$(jq -r 'select(.type == "run") | .pid' "$TMP/truth.$rank")"); done

kill -ABRT "${pids[0]}"
for _ in $(seq 60); do
  verdict >"$TMP/said"
  grep -q "rank 0 died after waiting inside" "$TMP/answer" && break
  sleep 1
done
want_equal "after rank 0 was killed" "$MISSING" "$(cat "$TMP/said")"
grep -q "rank 0 died after waiting inside" "$TMP/answer" || fail "the death is not mentioned: $(cat "$TMP/answer")"

kill -9 "${pids[@]:1}"
wait $job || true
want_equal "after all were killed" "$MISSING" "$(verdict)"
