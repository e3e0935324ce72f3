#!/usr/bin/env bash
# count, cat, info, verify and recover on a replayed run, on a killed one, and on damaged and foreign directories.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
exit_code() { "$@" >"$TMP/out" 2>"$TMP/err" && echo 0 || echo $?; }
# replay DIR ARGUMENT...: what the driver says it called.
replay() {
  local dir=$1
  shift
  LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$dir "$BUILD/lockstep-replay" "$BUILD/libnccl-profiler.so" "$@"
}
calls() { jq -cS '{starts, states: (.states_by_kind // .states), stops: (.stops_by_kind // .stops)}'; }

run=$TMP/run
played=$(replay "$run" "$ROOT"/test/data/calls/mix.?.txt.zst --fast | calls)
want_equal "counts of a whole run" "$played" "$("$lockstep" count "$run" --json | calls)"
want_equal "verify of a whole run" 0 "$(exit_code "$lockstep" verify "$run")"
grep -q '^complete: ' "$TMP/out" || fail "verify does not say complete: $(cat "$TMP/out")"
want_equal "states is a number" number "$("$lockstep" count "$run" --json | jq -r '.states | type')"

want_equal "lines of cat" "$("$lockstep" count "$run" --json | jq .records)" "$("$lockstep" cat "$run" | wc -l)"
"$lockstep" cat "$run" | jq -s -e '[.[].raw_ns] | . == sort' >/dev/null || fail "cat is not in time order"
want_equal "cat --kind" "$("$lockstep" count "$run" --json | jq '.starts.Coll + .stops_by_kind.Coll')" \
  "$("$lockstep" cat "$run" --kind Coll | wc -l)"
want_equal "cat --rank" 1 "$("$lockstep" cat "$run" --rank 1 | jq .rank | sort -u)"
want_equal "cat --limit" 3 "$("$lockstep" cat "$run" --limit 3 | wc -l)"
want_equal "a field of cat" AllReduce "$("$lockstep" cat "$run" --kind Coll | jq -r 'select(.func).func' | head -1)"
want_equal "cat of an unknown kind" 2 "$(exit_code "$lockstep" cat "$run" --kind Call)"

want_equal "state of the processes" ended "$("$lockstep" info "$run" --json | jq -r '.processes[].state' | sort -u)"
want_equal "host in the facts" "$("$lockstep" info "$run" --json | jq -r '.processes[0].host')" \
  "$("$lockstep" info "$run" --json | jq -r '.processes[0].facts.host')"

# A flipped byte in the middle: one damaged chunk, and verify says so.
cp -r "$run" "$TMP/damaged"
file=$(find "$TMP/damaged" -name '*.lks' | sort | head -1)
flip_byte "$file"
want_equal "damaged chunks" 1 "$("$lockstep" count "$TMP/damaged" --json 2>/dev/null | jq .damaged_chunks)"
want_equal "verify of a damaged run" 1 "$(exit_code "$lockstep" verify "$TMP/damaged")"
grep -q "difference: .*at offset" "$TMP/out" || fail "verify does not name the damage: $(cat "$TMP/out")"

# Communicators that began in segments deleted for the disk budget are communicators all the same.
LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all LOCKSTEP_ROTATE_MB=1 LOCKSTEP_MAX_DISK_MB=2 LOCKSTEP_DIR=$TMP/rotated \
  "$BUILD/lockstep-storm" "$BUILD/libnccl-profiler.so" --comms 3 --threads 3 --operations 200000 --steps 2 >/dev/null
[ -z "$(find "$TMP/rotated" -name '*.0.lks')" ] || fail "the first segment is still there, so this shows nothing"
want_equal "communicators after rotation" 3 "$("$lockstep" count "$TMP/rotated" --json | jq .communicators)"

# Killed: recover gives every record back, once.
killed=$TMP/killed
played=$(replay "$killed" "$ROOT"/test/data/calls/mix.?.txt.zst --fast --end kill | calls)
want_equal "recover" 0 "$(exit_code "$lockstep" recover "$killed")"
want_equal "counts of a killed run" "$played" "$("$lockstep" count "$killed" --json | calls)"
want_equal "verify of a killed run" 0 "$(exit_code "$lockstep" verify "$killed")"
want_equal "recover again" "nothing to recover" "$("$lockstep" recover "$killed")"

mkdir "$TMP/empty"
for command in count cat info verify; do
  want_equal "$command of an empty directory" 3 "$(exit_code "$lockstep" $command "$TMP/empty")"
  grep -q "no lockstep segments" "$TMP/err" || fail "$command: $(cat "$TMP/err")"
  want_equal "$command of no directory" 3 "$(exit_code "$lockstep" $command "$TMP/none")"
  want_equal "$command without a directory" 2 "$(exit_code "$lockstep" $command)"
done
echo "not a segment" >"$TMP/empty/a.1.0.lks"
head -c 100 /dev/urandom >>"$TMP/empty/a.1.0.lks"
want_equal "verify of a foreign file" 3 "$(exit_code "$lockstep" verify "$TMP/empty")"
