#!/usr/bin/env bash
# The page of a run that `lockstep serve` serves, in headless Chromium: it asks for what is in view, takes SQL, hands a
# trace to Perfetto's page (here one that speaks as Perfetto's documentation says; the real one is the site's to install),
# and says what a wrong token means.
# timeout: 120
. "$(dirname "$0")/../lib.sh"
need_page served
need curl curl
need jq jq
export LOCKSTEP_HOST_LOAD=0 XDG_CACHE_HOME=$TMP/cache
LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-replay" --virtual "$BUILD/libnccl-profiler.so" \
  "$ROOT"/test/data/runs/straggler/*.zst >"$TMP/played"

# A job log with two lines in the middle of the run.
mkdir "$TMP/run/logs" "$TMP/perfetto"
middle=$("$BUILD/lockstep" report "$TMP/run" -o "$TMP/report" --json | jq '(.origin_unix_ns + .length_ns / 2) / 1e9')
printf '%s step 9\n%s ERROR <b>loss is nan</b>\n' "$middle" "$middle" >"$TMP/run/logs/train.log"

cat >"$TMP/perfetto/index.html" <<'HTML'
<!doctype html><link rel="icon" href="data:,"><script>
addEventListener("message", event => {
  if (event.data === "PING") event.source.postMessage("PONG", event.origin);
  else window.received = { bytes: event.data.perfetto.buffer.byteLength, title: event.data.perfetto.title };
});
</script>
HTML
PIDS=()
trap 'kill "${PIDS[@]}" 2>/dev/null; rm -rf "$TMP"' EXIT
LOCKSTEP_PERFETTO_UI=$TMP/perfetto "$BUILD/lockstep" serve "$TMP/run" >"$TMP/banner" 2>"$TMP/err" &
PIDS+=($!)
until [ -s "$TMP/banner" ]; do kill -0 "${PIDS[0]}" || fail "no server: $(cat "$TMP/err")"; sleep 0.1; done
url=$(head -1 "$TMP/banner" | awk '{ print $NF }')
site=$(curl -s -H "Authorization: Bearer ${url##*=}" "${url%%/#*}/api/run" | jq -r .serve.perfetto_ui)
node "$ROOT/test/report/served.mjs" "$url" "${site%/}" ||
  fail "the served page is not as it should be"
