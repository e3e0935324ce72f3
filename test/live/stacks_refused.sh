#!/usr/bin/env bash
# Where the kernel does not let us trace, `lockstep stacks` gives what /proc tells and says why: for another user, and
# under Yama (a preloaded library stands in) for a process that may not give the right. With the right it reads all.
. "$(dirname "$0")/../lib.sh"
need jq jq
. "$ROOT/test/live/libdw.sh"
lockstep=$BUILD/lockstep
export LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0 LOCKSTEP_BUFFER_MB=4 YAMA_DIR=$TMP LOCKSTEP_ENABLE=1
jobs=()
trap 'kill "${jobs[@]}" 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT

start() {  # start DIR NAME=VALUE...: a recording process that stands in reads_a_pipe(); its id ends up in $pid
  env "${@:2}" LOCKSTEP_DIR="$1" LD_PRELOAD="$BUILD/test/libyama.so" \
    "$BUILD/lockstep-places" "$BUILD/libnccl-profiler.so" --ranks 1 >"$1.out" 2>&1 &
  jobs+=($!)
  for _ in $(seq 600); do
    pid=$(awk "{ print \$2 }" "$1.out" 2>/dev/null || true)
    [ -z "$pid" ] || return 0
    sleep 0.1
  done
  fail "no process in $1: $(cat "$1.out")"
}
exit_code() {  # exit_code COMMAND...: stdout to $TMP/out, stderr to $TMP/err
  local status=0
  "$@" >"$TMP/out" 2>"$TMP/err" || status=$?
  echo $status
}
under_yama() { LD_PRELOAD=$BUILD/test/libyama.so "$@"; }

start "$TMP/forbids" LOCKSTEP_STACKS=0
want_equal "exit code where the process forbids it" 1 "$(exit_code under_yama "$lockstep" stacks "$pid" --threads main)"
grep -q "sleeping in read" "$TMP/out" || fail "what the kernel tells is missing: $(cat "$TMP/out")"
grep -q "asked for the right, it says: LOCKSTEP_STACKS=0 forbids it" "$TMP/err" || fail "it does not say why: $(cat "$TMP/err")"
! grep -q reads_a_pipe "$TMP/out" || fail "the stand-in for Yama does not refuse"

start "$TMP/run"
want_equal "exit code with the right asked for" 0 "$(exit_code under_yama "$lockstep" stacks "$TMP/run" --threads main --timeout 60)"
grep -q "rank 0: reads_a_pipe (main.cc:" "$TMP/out" || fail "no stack with the right: $(cat "$TMP/out" "$TMP/err")"
"$lockstep" ctl "$pid" flush >/dev/null
"$lockstep" verify --partial "$TMP/run" >"$TMP/verify" 2>&1 || true
grep -q "may read this process's stacks for 10 s, granted by " "$TMP/verify" || fail "no note of it: $(cat "$TMP/verify")"
# A process that records nothing cannot give it.
env -u LOCKSTEP_ENABLE LD_PRELOAD="$BUILD/test/libyama.so" "$BUILD/lockstep-places" "$BUILD/libnccl-profiler.so" --ranks 1 >"$TMP/inert.out" 2>&1 &
jobs+=($!)
want_equal "exit code of one that records nothing" 1 "$(exit_code under_yama "$lockstep" stacks $! --threads main)"
grep -q "it records nothing, so it cannot be asked for the right" "$TMP/err" || fail "it does not say why: $(cat "$TMP/err")"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && getent passwd nobody >/dev/null; then
  chmod 755 "$TMP"
  cp "$lockstep" "$TMP/lockstep"
  want_equal "exit code of another user" 1 \
    "$(exit_code setpriv --reuid=nobody --clear-groups "$TMP/lockstep" stacks "$pid" --threads main)"
  grep -q "it belongs to another user" "$TMP/err" || fail "it does not say why: $(cat "$TMP/err")"
  grep -q "sleeping" "$TMP/out" || fail "what everybody may know is missing: $(cat "$TMP/out")"
fi
