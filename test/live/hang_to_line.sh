#!/usr/bin/env bash
# One of 32 ranks sleeps in a function of its own and all others wait for it: `lockstep stacks RUN`, alone, names rank,
# operation, function and line. LONG=1: with 32 ranks and within 15 s of the stall, the last call of the rank that sleeps;
# else 8 ranks, and only a hang is bounded: tests share the machine.
. "$(dirname "$0")/../lib.sh"
need jq jq
. "$ROOT/test/live/libdw.sh"
ranks=$([ -n "${LONG:-}" ] && echo 32 || echo 8)
culprit=$((ranks / 2 + 1))
LOCKSTEP_DIR=$TMP/run LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 LOCKSTEP_BUFFER_MB=4 "$BUILD/lockstep-emulate" --ranks "$ranks" \
  --iterations 100000 --rate 50 --hang-rank $culprit --at 40 --stall-us 300000000 "$BUILD/libnccl-profiler.so" >"$TMP/out" 2>&1 &
job=$!
trap 'kill $job 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
line=$(grep -n 'usleep(static_cast<useconds_t>(std::min(left_us' "$ROOT/test/drivers/emulate/scenario.cc" | cut -d: -f1)
others="ranks 0-$((culprit - 1)),$((culprit + 1))-$((ranks - 1)) ($((ranks - 1)))"
sees_it() {
  "$BUILD/lockstep" stacks "$TMP/run" --timeout 60 >"$TMP/text" 2>&1 || return 1
  sed -n '/^Main threads, in 2 places:$/,/all frames/p' "$TMP/text" >"$TMP/main"
  grep -A1 "^  rank $culprit: lockstep::driver::.*hang_outside_nccl (scenario.cc:$line)$" "$TMP/main" |
    grep -q "in no operation; the last call was AllReduce #39 on world, " || return 1
  grep -F -A1 "  $others: lockstep::driver::Stream::wait (" "$TMP/main" | grep -q "in AllReduce #40 on world"
}
since_its_last_call_ms() {
  "$BUILD/lockstep" progress "$TMP/run" --json --timeout 60 |
    jq ".progress[] | select(.name == \"world\" and .rank == $culprit) | .issued.age_ns / 1000000 | floor"
}
in_time() {  # in_time INSTANT: when it was said, in ms
  local ms
  ms=$(since_its_last_call_ms)
  ms=$((ms - ($(date +%s%3N) - $1)))
  echo "said $ms ms after the stall"
  [ $ms -le 15000 ] || fail "that is more than 15 s"
}
for _ in $(seq 120); do  # the stall comes when it comes
  if sees_it; then
    said=$(date +%s%3N)
    [ -z "${LONG:-}" ] || in_time "$said"
    exit 0
  fi
  kill -0 $job || fail "the job has ended: $(cat "$TMP/out")"
  sleep 0.5
done
fail "rank $culprit is not said to hang there: $(cat "$TMP/text")"
