#!/usr/bin/env bash
# timeout: 120
# LOCKSTEP_SIGNAL: processes write what they have at the signal, without their sockets, and say so; those that ignore
# the signal keep doing so, and NCCL's log has the line.
. "$(dirname "$0")/../lib.sh"
# In memory where there is room: a disk that is busy for five seconds is another answer to the signal.
room=$(df --output=avail -BM /dev/shm 2>/dev/null | tr -dc '0-9') || true
[ "${room:-0}" -lt 64 ] || { rmdir "$TMP" && TMP=$(mktemp -d /dev/shm/lockstep-test.XXXXXX); }
export LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 LOCKSTEP_VERBOSE=1
PIDS=
# shellcheck disable=SC2046,SC2086
trap 'kill -KILL $(jobs -p) $PIDS $(pids "$TMP/ignored") 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
record() { [ "$(find "$1" -name '*.ctl' 2>/dev/null | wc -l)" = 2 ]; }
pids() { find "$1" -name '*.ctl' | sed -E 's/.*\.([0-9]+)\.ctl/\1/'; }
says() { [ "$(grep -c "$2" "$1.out")" = "$3" ]; }  # says RUN WHAT TIMES
wait_for() {  # wait_for WHAT COMMAND...
  local what=$1
  shift
  for _ in $(seq 30); do "$@" && return; sleep 0.5; done
  fail "$what did not happen: $(tail -n 20 "$TMP"/*.out)"
}
emulate() {  # emulate RUN: two ranks, some collectives a second
  LOCKSTEP_DIR=$1 exec "$BUILD/lockstep-emulate" --ranks 2 --channels 1 --sizes 1k --ops allreduce --iterations 100000 --rate 10 \
    --stall-us 1e9 "$BUILD/libnccl-profiler.so" >"$1.out" 2>&1
}
LOCKSTEP_SIGNAL=SIGUSR1 emulate "$TMP/run" &
wait_for "that two ranks record" record "$TMP/run"
PIDS=$(pids "$TMP/run")
rm "$TMP"/run/*.ctl  # nobody reaches them
# shellcheck disable=SC2086
for times in 2 4; do
  kill -USR1 $PIDS
  wait_for "that both say that all is written" says "$TMP/run" "the signal came, and everything recorded before it is written" $times
done
for pid in $PIDS; do kill -0 "$pid" || fail "the signal ended process $pid"; done

(trap '' USR1 && LOCKSTEP_SIGNAL=USR1 emulate "$TMP/ignored") &
wait_for "that two ranks record" record "$TMP/ignored"
wait_for "the line" grep -q "LOCKSTEP_SIGNAL=USR1: the program ignores that signal" "$TMP/ignored.out"
# shellcheck disable=SC2046
kill -USR1 $(pids "$TMP/ignored")
sleep 1
says "$TMP/ignored" "the signal came" 0 || fail "it took a signal that the program ignores"
