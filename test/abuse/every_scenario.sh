#!/usr/bin/env bash
# timeout: 900
# Every scenario of lockstep-abuse, through every table: the process ends well, nothing hangs, and the recording's ledger
# is exact, once `lockstep recover` has written what threads did while the process exited. TABLES chooses tables (default
# all seven).
. "$(dirname "$0")/../spine/lib.sh"
export LOCKSTEP_EVENTS=all
for table in ${TABLES:-1 2 3 4 5 6 7}; do
  while read -r scenario; do
    dir=$TMP/$table.$scenario
    LOCKSTEP_DIR=$dir timeout -k 5 60 "$BUILD/lockstep-abuse" "$PLUGIN" --table "$table" --scenario "$scenario" \
      >"$TMP/log" 2>&1 || fail "table v$table, $scenario: ended with status $?: $(cat "$TMP/log")"
    "$LOCKSTEP" recover "$dir" >"$TMP/recover" 2>&1 || { cat "$TMP/recover"; fail "table v$table, $scenario: recover failed"; }
    "$LOCKSTEP" verify "$dir" >"$TMP/verify" 2>&1 ||
      { cat "$TMP/verify"; fail "table v$table, $scenario: verify found a difference"; }
    rm -rf "$dir"
  done < <("$BUILD/lockstep-abuse" --list)
done
