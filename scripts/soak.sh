#!/usr/bin/env bash
# soak.sh MINUTES: one process churns (communicators, threads, operations, rotation) for that long; beside
# it, others are killed, stopped, held up by their disk, run into a full disk, and called at random, over and over. Every
# run is verified. SEED (1) chooses the calls and the delays. Prints what was lost and what the churning process grew by;
# fails on loss, growth or a difference.
. "$(dirname "$0")/../test/spine/lib.sh"
minutes=$1
[[ $minutes =~ ^[0-9]+$ ]] || fail "MINUTES=$minutes: expected a whole number"
end=$((SECONDS + minutes * 60)) seed=${SEED:-1}
RANDOM=$seed
export LOCKSTEP_EVENTS=all LOCKSTEP_DUMP_INTERVAL_US=200000 LOCKSTEP_ROTATE_MB=1
rounds=0 calls=0 lost=0 recovered=0

# storm OPTION...: in the background, as $victim.
storm() {
  "$BUILD/lockstep-storm" "$PLUGIN" --steps 4 --rate 2000 "$@" >>"$TMP/log" 2>&1 &
  victim=$!
}

# check NAME DIR: nothing differs; adds up what was called and lost.
check() {
  "$LOCKSTEP" verify "$2" >"$TMP/verify" || { cat "$TMP/verify"; fail "$1 (seed $seed, round $rounds): verify found a difference"; }
  local counts shed
  counts=$("$LOCKSTEP" count "$2" --json)
  calls=$((calls + $(jq '([.starts[]] | add // 0) + .states + .stops' <<<"$counts")))
  shed=$(jq '[.shed[]?] | add // 0' <<<"$counts")
  [ "$1" != random_calls ] || shed=0  # a handle that never was can say of itself that it was shed
  [ "$shed" = 0 ] || echo "$1 (seed $seed, round $rounds): $shed calls were shed: $(jq -c .shed <<<"$counts")"
  lost=$((lost + shed))
  rm -rf "$2"
}

killed() {
  LOCKSTEP_DIR=$1 storm --seconds 60
  sleep "0.$(printf '%03d' $((300 + RANDOM % 700)))"
  kill -KILL $victim
  wait $victim 2>/dev/null || true
  "$LOCKSTEP" recover "$1" >>"$TMP/log"
  recovered=$((recovered + 1))
}
stopped() {
  LOCKSTEP_DIR=$1 storm --seconds 2
  sleep 0.5
  kill -STOP $victim
  sleep 1
  kill -CONT $victim
  wait $victim
}
held_up() {
  LD_PRELOAD=$BUILD/test/libslow_write.so SLOW_WRITES=3 SLOW_WRITE_MS=500 LOCKSTEP_DIR=$1 storm --seconds 2
  wait $victim
}
random_calls() {
  LOCKSTEP_DIR=$1 "$BUILD/lockstep-abuse" "$PLUGIN" --table $((rounds % 7 + 1)) --random $((seed + rounds)) \
    --operations 20000 >>"$TMP/log" 2>&1
}
# A file system of 2 MiB that somebody else has filled, and empties after a second.
full_disk() {
  mkdir "$1"
  mount -t tmpfs -o size=2m,mode=700 lockstep-soak "$1" 2>/dev/null || return 0  # needs root
  head -c 4M /dev/zero >"$1/filler" 2>/dev/null || true
  LOCKSTEP_DIR=$1/run storm --seconds 2
  sleep 1
  rm "$1/filler"
  wait $victim
  cp -r "$1/run" "$1.copy"
  umount "$1"
  rmdir "$1"
  mv "$1.copy" "$1"
}

echo "SEED=$seed"
LOCKSTEP_DIR=$TMP/churn LOCKSTEP_BUFFER_MB=512 LD_PRELOAD=$BUILD/test/libslow_write.so SLOW_WRITES=1 \
  SLOW_WRITE_MS=1000 "$BUILD/lockstep-churn" "$PLUGIN" --seconds $((minutes * 60)) --rate 2000 >"$TMP/churn.json" &
churn=$!
while [ $SECONDS -lt $end ]; do
  for fault in killed stopped held_up random_calls full_disk; do
    $fault "$TMP/$fault" || { cat "$TMP/log"; fail "$fault (seed $seed, round $rounds) ended with status $?"; }
    [ ! -d "$TMP/$fault" ] || check "$fault" "$TMP/$fault"
  done
  rounds=$((rounds + 1))
done
wait $churn || fail "the churning process ended with status $?"
check churn "$TMP/churn"

jq -r '"churn: \(.operations) operations over \(.communicators) communicators; memory \(.warm.memory_kb) to \(.final.memory_kb) KiB, handles \(.warm.handles) to \(.final.handles), threads \(.warm.threads) to \(.final.threads), mappings \(.warm.mappings) to \(.final.mappings)"' "$TMP/churn.json"
echo "faults: $rounds rounds of five, $recovered processes recovered; all runs: $calls calls recorded, $lost lost"
growth=$(jq '.final.memory_kb - .warm.memory_kb' "$TMP/churn.json")
[ "$growth" -lt 1024 ] || fail "memory grew by $growth KiB"
[ "$(jq '.warm.handles == .final.handles and .warm.threads == .final.threads' "$TMP/churn.json")" = true ] || fail "handles or threads were left"
[ "$(jq '.final.mappings - .warm.mappings' "$TMP/churn.json")" -lt 20 ] || fail "mappings were left"
[ $lost = 0 ] || fail "$lost calls were lost"
