#!/usr/bin/env bash
# lockstep-clockd reads the variables and the file that the plugin reads; its flags win over them.
. "$(dirname "$0")/../lib.sh"
CLOCKD=$BUILD/lockstep-clockd
cd "$TMP"

# appears FILE COMMAND...: runs the prober until it has written that file.
appears() {
  local file=$1 prober
  shift
  "$@" --seconds 60 >"$TMP/said" 2>&1 &
  prober=$!
  until [ -s "$file" ]; do
    kill -0 $prober 2>/dev/null || fail "the prober ended without $file: $(cat "$TMP/said")"
    sleep 0.05
  done
  kill $prober
  wait $prober || true
}

mkdir "$TMP/out" "$TMP/file" "$TMP/flag"
appears "$TMP/out/envhost.clock" \
  env LOCKSTEP_CLOCK_OUT="$TMP/out" LOCKSTEP_HOST=envhost LOCKSTEP_CLOCK_RENDEZVOUS=none "$CLOCKD"

echo "{\"host\": \"filehost\", \"clock_out\": \"$TMP/file\", \"clock_rendezvous\": \"none\"}" >"$TMP/config.json"
appears "$TMP/file/filehost.clock" env LOCKSTEP_CONFIG="$TMP/config.json" "$CLOCKD"
appears "$TMP/flag/flaghost.clock" env LOCKSTEP_CONFIG="$TMP/config.json" "$CLOCKD" --host flaghost --dir "$TMP/flag"

LOCKSTEP_CLOCK_CADENCEUS=5 LOCKSTEP_CLOCK_RENDEZVOUS=none "$CLOCKD" --dir "$TMP/out" --seconds 1 >/dev/null 2>"$TMP/said"
grep -q 'LOCKSTEP_CLOCK_CADENCEUS.*did you mean LOCKSTEP_CLOCK_CADENCE_US' "$TMP/said" ||
  fail "a misspelled variable is not named: $(cat "$TMP/said")"
