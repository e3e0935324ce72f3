#!/usr/bin/env bash
# report.html in headless Chromium: its charts are drawn, it says nothing on the console, it asks no network.
. "$(dirname "$0")/../lib.sh"
need chromium chromium
grep -q "leeoniya" "$BUILD/lockstep" || skip "lockstep was built without uPlot (npm)"

LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-emulate" --ranks 4 --sizes 64K 1M \
  --iterations 20 --rate 50 "$BUILD/libnccl-profiler.so" >"$TMP/truth"
"$BUILD/lockstep" report "$TMP/run" >"$TMP/head"
timeout 100 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$TMP/profile" --enable-logging=stderr \
  --host-resolver-rules="MAP * ~NOTFOUND" --dump-dom "file://$TMP/run/report.html" >"$TMP/dom" 2>"$TMP/log" ||
  skip "chromium does not start here: $(tail -1 "$TMP/log")"
[ -s "$TMP/dom" ] || skip "chromium gave no page"
! grep -q ":CONSOLE" "$TMP/log" || fail "the page speaks on the console: $(grep :CONSOLE "$TMP/log")"
charts=$(grep -o '<canvas ' "$TMP/dom" | wc -l)
[ "$charts" -ge 2 ] || fail "$charts charts drawn, expected bandwidths and waits"
grep -q "<svg id=\"heat\"" "$TMP/dom" || fail "no heat map"
# The browser asks its maker for updates on its own; the page asks nobody.
! grep -oiE '(src|href|url\()=?["'"'"']?(https?:)?//[^ >]*' "$TMP/run/report.html" || fail "the page refers to the network"
