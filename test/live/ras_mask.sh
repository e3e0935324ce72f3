#!/usr/bin/env bash
# Somebody tells a running job's RAS which events to send (CONTROL PROFILER_MASK, which asks nobody for a right): `verify`
# does not call a run complete whose kernels stopped coming, and notes events that nobody asked for.
. "$(dirname "$0")/../lib.sh"
# Bits of NCCL's own table. Fewer than 200 events of a kind prove nothing.
GROUP_API=$((1 << 8)) COLL_API=$((1 << 9)) COLL=$((1 << 1)) PROXY_STEP=$((1 << 4)) KERNEL_CH=$((1 << 6))
record() {  # record NAME MASK EVENTS
  LOCKSTEP_DIR=$TMP/$1 LOCKSTEP_EVENTS=$3 LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 "$BUILD/lockstep-emulate" --ranks 2 --iterations 600 --sizes 1k \
    --at 300 ${2:+--ras-mask "$2"} "$BUILD/libnccl-profiler.so" >"$TMP/counts" 2>&1 || fail "the job failed: $(cat "$TMP/counts")"
  code=0
  "$BUILD/lockstep" verify "$TMP/$1" >"$TMP/said" || code=$?
}
record alone "" proxy
want_equal "exit code where nobody touches the mask" 0 $code
! grep -q "changed" "$TMP/said" || fail "a mask that nobody touched: $(cat "$TMP/said")"

record withheld $((GROUP_API | COLL_API | COLL)) proxy
want_equal "exit code where kernels are withheld" 1 $code
grep -qE "^difference: .*KernelCh events stopped coming while Coll events went on.*RAS CONTROL PROFILER_MASK" "$TMP/said" ||
  fail "withheld kernels are not named: $(cat "$TMP/said")"
grep -q "^NOT complete" "$TMP/said" || fail "it is called complete: $(cat "$TMP/said")"

record added $((GROUP_API | COLL_API | COLL | KERNEL_CH | PROXY_STEP)) kernel
want_equal "exit code where events are added" 0 $code
grep -qE "^note: .*events that nobody asked for \(.*ProxyStep.*\): somebody changed its mask" "$TMP/said" ||
  fail "events that nobody asked for are not noted: $(cat "$TMP/said")"
