#!/usr/bin/env bash
# Outside of a capture a call costs what it costs a process that never had one: while one is armed, but for one function for each
# call of a collective, and after one. What LOCKSTEP_EVENTS=step:1/16 adds to a call that it looks at stays as small as it is.
# Counted in instructions by callgrind, so the same on every machine of one architecture.
# timeout: 900
. "$(dirname "$0")/../lib.sh"
need valgrind valgrind
[ "$(uname -m)" = x86_64 ] || skip "the budget is counted for x86_64"
make -s -C "$ROOT" BUILD="$BUILD" "$BUILD/bench/few_calls"
export LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0

each() {  # each EVENTS KIND MODE: instructions of a start, a state and a stop together
  local counts=() n
  for n in 1000 11000; do
    rm -rf "$TMP/run"
    LOCKSTEP_EVENTS=$1 LOCKSTEP_DIR=$TMP/run valgrind --tool=callgrind --callgrind-out-file="$TMP/out" --toggle-collect=few_calls \
      "$BUILD/bench/few_calls" "$BUILD/libnccl-profiler.so" "$2" "$n" "$3" >/dev/null 2>"$TMP/log" ||
      { cat "$TMP/log" >&2; fail "callgrind did not run" >&2; }
    counts+=("$(sed -n 's/^summary: //p' "$TMP/out")")
  done
  echo $(((counts[1] - counts[0]) / 10000))
}
for kind in Coll CollApi; do
  never=$(each coll $kind all)
  armed=$(each coll $kind armed)
  captured=$(each coll $kind captured)
  echo "$kind: $never instructions without a capture, $armed while one is armed, $captured after one"
  [ "$never" -gt 0 ] || fail "nothing was counted"
  [ "$captured" -le $((never + 1)) ] || fail "$kind: $captured instructions after a capture, $never without one"
  most=$((never + 1))
  [ $kind = Coll ] || most=$((never + 100))
  [ "$armed" -le "$most" ] || fail "$kind: $armed instructions while a capture is armed, at most $most wanted"
done
# A step that is left out is counted three times, in a table that all threads share, which costs more than recording it.
for kind in Coll ProxyOp ProxyStep; do
  whole=$(each step $kind all)
  share=$(each step:1/16 $kind all)
  echo "$kind: $whole instructions with step, $share with step:1/16"
  [ "$share" -le $((whole + 140)) ] || fail "$kind: $share instructions with step:1/16, $whole with step"
done
