#!/usr/bin/env bash
# `lockstep info` and `lockstep diagnose` name the options that differ between the processes of a run.
. "$(dirname "$0")/../lib.sh"
need jq jq
PLUGIN=$BUILD/libnccl-profiler.so LOCKSTEP=$BUILD/lockstep

for events in proxy proxy step; do
  LOCKSTEP_EVENTS=$events LOCKSTEP_DIR=$TMP/mixed "$BUILD/lockstep-storm" "$PLUGIN" --operations 10 >/dev/null
done
"$LOCKSTEP" info "$TMP/mixed" >"$TMP/info"
grep -qE 'processes differ: events=proxy: [^;]*, [^;]*; events=step: ' "$TMP/info" ||
  fail "info does not say that the processes' settings differ: $(cat "$TMP/info")"
want_equal "digests" "2 differ" "$("$LOCKSTEP" info "$TMP/mixed" --json |
  jq -r '[.processes[].facts.settings_digest | select(test("^[0-9a-f]{16}$"))] | "\(group_by(.) | length) differ"')"
want_equal "option in JSON" events "$("$LOCKSTEP" info "$TMP/mixed" --json | jq -r '.different_settings[0].option')"

# One job whose third rank was told otherwise: diagnose names it by its rank, once.
for rank in 0 1 2; do
  events=proxy
  [ $rank = 2 ] && events=coll
  LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=$events LOCKSTEP_DIR=$TMP/job "$BUILD/lockstep-replay" "$PLUGIN" --fast \
    "$ROOT/test/data/calls/mix.$rank.txt.zst" >/dev/null
done
"$LOCKSTEP" diagnose "$TMP/job" --json >"$TMP/diagnosis" || true
want_equal "what diagnose says of settings" \
  "Not all processes recorded with the same settings: events=proxy in ranks 0 and 1; events=coll in rank 2." \
  "$(jq -r '.not_known[] | select(test("settings")) | sub("(?<said>.*rank 2[.]).*"; "\(.said)")' "$TMP/diagnosis")"

LOCKSTEP_DIR=$TMP/one "$BUILD/lockstep-storm" "$PLUGIN" --operations 10 >/dev/null
"$LOCKSTEP" info "$TMP/one" | grep 'processes differ' && fail "one process differs from itself"
"$LOCKSTEP" diagnose "$TMP/one" | grep 'settings' && fail "diagnose says that one process differs from itself"
# Names of hosts are their own: the digest is the same.
LOCKSTEP_HOST=other LOCKSTEP_DIR=$TMP/one "$BUILD/lockstep-storm" "$PLUGIN" --operations 10 >/dev/null
want_equal "digests of two hosts" 1 "$("$LOCKSTEP" info "$TMP/one" --json | jq '[.processes[].facts.settings_digest] | unique | length')"
"$LOCKSTEP" info "$TMP/one" | grep 'processes differ' && fail "two hosts with the same settings differ"
true
