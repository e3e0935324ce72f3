#!/usr/bin/env bash
# The page of a served run that is too large to be read whole and has more ranks than are shown one by one, in headless
# Chromium: it has all of the run, and single operations as soon as they can be read, those of the late rank among them.
# timeout: 300
. "$(dirname "$0")/../lib.sh"
need_page served
export XDG_CACHE_HOME=$TMP/cache
"$BUILD/lockstep-generate" "$TMP/run" --ranks 40 --operations 2000 --every-ms 10 --late-rank 33 --late-us 3000 >/dev/null
trap 'kill "$PID" 2>/dev/null || true; rm -rf "$TMP"' EXIT
"$BUILD/lockstep" serve "$TMP/run" --memory 8M >"$TMP/banner" 2>"$TMP/err" &
PID=$!
until [ -s "$TMP/banner" ]; do kill -0 "$PID" || fail "no server: $(cat "$TMP/err")"; sleep 0.1; done
node "$ROOT/test/report/served_large.mjs" "$(head -1 "$TMP/banner" | awk '{ print $NF }')" "$PID" || fail "the page of a large run is not as it should be"
