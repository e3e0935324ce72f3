#!/usr/bin/env bash
# A mark keeps to its budget of instructions, as NCCL's calls do (test/spine/instructions.sh): recorded, and where nothing
# is recorded. The count of a recorded one includes a clock_gettime of about 50 instructions.
. "$(dirname "$0")/lib.sh"
need valgrind valgrind
[ "$(uname -m)" = x86_64 ] || skip "the budget is counted for x86_64"
make -s -C "$ROOT" BUILD="$BUILD" "$BUILD/bench/few_marks"

instructions() {  # instructions KIND N [inert]
  LOCKSTEP_DIR=$TMP/run valgrind --tool=callgrind --callgrind-out-file="$TMP/out" --toggle-collect=few_marks \
    "$BUILD/bench/few_marks" "$PLUGIN" "$@" >/dev/null 2>"$TMP/log" || { cat "$TMP/log"; fail "callgrind did not run"; }
  sed -n 's/^summary: //p' "$TMP/out"
}

# budget KIND MOST [inert]: instructions of both marks of a pair together, the caller's included
budget() {
  local few many each
  few=$(instructions "$1" 10000 "${@:3}")
  many=$(instructions "$1" 30000 "${@:3}")
  each=$(((many - few) / 20000))
  echo "$*: $each instructions for a pair"
  [ "$each" -gt 0 ] || fail "nothing was counted"
  [ "$each" -le "$2" ] || fail "$*: $each instructions, budget $2"
}
budget step 250
budget range 450
budget step 80 inert
budget range 80 inert
