#!/usr/bin/env bash
# `lockstep serve` of a directory in which a job has written nothing yet, or will: the banner comes at once, the page waits, and
# shows the run and follows it once there are records; without an error on the console. An empty folder may become a folder of
# runs as well. What is no directory, or somebody else's, is refused as before.
# timeout: 200
. "$(dirname "$0")/../lib.sh"
need_live_page
run=$TMP/run
servers=() jobs=()
pids() { find "$TMP" -name '*.ctl' | sed 's/.*\.\([0-9]*\)\.ctl/\1/'; }
cleanup() {
  # shellcheck disable=SC2046
  kill -KILL "${jobs[@]}" "${servers[@]}" $(pids) 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$TMP"
}
trap cleanup EXIT
serve() {  # serve DIRECTORY: sets url, token
  rm -f "$TMP/banner"
  "$BUILD/lockstep" serve "$1" >"$TMP/banner" 2>"$TMP/err" &
  servers+=($!)
  until [ -s "$TMP/banner" ]; do kill -0 "${servers[-1]}" || fail "no server: $(cat "$TMP/err")"; sleep 0.1; done
  url=$(head -1 "$TMP/banner" | awk '{ print $NF }')
  token=${url##*#token=}
}
ask() { curl -s -o "$TMP/body" -w '%{http_code}' -H "Authorization: Bearer $token" "${url%%#*}$1"; }
record() {  # record DIRECTORY: a job whose processes write by themselves once an hour only
  LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$1 LOCKSTEP_DUMP_INTERVAL_US=3600000000 "$BUILD/lockstep-emulate" --ranks 2 --iterations 1000000 --rate 20 \
    "$BUILD/libnccl-profiler.so" >"$TMP/counts" 2>&1 &
  jobs+=($!)
}

echo "what no job will fill"
mkdir "$TMP/other"
touch "$TMP/other/notes.txt" "$TMP/file"
for wrong in other file nothing; do
  status=0
  timeout 20 "$BUILD/lockstep" serve "$TMP/$wrong" >"$TMP/out" 2>"$TMP/err" || status=$?
  want_equal "exit code, $wrong" 3 "$status"
  [ -s "$TMP/err" ] && [ ! -s "$TMP/out" ] || fail "$wrong: $(cat "$TMP/out" "$TMP/err")"
done
[ ! -e "$TMP/other/serve" ] || fail "a folder that was refused has something in it"

echo "a directory that is empty yet"
mkdir "$run"
serve "$run"
grep -qx "no records yet; waiting for the first" "$TMP/banner" || fail "the banner does not say it: $(cat "$TMP/banner")"
want_equal "status of /api/run" 200 "$(ask api/run)"
want_equal "what it says" '{"waiting":"no records yet; waiting for the first"}' "$(jq -c . "$TMP/body")"
for path in api/live api/tiles api/ops?ranks=0 api/stacks; do want_equal "status of $path" 503 "$(ask "$path")"; done
want_equal "without the token" 401 "$(curl -s -o /dev/null -w '%{http_code}' "${url%%#*}api/run")"
want_equal "the page" 200 "$(curl -s -o /dev/null -w '%{http_code}' "${url%%#*}")"
touch "$TMP/go"
node "$ROOT/test/report/awaited.mjs" "$url" "$TMP/go" &
page=$!
until [ ! -e "$TMP/go" ]; do kill -0 "$page" || fail "the page does not wait"; sleep 0.1; done
record "$run"
wait "$page" || fail "the page of a job that begins is not as it should be"
[ -n "$(find "$run" -name '*.lks')" ] || fail "nobody told the processes to write"

echo "a job that has begun"
record "$TMP/begun"
for _ in $(seq 300); do [ "$(find "$TMP/begun" -name '*.arena' 2>/dev/null | wc -l)" = 2 ] && break; sleep 0.1; done
[ -z "$(find "$TMP/begun" -name '*.lks')" ] || fail "it has written already, so this test shows nothing"
serve "$TMP/begun"
grep -qx "no records yet; waiting for the first" "$TMP/banner" || fail "the banner does not say it: $(cat "$TMP/banner")"
ranks() { [ "$(ask api/run)" = 200 ] && jq -e '.serve.live and (.serve.ranks | length) == 2' "$TMP/body" >/dev/null; }
for _ in $(seq 300); do ranks && break; sleep 0.1; done
ranks || fail "its ranks do not come: $(head -c 300 "$TMP/body")"

echo "one with a folder for each host is a run, not a folder of runs"
record "$TMP/hosts/%h"
for _ in $(seq 300); do [ "$(find "$TMP/hosts" -name '*.arena' 2>/dev/null | wc -l)" = 2 ] && break; sleep 0.1; done
serve "$TMP/hosts"
for _ in $(seq 300); do ranks && break; sleep 0.1; done
ranks || fail "its ranks do not come: $(head -c 300 "$TMP/body")"

echo "an empty folder that becomes one of runs, of which one has written nothing"
mkdir "$TMP/parent"
serve "$TMP/parent"
want_equal "what it says" '{"waiting":"no records yet; waiting for the first"}' "$(ask api/run >"$TMP/code"; jq -c . "$TMP/body")"
"$BUILD/lockstep-generate" "$TMP/parent/ended" --ranks 2 --operations 20 >/dev/null
record "$TMP/parent/begun"
for _ in $(seq 300); do [ "$(find "$TMP/parent/begun" -name '*.arena' 2>/dev/null | wc -l)" = 2 ] && break; sleep 0.1; done
listed() { [ "$(ask api/run)" = 200 ] && jq -r '[.runs[]?.run] | join(" ")' "$TMP/body"; }
for _ in $(seq 300); do [ "$(listed)" = "begun ended" ] && break; sleep 0.1; done
want_equal "the runs" "begun ended" "$(listed)"
want_equal "status of one" 200 "$(ask runs/ended/api/run)"
of_begun() { [ "$(ask runs/begun/api/run)" = 200 ] && jq -e '.serve.live' "$TMP/body" >/dev/null; }
for _ in $(seq 300); do of_begun && break; sleep 0.1; done
of_begun || fail "the run that had just begun is not shown: $(head -c 300 "$TMP/body")"

echo "processes that are gone before they wrote"
mkdir "$TMP/gone"
record "$TMP/gone"
for _ in $(seq 300); do [ "$(find "$TMP/gone" -name '*.arena' 2>/dev/null | wc -l)" = 2 ] && break; sleep 0.1; done
# shellcheck disable=SC2046
kill -KILL "${jobs[-1]}" $(find "$TMP/gone" -name '*.ctl' | sed 's/.*\.\([0-9]*\)\.ctl/\1/')
wait "${jobs[-1]}" 2>/dev/null || true
serve "$TMP/gone"
gone() { [ "$(ask api/run)" = 200 ] && jq -e '.waiting | test("lockstep recover")' "$TMP/body" >/dev/null; }
for _ in $(seq 100); do gone && break; sleep 0.1; done
gone || fail "it does not say how to get what they left: $(head -c 300 "$TMP/body")"
"$BUILD/lockstep" recover "$TMP/gone" >/dev/null
recovered() { [ "$(ask api/run)" = 200 ] && jq -e '(.serve.ranks | length) == 2' "$TMP/body" >/dev/null; }
for _ in $(seq 300); do recovered && break; sleep 0.1; done
recovered || fail "what was recovered is not shown: $(head -c 300 "$TMP/body")"
