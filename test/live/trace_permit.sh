#!/usr/bin/env bash
# The right to read a process's stacks, where the kernel's Yama lets only parents trace: given to the process that
# asks on the control socket, once, for ten seconds, with a note; a preloaded library stands in for Yama.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
export LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0 YAMA_DIR=$TMP
jobs=()
trap 'kill "${jobs[@]}" 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT

start() {  # start DIR NAME=VALUE...: a job of one rank, whose process id ends up in $pid
  env "${@:2}" LOCKSTEP_DIR="$1" LD_PRELOAD="$BUILD/test/libyama.so" \
    "$BUILD/lockstep-emulate" --ranks 1 --iterations 100000 --rate 20 "$BUILD/libnccl-profiler.so" >"$1.out" 2>&1 &
  jobs+=($!)
  for _ in $(seq 600); do
    pid=$(find "$1" -name '*.ctl' 2>/dev/null | sed 's/.*\.\([0-9]*\)\.ctl/\1/' || true)
    [ -z "$pid" ] || return 0
    sleep 0.1
  done
  fail "no control socket in $1: $(cat "$1.out")"
}

start "$TMP/refuses" LOCKSTEP_STACKS=0
"$lockstep" ctl "$pid" trace-permit >"$TMP/answer" && fail "LOCKSTEP_STACKS=0 does not forbid it"
grep -q LOCKSTEP_STACKS=0 "$TMP/answer" || fail "it does not say why: $(cat "$TMP/answer")"
[ ! -e "$TMP/$pid" ] || fail "the kernel was asked although the user forbids it"

start "$TMP/run"
"$lockstep" ctl "$pid" trace-permit >"$TMP/answer" || fail "no right: $(cat "$TMP/answer")"
tracer=$(jq .tracer "$TMP/answer")
want_equal "who may trace" "$tracer" "$(cat "$TMP/$pid")"
"$lockstep" ctl "$pid" trace-permit >"$TMP/second" && fail "a second process was let trace: $(cat "$TMP/second")"
want_equal "who may trace, after a second has asked" "$tracer" "$(cat "$TMP/$pid")"
for _ in $(seq 600); do
  [ -e "$TMP/$pid" ] || break
  sleep 0.1
done
[ ! -e "$TMP/$pid" ] || fail "the right is not taken back"
"$lockstep" ctl "$pid" flush >/dev/null
"$lockstep" verify --partial "$TMP/run" >"$TMP/verify" 2>&1 || true
grep -q "process $tracer may read this process's stacks for 10 s" "$TMP/verify" ||
  fail "the recording does not tell of it: $(cat "$TMP/verify")"
