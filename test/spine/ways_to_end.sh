#!/usr/bin/env bash
# However the program ends, what was recorded is in the run directory: by finalize, by exit without finalize, and with
# a fork in the middle, whose child must leave the parent's recording alone.
. "$(dirname "$0")/lib.sh"
export LOCKSTEP_EVENTS=all

# The values of one column of a CSV file.
column() { awk -F, -v name="$1" 'NR == 1 {for (i = 1; i <= NF; ++i) if ($i == name) at = i; next} {print $at}'; }

for end in finalize exit; do
  line=$(LOCKSTEP_DIR=$TMP/$end "$BUILD/lockstep-storm" "$PLUGIN" --operations 500 --end "$end")
  want_recorded "$end" "$line" "$TMP/$end"
  want_equal "files left by $end, but the host's own" 1 "$(find "$TMP/$end" -type f ! -name '*.load' | wc -l)"
done
line=$(LOCKSTEP_DIR=$TMP/fork "$BUILD/lockstep-storm" "$PLUGIN" --operations 500 --fork)
want_recorded "fork" "$line" "$TMP/fork"
want_equal "processes of fork" 1 "$("$LOCKSTEP" count "$TMP/fork" --json | jq .processes)"

# Threads that go on while the process exits: their calls are in the memory file, and verify says so until recover has
# written them. The process closed its recording: no finding calls it dead. A memory file on a disk, where threads cannot
# reserve blocks themselves, keeps 8 MiB for them.
exit_amid_calls() {  # exit_amid_calls NAME MOST_KIB
  local run=$TMP/$1 line memory_kib
  line=$(LOCKSTEP_DIR=$run "$BUILD/lockstep-storm" "$PLUGIN" --operations 500 --end exit-amid-calls)
  "$LOCKSTEP" verify "$run" >"$TMP/verify" && fail "$1: verify does not miss the calls made while the process exited"
  grep -q '^difference: .*exited while its threads went on.*`lockstep recover`' "$TMP/verify" ||
    { cat "$TMP/verify"; fail "$1: verify does not say what to do"; }
  memory_kib=$(du -k "$(cat "$run"/*.arena)" | cut -f1)
  [ "$memory_kib" -le "$2" ] || fail "$1: the memory file of a process that exited takes $memory_kib KiB"
  "$LOCKSTEP" recover "$run"
  want_recorded "$1" "$line" "$run"
  "$LOCKSTEP" export "$run" --to csv -o "$TMP/csv-$1" >/dev/null
  want_equal "$1: life of a process that exited" ended "$(column life <"$TMP/csv-$1/processes.csv")"
  want_equal "$1: memory files left" 0 "$(find "$run" -name '*.arena' | wc -l)"
}
mkdir "$TMP/disk"
LOCKSTEP_SHM_DIR=/dev/shm exit_amid_calls memory 4096
LOCKSTEP_SHM_DIR=$TMP/disk exit_amid_calls disk 12288
