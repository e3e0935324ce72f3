#!/usr/bin/env bash
# `lockstep info` names the options that differ between the processes of a run.
. "$(dirname "$0")/../lib.sh"
need jq jq
PLUGIN=$BUILD/libnccl-profiler.so LOCKSTEP=$BUILD/lockstep

for events in proxy proxy step; do
  LOCKSTEP_EVENTS=$events LOCKSTEP_DIR=$TMP/mixed "$BUILD/lockstep-storm" "$PLUGIN" --operations 10 >/dev/null
done
"$LOCKSTEP" info "$TMP/mixed" >"$TMP/info"
grep -qE 'processes differ: events=proxy: [^;]*, [^;]*; events=step: ' "$TMP/info" ||
  fail "info does not say that the processes' settings differ: $(cat "$TMP/info")"
want_equal "option in JSON" events "$("$LOCKSTEP" info "$TMP/mixed" --json | jq -r '.different_settings[0].option')"

LOCKSTEP_DIR=$TMP/one "$BUILD/lockstep-storm" "$PLUGIN" --operations 10 >/dev/null
"$LOCKSTEP" info "$TMP/one" | grep 'processes differ' && fail "one process differs from itself"
true
