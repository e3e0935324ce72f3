#!/usr/bin/env bash
# timeout: 600
# Legal and illegal calls in random order from four threads; ROUNDS seeds from SEED on (7, one per table, from 1).
. "$(dirname "$0")/../spine/lib.sh"
export LOCKSTEP_EVENTS=all
seed=${SEED:-1}
echo "SEED=$seed"
for ((i = 0; i < ${ROUNDS:-7}; ++i)); do
  dir=$TMP/$i
  LOCKSTEP_DIR=$dir timeout -k 5 120 "$BUILD/lockstep-abuse" "$PLUGIN" --table $((i % 7 + 1)) --random $((seed + i)) \
    --operations "${OPERATIONS:-100000}" >"$TMP/log" 2>&1 || fail "seed $((seed + i)): status $?: $(cat "$TMP/log")"
  "$LOCKSTEP" verify "$dir" >"$TMP/verify" 2>&1 ||
    { cat "$TMP/verify"; fail "seed $((seed + i)): verify found a difference"; }
  rm -rf "$dir"
done
