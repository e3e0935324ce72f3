#!/usr/bin/env bash
# Processes in four known places, one of them Python code in a ctypes call: `lockstep stacks` finds each place with
# exactly its ranks, in every form of its output, and each process by itself. LONG=1: 64 processes instead of 16.
. "$(dirname "$0")/../lib.sh"
need jq jq
need python3 python3
. "$ROOT/test/live/libdw.sh"
lockstep=$BUILD/lockstep
ranks=$([ -n "${LONG:-}" ] && echo 64 || echo 16)
LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 LOCKSTEP_BUFFER_MB=4 \
  "$BUILD/lockstep-places" "$BUILD/libnccl-profiler.so" --ranks "$ranks" --python "$ROOT/test/live/stands_in_ctypes.py" \
  >"$TMP/places" 2>"$TMP/err" &
job=$!
trap 'kill $job 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
for _ in $(seq 600); do
  [ "$(wc -l <"$TMP/places")" != "$ranks" ] || break
  kill -0 $job || fail "the job has ended: $(cat "$TMP/err")"
  sleep 0.1
done

"$lockstep" stacks "$TMP/run" --json --timeout 60 >"$TMP/json" || fail "not everything was read: $(cat "$TMP/json")"
want_equal "processes" "$ranks" "$(jq '.stacks | length' "$TMP/json")"
want_equal "hosts" "1 1" "$(jq -r '"\(.hosts_asked) \(.hosts_answered)"' "$TMP/json")"
# Rank, process and place as the job itself tells them, beside what the stacks say.
jq -r '.stacks[] | . as $row | .threads[] | select(.tid == $row.pid) | [.frames[].function] |
  if index("loads_data") then "\($row.rank) \($row.pid) python"
  else "\($row.rank) \($row.pid) \(map(select(. == "reads_a_pipe" or . == "waits_for_a_lock" or . == "sleeps_in_a_loop"))[0])"
  end' "$TMP/json" | sort -n >"$TMP/found"
sort -n "$TMP/places" | diff - "$TMP/found" || fail "ranks and places differ from the job's own account"
jq -e '[.stacks[].threads[] | select(.moved and .tid > 0) ] | length == 0' "$TMP/json" >/dev/null ||
  fail "a thread that stands still is said to have moved"
# Python functions stand in the order of their calls, with file and line.
jq -e '[.stacks[].threads[] | [.frames[] | select(.module == "python") | .function] |
  select(length > 0) | .[-2:] == ["loads_data", "reads_in_c"]] | length > 0 and all' "$TMP/json" >/dev/null ||
  fail "the Python functions are not in order: $(jq -c '.stacks[3].threads' "$TMP/json")"
line=$(grep -n 'CDLL(None).pause' "$ROOT/test/live/stands_in_ctypes.py" | cut -d: -f1)
want_equal "line of the Python call" "$line" \
  "$(jq '[.stacks[].threads[].frames[] | select(.function == "reads_in_c") | .line] | unique[]' "$TMP/json")"

"$lockstep" stacks "$TMP/run" --threads main --timeout 60 >"$TMP/text" || fail "the text fails: $(cat "$TMP/text")"
expected() { seq "$1" 4 $((ranks - 1)) | paste -sd,; }  # rank r stands in the place r modulo 4
for place in 0:reads_a_pipe 1:waits_for_a_lock 2:sleeps_in_a_loop 3:reads_in_c; do
  grep -q "  ranks $(expected "${place%%:*}") ($((ranks / 4))): ${place#*:} (" "$TMP/text" ||
    fail "no line with ranks $(expected "${place%%:*}") in ${place#*:}: $(cat "$TMP/text")"
done

"$lockstep" stacks "$TMP/run" --ranks 1,2 --threads main --timeout 60 >"$TMP/some" || fail "--ranks fails: $(cat "$TMP/some")"
grep -q '^2 processes' "$TMP/some" || fail "--ranks 1,2 is not two processes: $(cat "$TMP/some")"
"$lockstep" stacks "$TMP/run" --folded --threads main --samples 1 --timeout 60 >"$TMP/folded" || fail "--folded fails"
want_equal "samples in folded lines" "$ranks" "$(awk '{ n += $NF } END { print n }' "$TMP/folded")"
grep -q '^main;.*;waits_for_a_lock;' "$TMP/folded" || fail "a stack is missing: $(cat "$TMP/folded")"
"$lockstep" stacks "$TMP/run" --speedscope --threads main --samples 1 --timeout 60 >"$TMP/speedscope" || fail "--speedscope fails"
jq -e --argjson ranks "$ranks" '(.profiles[0].weights | add) == $ranks and
  ([.profiles[].samples[][]] | max) < (.shared.frames | length) and
  (.profiles[0].samples | length) == (.profiles[0].weights | length)' "$TMP/speedscope" >/dev/null ||
  fail "speedscope's file does not add up: $(cat "$TMP/speedscope")"

# One process by its number, whether it records or not.
pid=$(awk '$3 == "waits_for_a_lock" { print $2; exit }' "$TMP/places")
"$lockstep" stacks "$pid" | grep -q 'rank 1: waits_for_a_lock (main.cc:' || fail "not found by its process id"
"$lockstep" stacks $job | grep -q 'main' || fail "a process that records nothing is not read"
status=0
"$lockstep" stacks 4194304 >"$TMP/out" 2>"$TMP/err2" || status=$?
want_equal "exit code of a process that is not there" 3 $status
grep -q "there is no process 4194304" "$TMP/err2" || fail "it does not say so: $(cat "$TMP/err2")"
for wrong in '--ranks 3-1' '--samples 0' '--threads some' '--json --folded'; do
  status=0
  # shellcheck disable=SC2086
  "$lockstep" stacks "$TMP/run" $wrong >/dev/null 2>&1 || status=$?
  want_equal "exit code of $wrong" 2 $status
done
