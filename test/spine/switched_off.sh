#!/usr/bin/env bash
# After `events none` a call costs what it costs a plugin that was never enabled, from the first operation on. Counted in
# instructions by callgrind; bench/switched_off has the nanoseconds.
. "$(dirname "$0")/lib.sh"
need valgrind valgrind
[ "$(uname -m)" = x86_64 ] || skip "the budget is counted for x86_64"
make -s -C "$ROOT" BUILD="$BUILD" "$BUILD/bench/few_calls"

instructions() {  # instructions MODE N
  rm -rf "$TMP/run"
  LOCKSTEP_DIR=$TMP/run valgrind --tool=callgrind --callgrind-out-file="$TMP/out" --toggle-collect=few_calls \
    "$BUILD/bench/few_calls" "$PLUGIN" ProxyStep "$2" "$1" >/dev/null 2>"$TMP/log" || { cat "$TMP/log"; fail "callgrind did not run"; }
  sed -n 's/^summary: //p' "$TMP/out"
}
first=() each=()
for mode in all none inert; do
  none=$(instructions $mode 0) one=$(instructions $mode 1) many=$(instructions $mode 20001)
  first[${#first[@]}]=$((one - none)) each[${#each[@]}]=$(((many - one) / 20000))
done
echo "start, state and stop together: recording ${each[0]} instructions, after events none ${each[1]}, never enabled ${each[2]}"
echo "the first operation after the switch: ${first[1]}, of a plugin never enabled ${first[2]}"
[ "${each[2]}" -gt 0 ] || fail "nothing was counted"
[ "${each[0]}" -gt $((3 * each[2])) ] || fail "recording costs no more than being inert: the count is wrong"
[ "${each[1]}" -le $((each[2] + 3)) ] || fail "a call after events none costs ${each[1]} instructions, an inert one ${each[2]}"
[ "${first[1]}" -le $((first[2] + 3)) ] || fail "the first operation after events none costs ${first[1]} instructions, an inert one ${first[2]}"
