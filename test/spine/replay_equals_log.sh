#!/usr/bin/env bash
# Every recorded log of real NCCL, played into the plugin at full speed, is in the run directory call by call.
. "$(dirname "$0")/lib.sh"
export LOCKSTEP_EVENTS=all
for scenario in "$ROOT"/test/data/calls/*.0.txt.zst; do
  name=$(basename "$scenario" .0.txt.zst)
  line=$(LOCKSTEP_DIR=$TMP/$name "$BUILD/lockstep-replay" "$PLUGIN" --fast "${scenario%.0.txt.zst}".*.txt.zst)
  want_recorded "$name" "$line" "$TMP/$name"
done
for run in straggler hang; do
  line=$(LOCKSTEP_DIR=$TMP/$run "$BUILD/lockstep-replay" "$PLUGIN" --fast "$ROOT/test/data/runs/$run"/*.zst)
  want_recorded "$run" "$line" "$TMP/$run"
done
