#!/usr/bin/env bash
# What the program marked and what was captured stands in lanes above the heat map, in headless Chromium: each where its
# time is, in its colour, and says under the mouse or a finger what it is. Fingers zoom by a drag along time and by a tap; a
# drag down the screen scrolls it.
# timeout: 120
. "$(dirname "$0")/../lib.sh"
need_page
export LOCKSTEP_HOST_LOAD=0
record() {  # record RUN RANK: 20 steps of 20 ms and one behind them; steps 5 to 9 are captured
  LOCKSTEP_DIR=$TMP/$1 "$BUILD/lockstep-marks" "$BUILD/libnccl-profiler.so" --ranks 2 --rank "$2" --steps 20 --step-ms 20 --threads 2 --ranges 3 --capture >/dev/null
}
record one 0  # nothing keeps the steps of two ranks together
record both 1 &
record both 0
wait $!
for run in one both; do
  "$BUILD/lockstep" report "$TMP/$run" >"$TMP/head" || [ $? = 1 ] || fail "no report: $(cat "$TMP/head")"
done
node "$ROOT/test/report/lanes.mjs" "file://$TMP/one/report.html" || fail "the lanes are not as they should be"
node "$ROOT/test/report/touch.mjs" "file://$TMP/both/report.html" || fail "fingers do not do what they should"
