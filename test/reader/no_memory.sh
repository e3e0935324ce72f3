#!/usr/bin/env bash
# Whichever allocation of liblockstep fails, alone or with all that follow: the program that uses it gets a code and a
# sentence, never an exception, and no record is left out without a word. LONG=1 lets every single allocation fail instead of a sample.
. "$(dirname "$0")/../lib.sh"
need gcc gcc
preload=$BUILD/test/libno_memory.so
[ -e "$BUILD/liblockstep.so" ] && [ -e "$preload" ] || skip "the library is not built (make reader unit)"
gcc -std=c99 "-I$ROOT/include" "$ROOT/docs/examples/read_run.c" -o "$TMP/read_run" -L"$BUILD" -llockstep
export LD_LIBRARY_PATH=$BUILD${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} NO_MEMORY_LIBRARY=liblockstep

LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-replay" "$BUILD/libnccl-profiler.so" --fast \
  "$ROOT"/test/data/calls/mix.?.txt.zst >/dev/null
"$BUILD/lockstep" align "$TMP/run" >/dev/null
NO_MEMORY_LOG=$TMP/made LD_PRELOAD=$preload "$TMP/read_run" "$TMP/run" >"$TMP/whole"
made=$(cat "$TMP/made")
[ "$made" -gt 500 ] || fail "the library made $made allocations, so this shows little"

refused=0
read_without() {  # read_without FROM COUNT
  local status=0
  NO_MEMORY_FROM=$1 NO_MEMORY_COUNT=$2 LD_PRELOAD=$preload "$TMP/read_run" "$TMP/run" >"$TMP/out" 2>"$TMP/err" || status=$?
  case $status in
    0) cmp -s "$TMP/whole" "$TMP/out" || fail "allocation $1 fails, and it reads something else without a word" ;;
    1 | 3) grep -q "out of memory" "$TMP/err" || fail "allocation $1 fails, and it says: $(cat "$TMP/err")"
      refused=$((refused + 1)) ;;
    *) fail "allocation $1 fails, and $2 in all: the program ended with $status: $(cat "$TMP/err")" ;;
  esac
}
step=$((made / 60 + 1))
[ -z "${LONG:-}" ] || step=1
for ((from = 1; from <= made; from += step)); do
  read_without "$from" 1
  read_without "$from" 1000000
done
[ $refused -gt 20 ] || fail "only $refused reads were refused"
