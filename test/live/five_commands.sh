#!/usr/bin/env bash
# The five commands of docs/live.md that lead from a hang to the line of code do so, one after the other as they stand
# there, and what each takes of the job's processes is printed: the processor time of lockstep's own threads in them,
# besides what they take when nobody asks.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/live/libdw.sh"
ranks=$([ -n "${LONG:-}" ] && echo 32 || echo 4)
culprit=$((ranks / 2 + 1))
mkdir "$TMP/work"
cd "$TMP/work"
PATH=$BUILD:$PATH
LOCKSTEP_DIR=my-run LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 LOCKSTEP_BUFFER_MB=4 "$BUILD/lockstep-emulate" --ranks "$ranks" \
  --iterations 100000 --rate 50 --hang-rank $culprit --at 40 --stall-us 300000000 "$BUILD/libnccl-profiler.so" >"$TMP/out" 2>&1 &
job=$!
trap 'kill $job 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT

mapfile -t lines < <(sed -n '/^## From a hang to the line of code/,/^## /{ s/^lockstep.*/&/p }' "$ROOT/docs/live.md")
want_equal "commands in docs/live.md" 5 "${#lines[@]}"
# The verdict comes once the job has stood still for five seconds.
hangs() { lockstep diagnose my-run --live >"$TMP/verdict" 2>&1 || grep -q "^missing_rank" "$TMP/verdict"; }
found=
for _ in $(seq 120); do
  ! { hangs && grep -q "^missing_rank" "$TMP/verdict"; } || { found=1; break; }
  kill -0 $job || fail "the job has ended: $(cat "$TMP/out")"
  sleep 0.5
done
[ -n "$found" ] || fail "no hang is found: $(cat "$TMP/verdict")"

# Nanoseconds that the threads of the job have run that answer and write; the keeper does not know whether anybody asks.
tasks=()
for pid in $(find my-run -name '*.ctl' | sed 's/.*\.\([0-9]*\)\.ctl/\1/'); do
  for task in /proc/"$pid"/task/*; do
    [[ $(<"$task/comm") != lockstep-ctl && $(<"$task/comm") != lockstep-dump ]] || tasks+=("$task")
  done
done
want_equal "threads that answer and write" $((2 * ranks)) "${#tasks[@]}"
spent() {
  local task sum=0 ran
  for task in "${tasks[@]}"; do
    read -r ran _ <"$task/schedstat"
    sum=$((sum + ran))
  done
  echo "$sum"
}
at_rest=$(spent)
sleep 5
at_rest=$((($(spent) - at_rest) / 5))
printf 'nobody asks: %d us a second in each process\n' $((at_rest / 1000 / ranks))
ask() {  # ask NUMBER: of the commands
  local line=${lines[$1 - 1]} code=0 before begun took after
  before=$(spent)
  begun=$(date +%s%N)
  bash -c "$line" >"$TMP/answer$1" 2>"$TMP/err" || code=$?
  took=$((($(date +%s%N) - begun) / 1000))
  after=$(spent)
  [ $code -le 1 ] || fail "'$line' ends with $code: $(cat "$TMP/err")"
  printf '%s: %d ms, %d us in each process\n' "${line%%  #*}" $((took / 1000)) $(((after - before - at_rest * took / 1000000) / 1000 / ranks))
}
for number in 1 2 3 4; do ask $number; done
says() { grep -qE "$2" "$TMP/answer$1" || fail "'${lines[$1 - 1]}' does not say '$2': $(head -c 3000 "$TMP/answer$1")"; }
want_equal "processes that record" "$ranks" "$(grep -c "lockstep-emulat" "$TMP/answer1")"
says 2 "^$culprit +1 +AllReduce #39 "
says 3 "^missing_rank .*[Rr]ank $culprit "
line=$(grep -n 'usleep(static_cast<useconds_t>(std::min(left_us' "$ROOT/test/drivers/emulate/scenario.cc" | cut -d: -f1)
says 4 "rank $culprit: .*hang_outside_nccl \(scenario.cc:$line\)"
need_duckdb my-run  # the fifth is a question in SQL
ask 5
says 5 "^ +$culprit +39$"
