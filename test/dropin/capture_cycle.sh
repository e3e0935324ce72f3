#!/usr/bin/env bash
# LOCKSTEP_CAPTURE_EVERY records deep events in the same windows of time on all ranks, and none outside of them.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
LOCKSTEP_DIR=$TMP/run LOCKSTEP_EVENTS=coll LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0 LOCKSTEP_CAPTURE_EVERY=1s:300ms \
  LOCKSTEP_CAPTURE_EVENTS=kernel "$BUILD/lockstep-emulate" --ranks 2 --rate 100 --iterations 420 "$BUILD/libnccl-profiler.so" \
  >"$TMP/counts" 2>&1 || fail "the job failed: $(cat "$TMP/counts")"
"$lockstep" verify "$TMP/run" >"$TMP/verify" || fail "a recording with windows does not verify: $(cat "$TMP/verify")"
sed -n 's/.*process \([0-9]*\): .*capture every-\([0-9]*\) \(started\|stopped\).*raw_ns \([0-9]*\).*/{"pid":\1,"window":\2,"\3":\4}/p' "$TMP/verify" |
  jq -s 'group_by([.pid, .window]) | map(add)' >"$TMP/windows"
[ "$(jq 'group_by(.window) | map(select(length == 2)) | length' "$TMP/windows")" -ge 2 ] ||
  fail "fewer than two windows on both ranks: $(cat "$TMP/verify")"
"$lockstep" cat "$TMP/run" --kind KernelCh | jq -s 'map(select(.call == "start"))' >"$TMP/kernels"
"$lockstep" cat "$TMP/run" --kind Coll | jq -s 'map(select(.call == "start") | {("\(.pid) \(.id)"): .raw_ns}) | add' >"$TMP/colls"
want_equal "processes with deep events" 2 "$(jq 'map(.pid) | unique | length' "$TMP/kernels")"
# NCCL had read the mask when the call began: half a second is for threads that wait for a processor.
want_equal "operations with deep events outside of the windows" '[]' \
  "$(jq -cn --slurpfile colls "$TMP/colls" --slurpfile kernels "$TMP/kernels" --slurpfile windows "$TMP/windows" '
    [$kernels[0][] | {pid, ns: $colls[0]["\(.pid) \(.parent)"]}] | unique
    | map(. as $op | select([$windows[0][] | select(.pid == $op.pid and .started <= $op.ns
                                                    and (.stopped == null or $op.ns <= .stopped + 500000000))] == []))')"
want_equal "what is wrong with a cycle is said" 1 "$(LOCKSTEP_DIR=$TMP/wrong LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0 \
  LOCKSTEP_CAPTURE_EVERY=2s:60s "$BUILD/lockstep-emulate" --ranks 1 --iterations 2 "$BUILD/libnccl-profiler.so" 2>&1 |
  grep -c 'LOCKSTEP_CAPTURE_EVERY=2s:60s is no PERIOD:WINDOW')"
