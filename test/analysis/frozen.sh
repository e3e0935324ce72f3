#!/usr/bin/env bash
# A process that is stopped by a signal while the job runs: it is named, and that it is stopped; so it is when all were
# killed since.
. "$(dirname "$0")/../lib.sh"
need jq jq
LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run LOCKSTEP_DUMP_INTERVAL_US=200000 "$BUILD/lockstep-emulate" --ranks 3 \
  --iterations 2000 --rate 20 --stall-us 250000000 --truth "$TMP/truth" "$BUILD/libnccl-profiler.so" >"$TMP/played" 2>&1 &
job=$!
pids=()
trap 'kill -9 $job "${pids[@]}" 2>/dev/null || true; rm -rf "$TMP"' EXIT

pid_of() { jq -r 'select(.type == "run") | .pid' "$TMP/truth.$1" 2>/dev/null; }
for _ in $(seq 60); do
  [ -n "$(pid_of 2)" ] && [ -n "$(pid_of 1)" ] && [ -n "$(pid_of 0)" ] && break
  sleep 0.5
done
for rank in 0 1 2; do pids+=("$(pid_of $rank)"); done
sleep 2
kill -STOP "${pids[1]}"

named() {
  "$BUILD/lockstep" diagnose "$TMP/run" --json >"$TMP/answer" 2>"$TMP/errors" || [ $? -eq 1 ] || return 1
  jq -c '[.findings[] | select(.kind | IN("straggler", "slow_link", "slow_proxy", "machine_overloaded") | not) | .culprits]' "$TMP/answer"
}
for _ in $(seq 60); do # it takes 5 s of standing still, and a busy machine longer to get there
  sleep 1
  [ "$(named)" = '[[1]]' ] && break
done
want_equal "while it is stopped" '[[1]]' "$(named)"
grep -q "is stopped by a signal (state T)" "$TMP/answer" || fail "why is not said: $(cat "$TMP/answer")"

kill -9 "${pids[@]}"
wait $job || true
want_equal "after all were killed" '[[1]]' "$(named)"
