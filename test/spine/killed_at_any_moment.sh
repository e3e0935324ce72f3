#!/usr/bin/env bash
# timeout: 900
# SIGKILL at random moments (KILLS of them, default 20, chosen by SEED, default 1; each with crash safety on and off:
# MODES="1 0"). On: after recovery the run holds every call that had returned before the kill, at most one more per thread,
# and the ledger is exact. Off: it holds every call that had returned before the last dump but one began, and verify says
# what is not here and why.
. "$(dirname "$0")/lib.sh"
export LOCKSTEP_EVENTS=all LOCKSTEP_DUMP_INTERVAL_US=20000
seed=${SEED:-1}
RANDOM=$seed
echo "SEED=$seed"
threads=2

# Calls of truth file $1, a driver's CallCounts: 3 x 16 numbers of 8 bytes. 0 when it was not there yet.
total_calls() { if [ -s "$1" ]; then od -An -v -t u8 -w8 -N $((3 * 16 * 8)) "$1" | awk '{n += $1} END {print n + 0}'; else echo 0; fi; }
bytes_written() { cat "$1"/*.lks 2>/dev/null | wc -c || true; }
recorded_calls() { "$LOCKSTEP" count "$1" --json 2>"$TMP/count" | jq '([.starts[]] | add // 0) + .states + .stops'; }
# What is said where the kill interrupted the write of a chunk, and where it came before the first was begun.
interrupted='the file ends inside a chunk$'
unborn='nothing in it can be read: .*\(the segment ends inside its header\|it holds nothing but its header\)$'

storm() {  # storm DIR OPTION...: in the background, as $victim
  LOCKSTEP_DIR=$1 "$BUILD/lockstep-storm" "$PLUGIN" --threads $threads --seconds 60 --truth "$1.truth" "${@:2}" >/dev/null &
  victim=$!
}
kill_storm() {
  kill -KILL $victim
  wait $victim 2>/dev/null || true
}

kill_with_crash_safety_on() {  # DIR
  local dir=$1 returned recorded
  storm "$dir" --steps 4 --rate 20000
  sleep "0.$(printf '%03d' $((RANDOM % 400)))"
  kill_storm
  returned=$(total_calls "$dir.truth")
  if [ "$returned" = 0 ]; then  # killed before the first call; there may be an arena all the same
    early=$((early + 1))
    "$LOCKSTEP" recover "$dir" >"$TMP/recover" 2>&1 || [ ! -e "$dir" ] || { cat "$TMP/recover"; fail "kill $i: recover failed"; }
    return
  fi
  "$LOCKSTEP" recover "$dir" >"$TMP/recover" 2>&1 || { cat "$TMP/recover"; fail "kill $i: recover failed"; }
  recorded=$(recorded_calls "$dir")
  if [ "$recorded" -lt "$returned" ] || [ "$recorded" -gt $((returned + threads)) ]; then
    fail "kill $i: $returned calls had returned, $recorded are recorded"
  fi
  "$LOCKSTEP" verify "$dir" >"$TMP/verify" ||
    { cat "$TMP/verify" "$TMP/recover"; "$LOCKSTEP" count "$dir"; "$LOCKSTEP" info "$dir"; fail "kill $i: verify found a difference"; }
}

# A slow stream, so that a dump is one chunk. Calls are read before the file's size: when the file has grown twice since,
# the second growth is of a dump that began after those calls had returned. Not so the first dump's: it makes the file, in
# four writes.
kill_with_crash_safety_off() {  # DIR
  local dir=$1 sure=0 waiting=0 newest=0 size=0 writes=0 seen now until returned recorded differences
  export LOCKSTEP_CRASH_SAFE=0
  storm "$dir" --steps 4 --rate 500
  until=$((${EPOCHREALTIME/./} + RANDOM % 400 * 1000))
  while [ "${EPOCHREALTIME/./}" -lt $until ]; do
    seen=$(total_calls "$dir.truth")
    now=$(bytes_written "$dir")
    if [ "$now" != $size ]; then
      size=$now writes=$((writes + 1))
      if [ $writes -gt 4 ]; then sure=$waiting waiting=$newest; fi
    fi
    newest=$seen
  done
  kill_storm
  unset LOCKSTEP_CRASH_SAFE
  returned=$(total_calls "$dir.truth")
  if ! compgen -G "$dir/*.lks" >/dev/null; then
    [ "$sure" = 0 ] || fail "kill $i: nothing is recorded of $sure calls that had to be"
    return
  fi
  if recorded=$(recorded_calls "$dir") || grep -q "$interrupted" "$TMP/count"; then
    recorded=${recorded:-0}
  else
    grep -q "$unborn" "$TMP/count" || { cat "$TMP/count"; fail "kill $i: the directory cannot be read"; }
    recorded=0
  fi
  if [ "$recorded" -lt "$sure" ] || [ "$recorded" -gt $((returned + threads)) ]; then
    fail "kill $i: $returned calls had returned, $sure of them before the last dump but one; $recorded are recorded"
  fi
  lost_calls=$((lost_calls + (returned > recorded ? returned - recorded : 0))) all_calls=$((all_calls + returned))
  "$LOCKSTEP" verify "$dir" >"$TMP/verify" && fail "kill $i: verify says nothing of the death"
  differences=$(grep '^difference:' "$TMP/verify" | grep -v "$interrupted" || true)
  if [[ $differences == *$'\n'* || $differences != *"last dump interval (20000 us)"* ]]; then
    # Killed while it made its first segment: there may be no facts yet.
    [ "$recorded" = 0 ] || { cat "$TMP/verify"; fail "kill $i: verify does not say what is lost, or finds more"; }
  fi
}

early=0 lost_calls=0 all_calls=0
for crash_safe in ${MODES:-1 0}; do
  for ((i = 0; i < ${KILLS:-20}; ++i)); do
    if [ "$crash_safe" = 1 ]; then kill_with_crash_safety_on "$TMP/$i"; else kill_with_crash_safety_off "$TMP/$i"; fi
    rm -rf "${TMP:?}/$i" "$TMP/$i.truth"
  done
done
echo "crash safety on: $early of the kills came before the first call"
echo "crash safety off: $lost_calls of $all_calls calls were lost with the processes' memory"
