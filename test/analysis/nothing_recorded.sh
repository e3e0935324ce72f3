#!/usr/bin/env bash
# Where no operation was recorded nothing is called healthy: diagnose, its JSON, the report and its JSON say that there was
# nothing to judge and what to record, whether the kinds that tell of operations were off or nobody called NCCL with others.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
export LOCKSTEP_ENABLE=1 LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0
record() {  # record RUN RANKS [EVENTS]
  LOCKSTEP_DIR=$TMP/$1 ${3:+env LOCKSTEP_EVENTS="$3"} "$BUILD/lockstep-emulate" --ranks "$2" --iterations 20 "$BUILD/libnccl-profiler.so" >"$TMP/out" 2>&1 ||
    fail "$(cat "$TMP/out")"
}
record alone 1
record steps 2 ProxyStep
record groups 2 Group
record calls 2 CollApi

off="because the kinds of events that tell of operations were switched off"
for run in alone steps groups; do
  code=0
  "$lockstep" diagnose "$TMP/$run" >"$TMP/said" || code=$?
  want_equal "$run: exit code" 0 "$code"
  want_equal "$run: what is said first" "Nothing was recorded that could be judged." "$(head -1 "$TMP/said")"
  grep -q "^    What the ranks did is not known: no operation was recorded.* LOCKSTEP_EVENTS=proxy" "$TMP/said" || fail "$run: what to do is not said: $(cat "$TMP/said")"
  want_equal "$run: lines that say that kinds were off" "$([ $run = alone ] && echo 0 || echo 1)" "$(grep -c "$off" "$TMP/said")"
  "$lockstep" diagnose "$TMP/$run" --json >"$TMP/json"
  want_equal "$run: as JSON" "0 true" "$(jq -r '"\(.findings | length) \(.not_known[0] | startswith("What the ranks did is not known: no operation was recorded"))"' "$TMP/json")"
  "$lockstep" report "$TMP/$run" --force >"$TMP/head" || fail "$run: $(cat "$TMP/head")"
  want_equal "$run: the report's headline" "unknown: Nothing was recorded that could be judged." \
    "$("$lockstep" report "$TMP/$run" --force --json | jq -r '.headline | "\(.kind): \(.text)"')"
  ! grep -E "Nothing wrong found|Nothing is missing|no rank is late" "$TMP/$run/summary.md" "$TMP/head" "$TMP/said" || fail "$run: it is called healthy"
done
"$lockstep" diagnose "$TMP/calls" >"$TMP/said"
want_equal "what is said first where calls alone were recorded" "Nothing wrong found." "$(head -1 "$TMP/said")"
