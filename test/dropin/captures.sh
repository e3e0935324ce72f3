#!/usr/bin/env bash
# A capture by position begins with the same operation on every rank, whatever its speed: exactly that operation is the
# first that NCCL tells deep events of, and exactly the last one is the last. Afterwards all is as it was; a second
# capture, a late one and one whose process is killed leave nothing behind.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
job=
trap '[ -z "$job" ] || kill $job 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT

start() {  # start NAME [OPTION..]: a job of three ranks that calls 100 all-reduces a second
  run=$TMP/$1
  LOCKSTEP_DIR=$run LOCKSTEP_EVENTS=coll LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0 \
    "$BUILD/lockstep-emulate" --ranks 3 --rate 100 "${@:2}" "$BUILD/libnccl-profiler.so" >"$TMP/counts" 2>&1 &
  job=$!
  for _ in $(seq 300); do
    [ "$(find "$run" -name '*.ctl' 2>/dev/null | wc -l)" != 3 ] || [ "$(furthest)" = 0 ] || return 0
    sleep 0.1
  done
  fail "the job does not start: $(cat "$TMP/counts")"
}
ctl() { "$lockstep" ctl "$run" "$@"; }
furthest() { ctl progress | jq -s 'map(.communicators[0].position // 0) | max // 0'; }
all_say() { ctl capture status | jq -es --arg state "$1" 'length == 3 and all(.state == $state)' >/dev/null; }
wait_for() {  # wait_for STATE
  for _ in $(seq 600); do
    ! all_say "$1" || return 0
    sleep 0.1
  done
  fail "not all ranks are $1: $(ctl capture status)"
}

start run --iterations 700 --late-rank 1 --late-us 2000 --late-fraction 0.7
before=$(ctl status | jq -s 'map(.events) | unique')
comm=$(ctl progress | jq -rs '.[0].communicators[0].id')
from=$(($(furthest) + 150))
ctl capture arm early kinds=step by=position:"$comm":$from:25 >"$TMP/armed"
jq -es 'length == 3 and all(.state == "armed" and .position > 0)' "$TMP/armed" >/dev/null || fail "not armed: $(cat "$TMP/armed")"
ctl capture arm other kinds=step by=position:"$comm":$from:25 >"$TMP/second" && fail "a second capture was armed"
jq -es 'length == 3 and all(.capture == "early" and (.error | contains("already")))' "$TMP/second" >/dev/null ||
  fail "the second capture is not told of the first: $(cat "$TMP/second")"
wait_for stopped
ctl capture status early >"$TMP/told"
want_equal "positions that were told" "[$from,$((from + 25))]" \
  "$(jq -cs 'map([.start_position, .stop_position]) | unique | if length == 1 then .[0] else . end' "$TMP/told")"
want_equal "events after a capture" "$before" "$(ctl status | jq -s 'map(.events) | unique')"
want_equal "events told after a capture" "$before" "$(jq -s 'map(.events_after) | unique' "$TMP/told")"
ctl capture arm late kinds=step by=position:"$comm":1:25 >"$TMP/late"
jq -es 'length == 3 and all(.state == "late")' "$TMP/late" >/dev/null || fail "not late: $(cat "$TMP/late")"
wait $job || fail "the job failed: $(cat "$TMP/counts")"
job=

# NCCL's own number of a collective, as the emulator counts it, from 0.
"$lockstep" cat "$run" --kind Coll >"$TMP/colls"
"$lockstep" cat "$run" --kind KernelCh >"$TMP/kernels"
"$lockstep" cat "$run" --kind ProxyStep >"$TMP/steps"
[ -s "$TMP/steps" ] || fail "the capture has no network steps"
want_equal "operations with kernel channels, by process" "$(jq -cn --argjson from "$from" '[range(3) | [range($from - 1; $from + 24)]]')" \
  "$(jq -cn --slurpfile colls "$TMP/colls" --slurpfile kernels "$TMP/kernels" \
    '($colls | map(select(.call == "start") | {("\(.pid) \(.id)"): .seq_number}) | add) as $number
     | $kernels | map(select(.call == "start")) | group_by(.pid)
     | map(map($number["\(.pid) \(.parent)"]) | unique)')"
want_equal "channels that did not end" 0 \
  "$(jq -cn --slurpfile kernels "$TMP/kernels" '[$kernels[] | select(.call == "start")] as $starts
     | ($starts | length) - ([$kernels[] | select(.call == "stop")] | length)')"
# When the capture began is when the operation was called.
"$lockstep" cat "$run" --kind CollApi | jq -s --argjson from "$from" 'map(select(.call == "start")) | group_by(.pid)
  | map({pid: .[0].pid, start_ns: .[$from - 1].raw_ns, stop_ns: .[$from + 24].raw_ns})' >"$TMP/calls"
jq -en --slurpfile calls "$TMP/calls" --slurpfile told "$TMP/told" '
  def off(key): [$calls[0], $told | map(.[key]) | sort] | transpose | map(.[0] - .[1] | fabs) | max;
  off("start_ns") < 1000 and off("stop_ns") < 1000' >/dev/null ||
  fail "when it began and ended: $(cat "$TMP/calls" "$TMP/told")"
"$lockstep" verify "$run" >"$TMP/verify" || fail "a recording with a capture does not verify: $(cat "$TMP/verify")"
for note in "capture early started at position $from, " "capture early stopped at position $((from + 25)), " "capture late was armed too late"; do
  want_equal "notes '$note'" 3 "$(grep -c "$note" "$TMP/verify")"
done
# Operations outside of the capture have no deep events, which is no sign that they hang.
"$lockstep" diagnose "$run" >"$TMP/diagnosed" || true
! grep -q 'stuck\|aborted\|have been waiting' "$TMP/diagnosed" || fail "a capture looks like a hang: $(cat "$TMP/diagnosed")"

start killed --iterations 100000
ctl capture arm never kinds=step by=position:"$comm":1000000:5 >"$TMP/armed"
jq -es 'length == 3 and all(.state == "armed")' "$TMP/armed" >/dev/null || fail "not armed: $(cat "$TMP/armed")"
# shellcheck disable=SC2046
kill -9 $(ctl status | jq .pid)
wait $job 2>/dev/null || true
job=
"$lockstep" recover "$run" >"$TMP/recovered" 2>&1 || fail "$(cat "$TMP/recovered")"
"$lockstep" verify "$run" >"$TMP/verify" || fail "killed while armed, and does not verify: $(cat "$TMP/verify")"
! grep -q 'capture never started' "$TMP/verify" || fail "a capture started that was never reached"
[ "$("$lockstep" cat "$run" --kind KernelCh | wc -l)" = 0 ] || fail "deep events without a capture"
