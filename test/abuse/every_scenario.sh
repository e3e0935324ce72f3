#!/usr/bin/env bash
# timeout: 900
# Every scenario of lockstep-abuse, through every table: the process ends well, nothing hangs, and the recording's ledger
# is exact, once `lockstep recover` has written what threads did while the process exited. TABLES chooses tables (default
# all seven).
. "$(dirname "$0")/../spine/lib.sh"
export LOCKSTEP_EVENTS=all
LIMIT_S=300  # for what hangs; the thread sanitizer takes 30 s for a thousand generations beside a build

every_scenario() {  # every_scenario TABLE
  local table=$1 scenario dir said=$TMP/said.$1
  while read -r scenario; do
    dir=$TMP/$table.$scenario
    LOCKSTEP_DIR=$dir timeout -k 5 $LIMIT_S "$BUILD/lockstep-abuse" "$PLUGIN" --table "$table" --scenario "$scenario" \
      >"$said" 2>&1 || fail "table v$table, $scenario: ended with status $?: $(cat "$said")"
    "$LOCKSTEP" recover "$dir" >"$said" 2>&1 || { cat "$said"; fail "table v$table, $scenario: recover failed"; }
    "$LOCKSTEP" verify "$dir" >"$said" 2>&1 ||
      { cat "$said"; fail "table v$table, $scenario: verify found a difference"; }
    rm -rf "$dir"
  done < <("$BUILD/lockstep-abuse" --list)
}

# Two tables at once: half of the time is spent waiting for threads that start and end a thousand times.
running=0
for table in ${TABLES:-1 2 3 4 5 6 7}; do
  if [ $running = 2 ]; then
    wait -n || fail "see above"
    running=1
  fi
  every_scenario "$table" &
  running=$((running + 1))
done
for ((; running > 0; --running)); do wait -n || fail "see above"; done
