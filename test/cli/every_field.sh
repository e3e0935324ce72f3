#!/usr/bin/env bash
# Every field of every kind reaches `lockstep cat` with the value that the plugin was given, through each of the seven
# tables; what a table lacks is 0 or null.
. "$(dirname "$0")/../lib.sh"
need python3 python3
export LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all
for version in 1 2 3 4 5 6 7; do
  LOCKSTEP_DIR=$TMP/$version "$BUILD/lockstep-fields" "$BUILD/libnccl-profiler.so" $version
  "$BUILD/lockstep" cat "$TMP/$version" | python3 "$ROOT/test/cli/every_field.py" "$ROOT/docs/format.md" $version
done
