#!/usr/bin/env bash
# What the program marked and what was captured stands in lanes above the heat map, in headless Chromium: each where its
# time is, in its colour, and says under the mouse or a finger what it is. Fingers zoom by a drag along time and by a tap; a
# drag down the screen scrolls it.
# timeout: 120
. "$(dirname "$0")/../lib.sh"
need_page
cp -r "$ROOT"/test/data/recordings/marks/* "$TMP"  # recorded once: how even its steps are is not the machine's of today
for run in one both; do
  "$BUILD/lockstep" report "$TMP/$run" >"$TMP/head" || [ $? = 1 ] || fail "no report: $(cat "$TMP/head")"
done
node "$ROOT/test/report/lanes.mjs" "file://$TMP/one/report.html" || fail "the lanes are not as they should be"
node "$ROOT/test/report/touch.mjs" "file://$TMP/both/report.html" || fail "fingers do not do what they should"
