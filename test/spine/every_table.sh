#!/usr/bin/env bash
# Each of the seven tables delivers what its version knows, and all of it is recorded.
. "$(dirname "$0")/lib.sh"
export LOCKSTEP_EVENTS=all
for table in v1 v2 v3 v4 v5 v6 v7; do
  line=$(LOCKSTEP_DIR=$TMP/$table "$BUILD/lockstep-replay" "$PLUGIN" --fast --table "$table" "$ROOT"/test/data/calls/mix.*.zst)
  want_recorded "$table" "$line" "$TMP/$table"
done
