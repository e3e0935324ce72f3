#!/usr/bin/env bash
# The Python frames of other processes are what Python itself says of them: for every Python of this machine,
# threads that stand in known places, stopped and not, and threads that run on while they are read.
# timeout: 300
. "$(dirname "$0")/../lib.sh"
# shellcheck source=test/live/pythons.sh
. "$ROOT/test/live/pythons.sh"
need python3 python3
here=$ROOT/test/live

started=()
stop_all() {
  local pid
  for pid in "${started[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  started=()
}
trap 'stop_all; rm -rf "$TMP"' EXIT

wait_for() {  # wait_for FILE PID: the process makes the file; the deadline only bounds a hang
  local tries
  for tries in $(seq 1200); do
    [ -e "$1" ] && return
    kill -0 "$2" 2>/dev/null || fail "the process ended: $(cat "$TMP/err")"
    sleep 0.05
  done
  fail "$1 is not there after $tries tries: $(cat "$TMP/err")"
}
at_rest() {  # at_rest PID STATE: a thread that is about to sleep or to stop still runs, and would be Torn
  for _ in $(seq 1200); do
    grep -qhE "^State:.[^$2]" /proc/"$1"/task/*/status || return 0
    sleep 0.05
  done
  fail "the threads of $1 do not come to rest: $(grep -h '^State' /proc/"$1"/task/*/status)"
}
compare() {  # compare TRUTH PID WHAT
  "$BUILD/lockstep-pyframes" "$2" >"$TMP/frames" 2>"$TMP/err" || fail "$3: $(cat "$TMP/err")"
  PYTHONIOENCODING=utf-8 python3 -B "$here/compare_frames.py" "$1" "$TMP/frames" || fail "$3"
}

stand() {  # threads in known places, and a forked child
  local python=$1 out=$TMP/out
  rm -f "$out"*
  "$python" -B "$here/stands_in_python.py" "$out" 2>"$TMP/err" &
  local pid=$!
  started+=("$pid")
  wait_for "$out.child.pid" "$pid"
  started+=("$(cat "$out.child.pid")")
  wait_for "$out" "$pid"
  wait_for "$out.child" "$pid"
  at_rest "$pid" S
  compare "$out" "$pid" "$python, running"
  kill -STOP "$pid"
  at_rest "$pid" T
  compare "$out" "$pid" "$python, stopped"
  at_rest "$(cat "$out.child.pid")" S
  compare "$out.child" "$(cat "$out.child.pid")" "$python, forked"
  stop_all
}

run() {  # threads that never stand still
  local python=$1 calls=$TMP/calls
  rm -f "$calls"*
  "$python" -B "$here/runs_in_python.py" "$calls" 7 2>"$TMP/err" &
  started+=("$!")
  wait_for "$calls" "${started[0]}"
  "$BUILD/lockstep-pyframes" "${started[0]}" --repeat 300 >"$TMP/frames" 2>"$TMP/err" ||
    fail "$python: $(cat "$TMP/err")"
  python3 -B "$here/possible_frames.py" "$calls" "$TMP/frames" || fail "$python, busy"
  stop_all
}

found=0
for python in $(pythons); do
  echo "$("$python" -V) ($python)"
  stand "$python"
  run "$python"
  found=$((found + 1))
done
[ "$found" -gt 0 ] || fail "no Python from 3.9 to 3.14 among python3, python3.9, ..."

# What cannot be read is said in a sentence, with exit code 3.
sleep 600 &
started+=("$!")
refuses() {  # refuses SENTENCE COMMAND...
  local sentence=$1 code=0
  shift
  "$@" >"$TMP/frames" 2>"$TMP/err" || code=$?
  want_equal "exit code of $*" 3 "$code"
  grep -q "$sentence" "$TMP/err" || fail "no '$sentence' in: $(cat "$TMP/err")"
}
refuses "process ${started[0]} runs no CPython" "$BUILD/lockstep-pyframes" "${started[0]}"
refuses "process 4194304: its mappings cannot be read" "$BUILD/lockstep-pyframes" 4194304
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  python3 -c 'import time; time.sleep(600)' &
  started+=("$!")
  chmod 755 "$TMP" && cp "$BUILD/lockstep-pyframes" "$TMP/"
  refuses "process ${started[1]}: its mappings cannot be read" \
    setpriv --reuid=65534 --regid=65534 --clear-groups "$TMP/lockstep-pyframes" "${started[1]}"
fi
stop_all
