#!/usr/bin/env bash
# The page of a job that runs, in headless Chromium: it follows the job by itself, stays where its reader zoomed to, goes on
# at a key or a button, takes no text out of a field, and says when the job has ended. /api/live says the same.
# timeout: 200
. "$(dirname "$0")/../lib.sh"
need_live_page
run=$TMP/run
# What is shown comes out of the processes' memory: they write by themselves once an hour only.
LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$run LOCKSTEP_DUMP_INTERVAL_US=3600000000 "$BUILD/lockstep-emulate" --ranks 4 \
  --iterations 1000000 --rate 20 "$BUILD/libnccl-profiler.so" >"$TMP/counts" 2>&1 &
job=$!
server=
pids() { find "$run" -name '*.ctl' | sed 's/.*\.\([0-9]*\)\.ctl/\1/'; }
cleanup() {
  # shellcheck disable=SC2046
  kill -KILL $job $server $(pids) 2>/dev/null || true
  wait
  rm -rf "$TMP"
}
trap cleanup EXIT
for _ in $(seq 600); do
  [ "$("$BUILD/lockstep" progress "$run" --json 2>/dev/null | jq '.progress | length')" = 4 ] && break
  sleep 0.1
done
"$BUILD/lockstep" serve "$run" >"$TMP/banner" 2>"$TMP/err" &
server=$!
until [ -s "$TMP/banner" ]; do kill -0 "$server" || fail "no server: $(cat "$TMP/err")"; sleep 0.1; done
url=$(head -1 "$TMP/banner" | awk '{ print $NF }')

now() { curl -s -H "Authorization: Bearer ${url##*#token=}" "${url%%#*}api/live"; }
first=$(now)
jq -e '.live and .trouble == "" and .age_ms >= 0 and .to_ns > 0' <<<"$first" >/dev/null || fail "/api/live: $first"
for _ in $(seq 600); do
  [ "$(now | jq .reading)" -gt "$(jq .reading <<<"$first")" ] && break
  sleep 0.1
done
later=$(now)
[ "$(jq .to_ns <<<"$later")" -gt "$(jq .to_ns <<<"$first")" ] || fail "a later reading has nothing more: $first, $later"

# shellcheck disable=SC2046
node "$ROOT/test/report/live.mjs" "$url" $(pids) || fail "the page of a running job is not as it should be"
want_equal "/api/live when the job has ended" false "$(now | jq .live)"

# Where the ranks stood when the page asked last is there still, and only that.
stacks() { curl -s -o "$TMP/stacks" -w '%{http_code}' -H "Authorization: Bearer ${url##*#token=}" "${url%%#*}api/stacks"; }
kept=$run/findings/stacks.json
for _ in $(seq 50); do [ "$(stacks)" = 200 ] && cmp -s "$TMP/stacks" "$kept" && break; sleep 0.1; done
cmp "$TMP/stacks" "$kept" || fail "what is kept is not the answer: $(head -c 500 "$TMP/stacks")"
jq -e '.taken_unix_ns > 1e18 and (.trees | length) > 0' "$kept" >/dev/null || fail "kept: $(head -c 500 "$kept")"
want_equal "who may read it" 600 "$(stat -c %a "$kept")"
want_equal "/api/run knows of it" true \
  "$(curl -s -H "Authorization: Bearer ${url##*#token=}" "${url%%#*}api/run" | jq .serve.stacks_kept)"
echo '{"secret": 1}' >"$TMP/secret"
ln -sf "$TMP/secret" "$kept"
sleep 2.1
want_equal "status of a link to something else" 503 "$(stacks)"
