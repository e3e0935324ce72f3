#!/usr/bin/env bash
# 40,000 collectives as fast as they go, every kind on: the classic overflow case. Nothing is shed, nothing is lost.
. "$(dirname "$0")/lib.sh"
export LOCKSTEP_EVENTS=all
for interval in 1000000 5000000; do
  line=$(LOCKSTEP_DIR=$TMP/$interval LOCKSTEP_DUMP_INTERVAL_US=$interval \
    "$BUILD/lockstep-storm" "$PLUGIN" --threads 2 --operations 20000 --steps 4)
  want_equal "shed at $interval us" 0 "$(lost "$TMP/$interval")"
  want_recorded "interval $interval" "$line" "$TMP/$interval"
done
