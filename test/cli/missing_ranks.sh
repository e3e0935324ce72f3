#!/usr/bin/env bash
# `verify` names the ranks of which nothing was recorded; --partial accepts that and nothing else. It also sees files that
# have each other's names.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
exit_code() { "$@" >"$TMP/out" 2>"$TMP/err" && echo 0 || echo $?; }
LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-emulate" --ranks 4 --split --iterations 10 \
  "$BUILD/libnccl-profiler.so" >/dev/null
want_equal "verify of a whole run" 0 "$(exit_code "$lockstep" verify "$TMP/run")"

# rank_file DIR RANK: the segment of that rank of the world.
rank_file() {
  local pid
  pid=$("$lockstep" info "$1" --json | jq -r ".processes[] | select(any(.communicators[]; .ranks == 4 and .rank == $2)) | .pid")
  find "$1" -name "*.$pid.0.lks"
}
cp -r "$TMP/run" "$TMP/half"
lost=("$(rank_file "$TMP/half" 1)" "$(rank_file "$TMP/half" 3)")
rm "${lost[@]}"
want_equal "verify of half of the ranks" 1 "$(exit_code "$lockstep" verify "$TMP/half")"
grep -q '^difference: communicator world (0x[0-9a-f]*) of 4 ranks: nothing was recorded of ranks 1, 3$' "$TMP/out" ||
  fail "the ranks are not named: $(cat "$TMP/out")"
grep -q '^NOT complete' "$TMP/out" || fail "half of the ranks are called complete: $(cat "$TMP/out")"
want_equal "in JSON" false "$("$lockstep" verify "$TMP/half" --json | jq .complete)"
want_equal "--partial" 0 "$(exit_code "$lockstep" verify "$TMP/half" --partial)"
grep -q '^note: .*nothing was recorded of ranks 1, 3$' "$TMP/out" || fail "--partial names no ranks: $(cat "$TMP/out")"

file=$(rank_file "$TMP/half" 0)
flip_byte "$file"
want_equal "--partial of a damaged part" 1 "$(exit_code "$lockstep" verify "$TMP/half" --partial)"

cp -r "$TMP/run" "$TMP/swapped"
one=$(rank_file "$TMP/swapped" 0) two=$(rank_file "$TMP/swapped" 1)
mv "$one" "$TMP/kept" && mv "$two" "$one" && mv "$TMP/kept" "$two"
want_equal "verify of swapped names" 1 "$(exit_code "$lockstep" verify "$TMP/swapped")"
want_equal "files that are named as another's" 2 "$(grep -c "named as another's" "$TMP/out")"

# Two jobs in one directory are told apart, by their launcher's number and by their communicators.
for job in 41 42; do
  SLURM_JOB_ID=$job LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/shared "$BUILD/lockstep-emulate" --ranks 2 --seed $job \
    --iterations 5 "$BUILD/libnccl-profiler.so" >/dev/null
done
want_equal "verify of two jobs" 0 "$(exit_code "$lockstep" verify "$TMP/shared")"
grep -q "^note: .*form 2 groups that share no communicator" "$TMP/out" || fail "the groups are not told: $(cat "$TMP/out")"
grep -q "^note: .*processes of 2 jobs are mixed here (SLURM_JOB_ID 41, 42)" "$TMP/out" || fail "the jobs are not told: $(cat "$TMP/out")"
"$lockstep" diagnose "$TMP/shared" >"$TMP/out" 2>&1 || true
grep -q "2 jobs are mixed" "$TMP/out" || fail "diagnose does not tell: $(cat "$TMP/out")"
