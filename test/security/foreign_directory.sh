#!/usr/bin/env bash
# A run directory that somebody else made in a world-writable place: its owner may remove what is in it, but neither
# read nor change it, and cannot make us take a key that is not ours.
. "$(dirname "$0")/../spine/lib.sh"
[ "$(id -u)" = 0 ] || skip "only root can be two users"
need setpriv util-linux
as() { setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"; }
chmod 755 "$TMP"
mkdir "$TMP/bin"
cp "$PLUGIN" "$BUILD/lockstep-storm" "$BUILD/lockstep" "$TMP/bin/"
mkdir -m 1777 "$TMP/world" "$TMP/shm"
victim=12345 mallory=12346
run=$TMP/world/run
export LOCKSTEP_CLOCK=1 LOCKSTEP_CLOCK_JOB=job LOCKSTEP_EVENTS=all LOCKSTEP_SHM_DIR=$TMP/shm
storm=("$TMP/bin/lockstep-storm" "$TMP/bin/libnccl-profiler.so")

# record DIR CONDITION...: as the victim, until the condition holds (a minute at most).
record() {
  local dir=$1 i process
  shift
  rm -f "$TMP/world/stop"
  as $victim env LOCKSTEP_DIR="$dir" "${storm[@]}" --rate 500 --until "$TMP/world/stop" >"$TMP/line" 2>"$TMP/err" &
  process=$!
  for ((i = 0; i < 600; ++i)); do "$@" && break || sleep 0.1; done
  touch "$TMP/world/stop"
  wait $process || fail "the host ended with status $?"
  [ $i != 600 ] || { cat "$TMP/err"; fail "waited a minute for this: $*"; }
}

# Where the key of this job will be sought, as anybody can know.
record "$TMP/world/first" eval 'find "$TMP/world/first" -name key 2>/dev/null | grep -q .'
place=$(basename "$(dirname "$(find "$TMP/world/first" -name key)")")
as $mallory mkdir -m 777 "$run" "$run/clock" "$run/clock/$place"
as $mallory bash -c "head -c 32 /dev/zero >$run/clock/$place/key"

record "$run" grep -q 'clock key .* belongs to another user' "$TMP/err"
line=$(cat "$TMP/line")
calls=$(jq '[(.starts, .states, .stops) | .[]] | add' <<<"$line")
want_equal "calls in the ledger" "$calls" "$(as $victim "$TMP/bin/lockstep" verify "$run" --json | jq .calls)"
segment=$(find "$run" -name '*.lks')
want_equal "owner and mode of the segment" "$victim 600" "$(stat -c '%u %a' "$segment")"
before=$(sha256sum "$segment")
if as $mallory cat "$segment" >/dev/null 2>&1; then fail "the directory's owner reads the segment"; fi
if as $mallory bash -c "echo x >>$segment" 2>/dev/null; then fail "the directory's owner writes the segment"; fi
want_equal "the segment" "$before" "$(sha256sum "$segment")"

# What a dead process of one user left is nothing to another's recovery, nor to root's.
(export LOCKSTEP_DIR=$TMP/world/second && exec setpriv --reuid $victim --regid $victim --clear-groups \
  "${storm[@]}" --until "$TMP/never" >/dev/null 2>&1) &
process=$!
for ((i = 0; i < 600; ++i)); do compgen -G "$TMP/world/second/*.lks" >/dev/null && break || sleep 0.1; done
kill -KILL $process
wait $process 2>/dev/null || true
arena=$(ls "$TMP"/shm/*.blocks)
for user in 0 $mallory; do
  as $user env LOCKSTEP_SHM_DIR="$TMP/shm" "$TMP/bin/lockstep" recover --all >"$TMP/recover" 2>&1 || true
  if grep -q "$TMP/world/second" "$TMP/recover"; then cat "$TMP/recover"; fail "user $user recovers another's run"; fi
  [ -f "$arena" ] || fail "user $user removed another's memory file"
done
if as 0 "$TMP/bin/lockstep" recover "$TMP/world/second" >"$TMP/recover"; then fail "root took another's memory file"; fi
grep -q "belongs to user $victim, who alone can recover it" "$TMP/recover" || { cat "$TMP/recover"; fail "no reason"; }
as $victim env LOCKSTEP_SHM_DIR="$TMP/shm" "$TMP/bin/lockstep" recover --all >"$TMP/recover" ||
  { cat "$TMP/recover"; fail "its owner cannot recover it"; }
[ ! -f "$arena" ] || fail "the memory file is still there"
as $victim "$TMP/bin/lockstep" verify "$TMP/world/second" >/dev/null || fail "verify finds a difference after recover"
