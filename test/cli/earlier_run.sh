#!/usr/bin/env bash
# What a killed run left in memory stays out of the run that is recorded under the same name after it was removed.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
mkdir "$TMP/shm"
export LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run LOCKSTEP_SHM_DIR=$TMP/shm
emulate() { "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 --iterations 20 "$@" >/dev/null; }
emulate --end kill || true
left=$(find "$TMP/shm" -name '*.blocks' | sort)
want_equal "memory files of two killed processes" 2 "$(wc -l <<<"$left")"
rm -rf "$TMP/run"
emulate
"$lockstep" diagnose "$TMP/run" >"$TMP/diagnosis" 2>&1 || true
! grep -qE -- '(^|[ ,])-1([ ,;:]|\.( |$)|$)' "$TMP/diagnosis" || fail "a rank -1: $(cat "$TMP/diagnosis")"
want_equal "processes of the new run" 2 "$("$lockstep" count "$TMP/run" --json | jq .processes)"
"$lockstep" verify "$TMP/run" >"$TMP/verify" || fail "the new run is not complete: $(cat "$TMP/verify")"
"$lockstep" recover "$TMP/run" >"$TMP/recover"
want_equal "memory files that recover leaves alone, and names" 2 "$(grep -c 'earlier run here; left alone' "$TMP/recover")"
want_equal "memory files" "$left" "$(find "$TMP/shm" -name '*.blocks' | sort)"

# Killed again, and not removed: everything of it comes back, and no socket stays.
rm -rf "$TMP/run"
rm "$TMP"/shm/*.blocks
emulate --end kill || true
: >"$TMP/run/$(hostname).1.ctl"
[ "$(find "$TMP/run" -name '*.ctl' | wc -l)" -gt 1 ] || fail "the killed processes left no socket, so this shows nothing"
"$lockstep" recover "$TMP/run" >"$TMP/recover" || fail "recover: $(cat "$TMP/recover")"
want_equal "sockets that stay: what is of no process here" "$(hostname).1.ctl" "$(find "$TMP/run" -name '*.ctl' -printf '%f\n')"
"$lockstep" verify "$TMP/run" >"$TMP/verify" || fail "after recover: $(cat "$TMP/verify")"
