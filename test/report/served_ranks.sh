#!/usr/bin/env bash
# serial
# A run of 10,240 ranks is painted in at most three times what one of 16 ranks takes, and what the server says of it costs it
# less than 0.3 s of a processor. Alone and in turn, so that neither the machine nor other tests decide. The minute that such a
# job takes to be read, and the first paint within 2 s, are test/live/serve_scale's; here it has done little.
# timeout: 300
. "$(dirname "$0")/../lib.sh"
need_page served
need curl curl
export XDG_CACHE_HOME=$TMP/cache
servers=()
trap 'kill "${servers[@]}" 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
serve() {  # serve RANKS: sets URL
  "$BUILD/lockstep-generate" "$TMP/$1" --ranks "$1" --operations 5 --every-ms 100 --late-rank 3 --late-us 20000 >/dev/null
  "$BUILD/lockstep" serve "$TMP/$1" >"$TMP/$1.banner" 2>"$TMP/err" &
  servers+=($!)
  until [ -s "$TMP/$1.banner" ]; do kill -0 $! || fail "no server: $(cat "$TMP/err")"; sleep 0.1; done
  URL=$(head -1 "$TMP/$1.banner" | awk '{ print $NF }')
}
serve 16
few=$URL
serve 10240
url=$URL

spent_ms() { awk -v hz="$(getconf CLK_TCK)" '{ printf "%d", ($14 + $15) * 1000 / hz }' "/proc/${servers[1]}/stat"; }
before=$(spent_ms)
curl -sS -o "$TMP/said" -H "Authorization: Bearer ${url##*#token=}" -H 'Accept-Encoding: gzip, deflate, br' "${url%%/#*}/api/run" || fail "no answer: $(cat "$TMP/err")"
spent=$(($(spent_ms) - before))
[ "$(stat -c %s "$TMP/said")" -gt 50000 ] || fail "it says little of 10,240 ranks: $(head -c 1000 "$TMP/said")"
[ "$spent" -lt 300 ] || fail "what is said of the run costs $spent ms of a processor"

best_ms() { sort -n "$1" | awk 'NR == 1 { print $1 }'; }
for _ in 1 2 3; do
  node "$ROOT/test/report/scale.mjs" "$few" >>"$TMP/few" || fail "the page of 16 ranks is not painted"
  node "$ROOT/test/report/scale.mjs" "$url" >>"$TMP/many" || fail "the page is not painted"
done
few_ms=$(best_ms "$TMP/few") many_ms=$(best_ms "$TMP/many")
echo "first paint after $many_ms ms, $few_ms ms of 16 ranks; what is said of the run for $spent ms of a processor"
[ "$many_ms" -le $((3 * few_ms)) ] || fail "the first paint comes after $many_ms ms at best, that of 16 ranks after $few_ms ms"
