#!/usr/bin/env bash
# serial
# timeout: 3000
# A run of a thousand ranks, ten operations a second, for as many of them as OPERATIONS says (3600: six minutes; 36000 is an
# hour, 4 GB): its pyramid in bounded memory and at most 2 % of the recording, then ready within 10 s, tiles within 200 ms at
# the median, and where Chromium is installed the first paint within 2 s and 300 MiB; all of that also with RANKS=10240
# OPERATIONS=600, a minute of ten times as many ranks. Prints what it measured.
. "$(dirname "$0")/../lib.sh"
only_when_long "minutes, and up to 4 GB: LONG=1 test/run live/serve_scale"
need curl curl
need jq jq
need_server
export XDG_CACHE_HOME=$TMP/cache
ranks=${RANKS:-1024} operations=${OPERATIONS:-3600}
[ "$(df --output=avail -B1M "$TMP" | tail -1)" -gt $((ranks * operations / 6000)) ] || skip "$TMP has no room for it"
run=${RUN:-$TMP/run}
[ -e "$run" ] || "$BUILD/lockstep-generate" "$run" --ranks "$ranks" --operations "$operations" --every-ms 100 --late-rank 3 --late-us 20000 >/dev/null

PID=
trap '[ -z "$PID" ] || kill "$PID" 2>/dev/null; rm -rf "$TMP"' EXIT
start() {  # sets PID, URL, TOKEN, BANNER and how long it took: WALL_MS, and CPU_MS of processors
  : >"$TMP/banner"
  local begun
  begun=$(date +%s%N)
  "$BUILD/lockstep" serve "$run" --new >"$TMP/banner" 2>"$TMP/err" &
  PID=$!
  until [ -s "$TMP/banner" ] || ! kill -0 "$PID" 2>/dev/null; do sleep 0.05; done
  WALL_MS=$((($(date +%s%N) - begun) / 1000000))
  CPU_MS=$(awk -v hz="$(getconf CLK_TCK)" '{ printf "%d", ($14 + $15) * 1000 / hz }' "/proc/$PID/stat")
  BANNER=$(head -1 "$TMP/banner" | awk '{ print $NF }')
  [[ $BANNER == http*://* ]] || fail "no URL in the banner: $(cat "$TMP/banner" "$TMP/err")"
  URL=${BANNER%%/#*} TOKEN=${BANNER##*#token=}
}
stop() { kill "$PID"; wait "$PID" || fail "the server ended with $?"; PID=; }
peak_mib() { awk '/VmHWM/ { printf "%d", $2 / 1024 }' "/proc/$PID/status"; }
bytes() { find "$1" -name "$2" -printf '%s\n' | awk '{ sum += $1 } END { printf "%.0f", sum }'; }

records=$((ranks * operations * 26))
start
per_s=$((records / CPU_MS))
echo "first: $records records in $WALL_MS ms, $CPU_MS ms of a processor: $per_s thousand a second of a processor; $(peak_mib) MiB"
[ "$(peak_mib)" -lt 4096 ] || fail "the first start took $(peak_mib) MiB; tables may have 2 GiB"
[ "$per_s" -gt 1500 ] || fail "the pyramid is made at $per_s thousand records a second of a processor"
stop

made=$(bytes "$run/pyramid" '*') stored=$(bytes "$run" '*.lks')
echo "pyramid: $made bytes, $((made * 10000 / stored)) hundredths of a percent of $stored"
[ $((made * 100)) -le $((stored * 2)) ] || fail "the pyramid is more than 2 % of the recording"

start
echo "ready again: $WALL_MS ms, $CPU_MS ms of a processor; $(peak_mib) MiB"
[ "$WALL_MS" -lt 10000 ] || fail "ready after $WALL_MS ms only"
curl -sS -H "Authorization: Bearer $TOKEN" "$URL/api/run" >"$TMP/said"
length=$(jq .serve.to_ns "$TMP/said")
finest=$(jq '[.serve.levels[] | select(.stored).bucket_ns] | min' "$TMP/said")
tile() { curl -sS -o /dev/null -w '%{time_total}\n' -H "Authorization: Bearer $TOKEN" -H 'Accept-Encoding: gzip' "$URL/api/tiles?$1"; }
tile "" >"$TMP/times"
for i in $(seq 0 19); do  # windows of an eighth of the run, as fine as they are stored
  tile "from=$((length * i / 24))&to=$((length * i / 24 + length / 8))&bucket_ns=$finest" >>"$TMP/times"
done
median_ms=$(sort -n "$TMP/times" | sed -n 11p | awk '{ printf "%d", $1 * 1000 }')
echo "tiles: $median_ms ms at the median, $(sort -n "$TMP/times" | tail -1) s at most"
[ "$median_ms" -le 200 ] || fail "tiles take $median_ms ms at the median"
# As a browser takes it.
run_ms=$(curl -sS -o "$TMP/said" -w '%{time_total}' -H "Authorization: Bearer $TOKEN" -H 'Accept-Encoding: gzip, deflate, br' "$URL/api/run" |
  awk '{ printf "%d", $1 * 1000 }')
echo "what it says of the run: $run_ms ms, $(stat -c %s "$TMP/said") bytes"
[ "$run_ms" -le 200 ] || fail "/api/run takes $run_ms ms"
if command -v chromium >/dev/null && command -v node >/dev/null && [ -e "$ROOT/node_modules/playwright-core" ]; then
  node "$ROOT/test/report/scale.mjs" "$BANNER" >"$TMP/page" || fail "the page is not painted"
  read -r paint_ms page_mib <"$TMP/page"
  echo "page: first paint after $paint_ms ms, $page_mib MiB"
  [ "$paint_ms" -le 2000 ] || fail "the first paint comes after $paint_ms ms"
  [ "$page_mib" -le 300 ] || fail "the page takes $page_mib MiB"
fi
stop
