#!/usr/bin/env bash
# Network operations and steps beneath the operations of a served run, in headless Chromium: drawn, told, walked by keyboard;
# and what is said where steps were not recorded, and in a file.
# timeout: 120
. "$(dirname "$0")/../lib.sh"
need_page served
need curl curl
need jq jq
export LOCKSTEP_HOST_LOAD=0 XDG_CACHE_HOME=$TMP/cache
PIDS=()
trap 'kill "${PIDS[@]}" 2>/dev/null; rm -rf "$TMP"' EXIT
for events in step proxy; do
  "$BUILD/lockstep-simulate" --seed 3 --ranks 4 --gpus-per-host 1 --class slow-network-bursts --size 2 --events $events --steps 4 "$TMP/$events" >/dev/null
  "$BUILD/lockstep" serve "$TMP/$events" >"$TMP/$events.banner" 2>"$TMP/err" &
  PIDS+=($!)
  until [ -s "$TMP/$events.banner" ]; do kill -0 $! || fail "no server: $(cat "$TMP/err")"; sleep 0.1; done
done
url() { head -1 "$TMP/$1.banner" | awk '{ print $NF }'; }
"$BUILD/lockstep" report "$TMP/step" -o "$TMP/report" >/dev/null
served=$(url step)
# From when rank 1 is ready for an operation of the middle of the run to its end.
read -r from to < <(curl -sS -H "Authorization: Bearer ${served##*=}" "${served%%/#*}/api/ops?ranks=1" |
  jq -r '.rows | map(select(.[5] - .[13] > 1000000)) | .[length / 2 | floor] | "\(.[13]) \(.[5])"')
node "$ROOT/test/report/steps.mjs" "$served" "$(url proxy)" "$TMP/report/report.html" "$from" "$to" ||
  fail "network steps are not shown as they should be"
