#!/usr/bin/env bash
# timeout: 900
# SIGKILL at random moments (KILLS of them, default 20): after recovery the run holds every call that had returned
# before the kill, at most one more per thread, and the ledger is exact.
. "$(dirname "$0")/lib.sh"
export LOCKSTEP_EVENTS=all LOCKSTEP_DUMP_INTERVAL_US=20000
seed=${SEED:-$RANDOM}
RANDOM=$seed
echo "SEED=$seed"
threads=2

# Calls of truth file $1, a driver's CallCounts: 3 x 16 numbers of 8 bytes.
total_calls() { od -An -v -t u8 -w8 -N $((3 * 16 * 8)) "$1" | awk '{n += $1} END {print n + 0}'; }

for ((i = 0; i < ${KILLS:-20}; ++i)); do
  dir=$TMP/$i
  LOCKSTEP_DIR=$dir "$BUILD/lockstep-storm" "$PLUGIN" --threads $threads --seconds 60 --steps 4 --rate 20000 \
    --truth "$TMP/truth" >/dev/null &
  victim=$!
  sleep "0.$(printf '%03d' $((RANDOM % 400)))"
  kill -KILL $victim
  wait $victim 2>/dev/null || true
  returned=$(total_calls "$TMP/truth")
  [ "$returned" = 0 ] && continue  # killed before the first call
  "$LOCKSTEP" recover "$dir" >"$TMP/recover" 2>&1 || { cat "$TMP/recover"; fail "kill $i: recover failed"; }
  recorded=$("$LOCKSTEP" count "$dir" --json | jq '([.starts[]] | add // 0) + .states + .stops')
  if [ "$recorded" -lt "$returned" ] || [ "$recorded" -gt $((returned + threads)) ]; then
    fail "kill $i: $returned calls had returned, $recorded are recorded"
  fi
  "$LOCKSTEP" verify "$dir" >"$TMP/verify" || { cat "$TMP/verify"; fail "kill $i: verify found a difference"; }
  rm -rf "$dir"
done
