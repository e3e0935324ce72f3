#!/usr/bin/env bash
# What the emulator says it called, threads, faults and graph replays included, is in the run directory call by call.
. "$(dirname "$0")/lib.sh"
export LOCKSTEP_EVENTS=all LOCKSTEP_CLOCK=0
while read -r -a options; do
  line=$(LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-emulate" "$PLUGIN" --ranks 3 --iterations 10 "${options[@]}")
  want_recorded "${options[*]}" "$line" "$TMP/run"
  rm -rf "$TMP/run"
done <<'OPTIONS'
--sendrecv
--alltoall --groups 3
--split --share
--graph-replay 3
--ce --net-events
--abort 1 --at 5
--recv-repeats 3 --peer-wait-repeats 20
--comms 3 --table v4
OPTIONS
