#!/usr/bin/env bash
# Native and Python frames in the order of their calls, for every Python of this machine: threads that stand in known
# places, as `lockstep stacks` reads them, beside what Python says of itself.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/live/libdw.sh"
# shellcheck source=test/live/pythons.sh
. "$ROOT/test/live/pythons.sh"
need python3 python3
here=$ROOT/test/live

process='' child=''
stop() {
  [ -z "$process$child" ] || kill -KILL $process $child 2>/dev/null || true
  process='' child=''
}
trap 'stop; rm -rf "$TMP"' EXIT

for python in $(pythons); do
  echo "$("$python" -V) ($python)"
  rm -f "$TMP"/out*
  "$python" -B "$here/stands_in_python.py" "$TMP/out" 2>"$TMP/err" &
  process=$!
  for _ in $(seq 1200); do  # the deadline only bounds a hang
    [ ! -e "$TMP/out" ] || break
    kill -0 $process || fail "it has ended: $(cat "$TMP/err")"
    sleep 0.05
  done
  child=$(cat "$TMP/out.child.pid")
  "$BUILD/lockstep" stacks $process --threads all --samples 1 --timeout 60 --json >"$TMP/json" ||
    fail "not everything was read: $(cat "$TMP/json")"
  python3 -B "$here/compare_merged.py" "$TMP/out" "$TMP/json" "$("$python" -c 'import sys; print(sys.version_info[1])')" ||
    fail "$python"
  stop
done
[ -e "$TMP/json" ] || skip "no Python from 3.9 to 3.14"
