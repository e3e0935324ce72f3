#!/usr/bin/env bash
# timeout: 900
# LOCKSTEP_OVERHEAD_PERCENT: a load that costs more loses kinds in the documented order, operations never; when the load
# ends one class comes back; every change is in the recording.
. "$(dirname "$0")/../lib.sh"
need jq jq
# A storm costs tens of percent of a core even on a busy machine, a waiting process below one.
LOCKSTEP_DIR=$TMP/run LOCKSTEP_EVENTS=all LOCKSTEP_OVERHEAD_PERCENT=5 LOCKSTEP_MAX_DISK_MB=64 LOCKSTEP_CLOCK=0 \
  "$BUILD/lockstep-storm" "$BUILD/libnccl-profiler.so" --threads 1 --seconds 30 --end wait >"$TMP/storm.out" 2>&1 &
storm=$!
trap 'kill $storm 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
held_back() { "$BUILD/lockstep" ctl "$TMP/run" status 2>/dev/null | jq -r .held_back 2>/dev/null || true; }
wait_for() { # yes|no KIND: until the kind is, or is no longer, held back
  local now
  for _ in $(seq 3000); do
    kill -0 $storm 2>/dev/null || fail "the storm ended: $(cat "$TMP/storm.out")"
    now=$(held_back)
    case $now in
      '') ;; # no answer yet
      *$2*) [ "$1" = yes ] && return ;;
      *) [ "$1" = no ] && return ;;
    esac
    sleep 0.1
  done
  fail "held back is '$now'; waited for $2: $1"
}
wait_for yes KernelCh
wait_for no KernelCh # the storm is over
"$BUILD/lockstep" ctl "$TMP/run" flush >"$TMP/flush" || fail "no flush: $(cat "$TMP/flush")"
kill -9 $storm
wait $storm || true
"$BUILD/lockstep" recover "$TMP/run" >"$TMP/recover" 2>&1 || true
"$BUILD/lockstep" verify "$TMP/run" >"$TMP/verify" 2>&1 || fail "the recording does not verify: $(cat "$TMP/verify")"
grep -o 'held back [^:]*: the last second cost' "$TMP/verify" | sed 's/held back //; s/: the last.*//' | head -7 >"$TMP/steps" || true
want_equal "what was held back, one after the other" "NetPlugin
ProxyCtrl,NetPlugin
ProxyStep,ProxyCtrl,NetPlugin
ProxyStep,ProxyCtrl,NetPlugin,CeSync,CeBatch,KernelPhase
ProxyOp,ProxyStep,ProxyCtrl,NetPlugin,CeSync,CeBatch,KernelPhase
ProxyOp,ProxyStep,ProxyCtrl,KernelCh,NetPlugin,CeSync,CeBatch,KernelPhase
ProxyOp,ProxyStep,ProxyCtrl,NetPlugin,CeSync,CeBatch,KernelPhase" "$(cat "$TMP/steps")"
