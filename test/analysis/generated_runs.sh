#!/usr/bin/env bash
# What lockstep-generate writes is read whole, however many records a second of a process has: more than a block holds, and
# more than a chunk.
. "$(dirname "$0")/../lib.sh"
records() { # records EXPECTED OPTION...: of a new run of two ranks, none of it damaged
  local expected=$1
  shift
  rm -rf "$TMP/run"
  "$BUILD/lockstep-generate" "$TMP/run" --ranks 2 "$@"
  "$BUILD/lockstep" count "$TMP/run" >"$TMP/out" 2>"$TMP/err" || fail "$*: $(cat "$TMP/err")"
  want_equal "$*" "$expected records of 2 communicators in 2 processes; 0 late, 0 damaged chunks, 0 torn tails, 0 unreadable files" \
    "$(tail -1 "$TMP/out")"
}
# 26 records of each operation, and of each network step 5; of each rank its communicator's beginning and end.
records $((2 * (1000 * 26 + 2))) --operations 1000
records $((2 * (400 * 26 + 2))) --operations 400 --every-ms 100
records $((2 * (1000 * 26 + 2))) --operations 1000 --every-ms 5
records $((2 * (2000 * (26 + 4 * 20 * 5) + 2))) --operations 2000 --every-ms 1 --steps 20
