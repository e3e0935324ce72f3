#!/usr/bin/env bash
# A call keeps to its budget of instructions, block changes included. Counted by callgrind, so the same on every machine
# of one architecture; the nanoseconds are bench/hot_path's business. Where the kernel does not use the processor's
# counter, as under kvm-clock, three clock_gettime come to it, of 46 instructions in all (plugin/record/tick_clock.h).
. "$(dirname "$0")/lib.sh"
need valgrind valgrind
[ "$(uname -m)" = x86_64 ] || skip "the budget is counted for x86_64"
make -s -C "$ROOT" BUILD="$BUILD" "$BUILD/bench/few_calls"

instructions() {  # instructions KIND N
  LOCKSTEP_DIR=$TMP/run valgrind --tool=callgrind --callgrind-out-file="$TMP/out.$2" --toggle-collect=few_calls \
    "$BUILD/bench/few_calls" "$PLUGIN" "$1" "$2" >/dev/null 2>"$TMP/log" || { cat "$TMP/log"; fail "callgrind did not run"; }
  sed -n 's/^summary: //p' "$TMP/out.$2"
}

# budget KIND MOST: instructions of a start, a state and a stop together, harness included
budget() {
  local few many each most=$(($2 + by_clock))
  few=$(instructions "$1" 10000)
  many=$(instructions "$1" 30000)
  each=$(((many - few) / 20000))
  echo "$1: $each instructions for start, state and stop"
  [ "$each" -gt 0 ] || fail "nothing was counted"
  [ "$each" -le "$most" ] || fail "$1: $each instructions, budget $most"
}
by_clock=46
[ "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)" != tsc ] || by_clock=0
budget ProxyStep 400
budget Coll 470
budget KernelCh 400
