#!/usr/bin/env bash
# timeout: 120
# A run whose tables may not all be in memory is served in parts: its tiles and operations are those of the run read whole,
# what would be too much at a time is refused, and the report says of which part it is. The pyramid is made once. A server
# that is told to end while it reads its run ends, too.
. "$(dirname "$0")/../lib.sh"
need curl curl
need jq jq
need zstd zstd
need_server
export XDG_CACHE_HOME=$TMP/cache
"$BUILD/lockstep-generate" "$TMP/run" --ranks 16 --operations 4000 --every-ms 10 --late-rank 3 --late-us 3000 >/dev/null

PID=
run=$TMP/run
trap '[ -z "$PID" ] || kill "$PID" 2>/dev/null; rm -rf "$TMP"' EXIT
start() {
  rm -f "$TMP/banner"
  "$BUILD/lockstep" serve "$run" "$@" >"$TMP/banner" 2>"$TMP/err" &
  PID=$!
  for _ in $(seq 600); do [ -s "$TMP/banner" ] && break; kill -0 "$PID" 2>/dev/null || break; sleep 0.1; done
  local url
  url=$(head -1 "$TMP/banner" | awk '{ print $NF }')
  URL=${url%%/#*} TOKEN=${url##*#token=}
  [[ $URL == http*://* ]] || fail "no URL in the banner: $(cat "$TMP/banner" "$TMP/err")"
}
stop() { kill "$PID"; wait "$PID" || fail "the server ended with $?"; PID=; }
ask() { curl -sS --max-time 60 -H "Authorization: Bearer $TOKEN" "$@"; }
middle="from=20000000000&to=20100000000"
answers() {  # answers FOLDER: what is compared
  mkdir "$1"
  ask "$URL/api/tiles?columns=512" >"$1/all"
  ask "$URL/api/tiles?level=12" >"$1/coarse"
  ask "$URL/api/tiles?$middle&columns=1024" >"$1/fine"
  ask "$URL/api/ops?$middle&ranks=0-15" | jq -c '.rows[] | .[:12]' >"$1/ops"
}

# The signal is there before the server listens, which httplib forgets.
"$BUILD/lockstep" serve "$TMP/run" >"$TMP/banner" 2>"$TMP/err" &
PID=$!
until [ -d "$TMP/run/serve" ]; do kill -0 "$PID" || fail "it ended: $(cat "$TMP/err")"; sleep 0.01; done
kill "$PID"
for _ in $(seq 600); do kill -0 "$PID" 2>/dev/null || break; sleep 0.1; done
! kill -0 "$PID" 2>/dev/null || fail "told to end while it read its run, it goes on: $(cat "$TMP/banner" "$TMP/err")"
wait "$PID" || fail "told to end while it read its run, it ended with $?: $(cat "$TMP/err")"
PID=
rm -r "$TMP/run/pyramid"

start
answers "$TMP/whole"
[ "$(wc -l <"$TMP/whole/ops")" -gt 100 ] || fail "few operations: $(cat "$TMP/whole/ops")"
want_equal "the part of the report" 0 "$(ask "$URL/api/run" | jq .serve.report_from_ns)"
stop
[ ! -s "$TMP/err" ] || fail "it complains: $(cat "$TMP/err")"

rm -r "$TMP/run/pyramid"
start --memory 8M
grep -q "a large run: about [0-9]*000 operations, [0-9.]* MiB as tables, .* takes some [0-9.]* ms of a processor" "$TMP/err" || fail "no estimate: $(cat "$TMP/err")"
answers "$TMP/parts"
for answer in all coarse fine ops; do
  cmp "$TMP/whole/$answer" "$TMP/parts/$answer" || fail "$answer differs in parts: $(ls -l "$TMP/whole" "$TMP/parts")"
done
want_equal "all operations at once" 413 "$(ask -o "$TMP/body" -w '%{http_code}' "$URL/api/ops?ranks=0")"
grep -q "can be read at a time" "$TMP/body" || fail "$(cat "$TMP/body")"
from=$(ask "$URL/api/run" | jq .serve.report_from_ns)
[ "$from" -gt 30000000000 ] || fail "the report is not of the last part: it begins at $from ns"
ask "$URL/api/run" | jq -S . >"$TMP/said"
stop

echo "a run that was opened before is opened without a look at what its segments hold"
made=$(stat -c '%y %i' "$TMP/run/pyramid/index.json" "$TMP/run/pyramid/summary.json.zst")
mkdir "$TMP/kept"
cp -p "$TMP"/run/*.lks "$TMP/kept"
for segment in "$TMP"/run/*.lks; do  # all but their ends, where their indices are
  dd if=/dev/zero of="$segment" bs=16K seek=1 count=8 conv=notrunc status=none
  touch -r "$TMP/kept/$(basename "$segment")" "$segment"
done
start --memory 8M
[ ! -s "$TMP/err" ] || fail "it complains: $(cat "$TMP/err")"
ask "$URL/api/run" | jq -S . >"$TMP/said_again"
cmp "$TMP/said" "$TMP/said_again" || fail "it says something else: $(diff "$TMP/said" "$TMP/said_again" | head -c 1000)"
ask "$URL/api/tiles?columns=512" | cmp - "$TMP/whole/all" || fail "tiles differ: $(cat "$TMP/err")"
stop
want_equal "what is kept of the run" "$made" "$(stat -c '%y %i' "$TMP/run/pyramid/index.json" "$TMP/run/pyramid/summary.json.zst")"
cp -p "$TMP"/kept/*.lks "$TMP/run"
start --memory 8M
answers "$TMP/again"
for answer in all coarse fine ops; do
  cmp "$TMP/whole/$answer" "$TMP/again/$answer" || fail "$answer differs when the run is opened again: $(ls -l "$TMP/whole" "$TMP/again")"
done
stop

echo "a tile finer than the pyramid reads the time around it, not the run"
"$BUILD/lockstep-generate" "$TMP/long" --ranks 16 --operations 3000 --every-ms 100 --late-rank 3 --late-us 3000 >/dev/null
run=$TMP/long
start
stop
peak_mib() { awk '/VmHWM/ { printf "%d", $2 / 1024 }' "/proc/$PID/status"; }
short="from=200000000000&to=200100000000&columns=1024"
start
before=$(peak_mib)
ask "$URL/api/tiles?$short" >"$TMP/of_a_part"
grown=$(($(peak_mib) - before))
ask -d '{"sql": "SELECT 1"}' -H 'Content-Type: application/json' "$URL/api/query" >/dev/null  # reads all of it
whole=$(($(peak_mib) - before))
ask "$URL/api/tiles?$short" >"$TMP/of_all"
stop
cmp "$TMP/of_a_part" "$TMP/of_all" || fail "a tile of a part that was read for it is another"
[ "$whole" -gt 30 ] || fail "the run takes $whole MiB only: too little to tell"
[ $((grown * 2)) -lt "$whole" ] || fail "a tile of 0.1 s of 300 s took $grown MiB, all of the run $whole MiB"
run=$TMP/run

echo "the summary is of the run as it is"
touch -d '1 hour ago' "$TMP"/run/*.lks
before=$(stat -c '%y %i' "$TMP/run/pyramid/summary.json.zst")
start --memory 8M
after=$(stat -c '%y %i' "$TMP/run/pyramid/summary.json.zst")
[ "$before" != "$after" ] || fail "a summary of another state of the run was taken: it is still that of $before"
run_said=$(ask "$URL/api/run" | jq -S 'del(.output)')
stop
printf '{"made_of": "%s", "report": "no JSON"}' "$(zstd -dc "$TMP/run/pyramid/summary.json.zst" | jq -r .made_of)" >"$TMP/damaged"
zstd -qf "$TMP/damaged" -o "$TMP/run/pyramid/summary.json.zst"
start --memory 8M
want_equal "what it says with a damaged summary" "$run_said" "$(ask "$URL/api/run" | jq -S 'del(.output)')"
stop
percent=$(($(cat "$TMP"/run/pyramid/* | wc -c) * 100 / $(cat "$TMP"/run/*.lks | wc -c)))
[ "$percent" -lt 2 ] || fail "the pyramid has $percent % of the recording: $(ls -l "$TMP/run" "$TMP/run/pyramid")"

echo "a run that cannot be written has its files in the cache"
rm -r "$TMP/run/pyramid" "$TMP/run/serve"
touch "$TMP/run/pyramid" "$TMP/run/serve"  # nothing of ours can be made there
start
answers "$TMP/cached"
cmp "$TMP/whole/all" "$TMP/cached/all" || fail "tiles from the cache differ: $(ls -l "$TMP/whole" "$TMP/cached")"
stop
want_equal "files in the cache" "access.log index.json summary.json.zst token" \
  "$(find "$TMP/cache/lockstep" -type f ! -name '*.cells' -printf '%f\n' | sort | xargs)"
