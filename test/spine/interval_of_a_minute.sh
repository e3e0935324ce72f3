#!/usr/bin/env bash
# With a dump interval of a minute open buffers are not written for seconds, and at the end everything is.
. "$(dirname "$0")/lib.sh"
export LOCKSTEP_EVENTS=all
written() { find "$TMP/$1" -name '*.lks' 2>/dev/null | wc -l; }
for interval in 60000000 100000; do
  mkdir "$TMP/$interval"
  LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0 LOCKSTEP_DIR=$TMP/$interval LOCKSTEP_DUMP_INTERVAL_US=$interval \
    "$BUILD/lockstep-storm" "$PLUGIN" --rate 20 --until "$TMP/stop" >"$TMP/line.$interval" &
done
trap 'touch "$TMP/stop"; wait; rm -rf "$TMP"' EXIT
for _ in $(seq 300); do
  [ "$(written 100000)" = 0 ] || break
  sleep 0.1
done
want_equal "segments with an interval of 0.1 s" 1 "$(written 100000)"
sleep 2.5
want_equal "segments with an interval of a minute" 0 "$(written 60000000)"
touch "$TMP/stop"
wait
for interval in 60000000 100000; do
  want_recorded "interval $interval" "$(cat "$TMP/line.$interval")" "$TMP/$interval"
done
