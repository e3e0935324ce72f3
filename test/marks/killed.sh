#!/usr/bin/env bash
# The marks of a killed process are all there after recovery: those whose calls had returned.
. "$(dirname "$0")/lib.sh"
LOCKSTEP_DUMP_INTERVAL_US=3600000000 LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-marks" "$PLUGIN" --steps 30 --threads 8 --ranges 10 --end wait >"$TMP/told" &
victim=$!
for ((i = 0; i < 6000; ++i)); do
  [ ! -s "$TMP/told" ] || break
  sleep 0.01
done
kill -KILL $victim
wait $victim 2>/dev/null || true
"$LOCKSTEP" recover "$TMP/run" >"$TMP/recover" 2>&1 || { cat "$TMP/recover"; fail "recover"; }
# 30 steps: 2 marks of the step, 4 of thread 0's ranges, 20 of each other thread's.
want_equal "marks that were made" '{"recorded":4380,"refused":0}' "$(jq -c .inside "$TMP/told")"
want_equal "marks that were recovered" 4380 "$(kept_marks "$TMP/run")"
want_verified "$TMP/run"
