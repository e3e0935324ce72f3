#!/usr/bin/env bash
# timeout: 400
# The disk that a job records on is full while it is asked: the job goes on, every process says how far what it told is
# known, and a verdict or an answer in SQL names the processes whose last records are in no file. When there is room
# again, nothing was lost.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
if [ "${1:-}" != inside ]; then
  unshare --mount true 2>/dev/null || skip "mount namespaces are not permitted here (root)"
  exec unshare --mount --propagation private "$0" inside
fi
mkdir "$TMP/small"
mount -t tmpfs -o size=8m none "$TMP/small" || skip "a small disk cannot be mounted here (root)"
run=$TMP/small/run
job='' AGENT_PID=''
cleanup() {
  # shellcheck disable=SC2046
  kill $job "$AGENT_PID" $(find "$run" -name '*.ctl' 2>/dev/null | sed 's/.*\.\([0-9]*\)\.ctl/\1/') 2>/dev/null || true
  wait
  umount --lazy "$TMP/small"  # its ranks may take a moment to end
  rm -rf "$TMP"
}
trap cleanup EXIT
wait_for() {  # wait_for SECONDS WHAT COMMAND...
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    [ $SECONDS -lt $end ] || fail "$what did not happen: $(cat "$TMP/job" "$TMP/out" "$TMP/err" 2>/dev/null)"
    sleep 0.1
  done
}
want_exit() {  # want_exit CODE COMMAND...: its output in $TMP/out and $TMP/err
  local wanted=$1 code=0
  shift
  "$@" >"$TMP/out" 2>"$TMP/err" || code=$?
  [ $code = "$wanted" ] || fail "'$*' ended with $code, not $wanted: $(head -c 2000 "$TMP/out") $(cat "$TMP/err")"
}
fill() { head -c 16M /dev/zero >"$TMP/small/filler" 2>/dev/null || true; }

LOCKSTEP_DIR=$run LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 "$BUILD/lockstep-emulate" --ranks 4 --iterations 100000 --rate 25 --ops allreduce \
  --sizes 1k --channels 1 --stall-us 600000000 "$BUILD/libnccl-profiler.so" >"$TMP/job" 2>&1 &
job=$!
records() { [ "$(find "$run" -name '*.ctl' 2>/dev/null | wc -l)" = 4 ]; }
wait_for 60 "that four ranks record" records
start_agent_here "$run"
ask() { "$lockstep" "$@" --agents "$AGENT_ADDRESS" --key "$AGENT_KEY" --timeout 60; }
want_exit 0 ask diagnose --live --json
want_equal "who failed while there is room" 0 "$(jq '.failed | length' "$TMP/out")"

fill
all_are_full() { [ "$(grep -c 'cannot write: No space left on device' "$TMP/job")" -ge 4 ]; }
wait_for 60 "that the disk is full for all" all_are_full

echo "progress: what each process has done lately is not known"
want_exit 1 ask progress --json
want_equal "processes that told how far they are" "1 4" "$(jq -r '"\(.hosts_answered) \(.progress | length)"' "$TMP/out")"
unknown() { jq "[.failed[].reason | select(test(\"^process [0-9]+: $1\"))] | length" "$TMP/out"; }
want_equal "processes of which the last is not known" 4 "$(unknown 'it cannot write what it records .a full disk.., so the last [0-9]+ s of it are not known$')"

echo "a verdict is not of what is in no file"
not_written='its last records are not in its files yet: not everything is written after five seconds: the disk is slow or full$'
want_exit 1 ask diagnose --live --json
want_equal "processes whose last records are missing, over the agent" 4 "$(unknown "$not_written")"
want_equal "and so not known" 4 "$(jq '[.not_known[] | select(contains("its last records are not in its files yet"))] | length' "$TMP/out")"
want_exit 1 "$lockstep" diagnose "$run" --live --json --timeout 60
want_equal "processes whose last records are missing, in place" 4 "$(unknown "$not_written")"
want_exit 1 "$lockstep" diagnose "$run" --live --json -t "$(jq -r .pid <("$lockstep" ctl "$run" status | head -1))" --timeout 60
want_equal "of one process" 1 "$(unknown "$not_written")"
want_exit 2 ask ctl flush --json
want_equal "processes that say that they cannot" 4 "$(jq '[.processes[].answer.error | select(contains("slow or full"))] | length' "$TMP/out")"
want_exit 0 ask ps --json
want_equal "processes that record all the same" 4 "$(jq '[.processes[] | select(.state == "recording" and .calls_not_recorded == 0 and .lag_ns > 0)] | length' "$TMP/out")"

echo "a capture that waits for something says whose records it cannot see; one that cannot be kept is refused"
"$lockstep" capture "$run" --when 'operation any > 60 s' --timeout 60 >"$TMP/out" 2>"$TMP/err" &
watch=$!
all_are_named() { [ "$(grep -c '^lockstep: host .*: process [0-9]*: its last records are not in its files yet' "$TMP/err")" = 4 ]; }
wait_for 60 "that the watch names four processes" all_are_named
kill $watch
want_exit 3 "$lockstep" capture "$run" --duration 1s
grep -q 'cannot write .*captures/.*: No space left on device' "$TMP/err" || fail "a capture that cannot be kept: $(cat "$TMP/err")"

echo "there is room again: all of it is known, and nothing was lost"
rm "$TMP/small/filler"
well() { ask progress --json >"$TMP/out" 2>"$TMP/err"; }
wait_for 60 "that everything is known again" well
want_exit 0 ask diagnose --live --json
want_equal "who failed when there was room" 0 "$(jq '.failed | length' "$TMP/out")"
ordinal() { jq '[.progress[].issued.ordinal] | min' "$TMP/out"; }
want_exit 0 ask progress --json
now=$(ordinal)
went_on() { ask progress --json >"$TMP/out" 2>"$TMP/err" && [ "$(ordinal)" -gt "$now" ]; }
wait_for 60 "that the job goes on" went_on
want_exit 0 "$lockstep" verify "$run"
