#!/usr/bin/env bash
# A run of 10,240 ranks is painted within 2 s of being asked for, and what the server says of it costs it less than 0.3 s
# of a processor. The minute that such a job takes to be read is test/live/serve_scale's; here it has done little.
# timeout: 300
. "$(dirname "$0")/../lib.sh"
need_page served
need curl curl
export XDG_CACHE_HOME=$TMP/cache
"$BUILD/lockstep-generate" "$TMP/run" --ranks 10240 --operations 5 --every-ms 100 --late-rank 3 --late-us 20000 >/dev/null
trap 'kill "$PID" 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
"$BUILD/lockstep" serve "$TMP/run" >"$TMP/banner" 2>"$TMP/err" &
PID=$!
until [ -s "$TMP/banner" ]; do kill -0 "$PID" || fail "no server: $(cat "$TMP/err")"; sleep 0.1; done
url=$(head -1 "$TMP/banner" | awk '{ print $NF }')

spent_ms() { awk -v hz="$(getconf CLK_TCK)" '{ printf "%d", ($14 + $15) * 1000 / hz }' "/proc/$PID/stat"; }
before=$(spent_ms)
curl -sS -o "$TMP/said" -H "Authorization: Bearer ${url##*#token=}" -H 'Accept-Encoding: gzip, deflate, br' "${url%%/#*}/api/run" || fail "no answer: $(cat "$TMP/err")"
spent=$(($(spent_ms) - before))
[ "$(stat -c %s "$TMP/said")" -gt 50000 ] || fail "it says little of 10,240 ranks: $(head -c 1000 "$TMP/said")"
[ "$spent" -lt 300 ] || fail "what is said of the run costs $spent ms of a processor"

best_ms=
for _ in 1 2 3; do  # others may have the processors for a while
  node "$ROOT/test/report/scale.mjs" "$url" >"$TMP/page" || fail "the page is not painted"
  read -r paint_ms _ <"$TMP/page"
  [ -n "$best_ms" ] && [ "$best_ms" -le "$paint_ms" ] || best_ms=$paint_ms
done
echo "first paint after $best_ms ms, what is said of the run for $spent ms of a processor"
[ "$best_ms" -le 2000 ] || fail "the first paint comes after $best_ms ms at best"
