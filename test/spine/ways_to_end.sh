#!/usr/bin/env bash
# However the program ends, what was recorded is in the run directory: by finalize, by exit without finalize, and with
# a fork in the middle, whose child must leave the parent's recording alone.
. "$(dirname "$0")/lib.sh"
export LOCKSTEP_EVENTS=all
for end in finalize exit; do
  line=$(LOCKSTEP_DIR=$TMP/$end "$BUILD/lockstep-storm" "$PLUGIN" --operations 500 --end "$end")
  want_recorded "$end" "$line" "$TMP/$end"
  want_equal "files left by $end" 1 "$(find "$TMP/$end" -type f | wc -l)"
done
line=$(LOCKSTEP_DIR=$TMP/fork "$BUILD/lockstep-storm" "$PLUGIN" --operations 500 --fork)
want_recorded "fork" "$line" "$TMP/fork"
want_equal "processes of fork" 1 "$("$LOCKSTEP" count "$TMP/fork" --json | jq .processes)"
