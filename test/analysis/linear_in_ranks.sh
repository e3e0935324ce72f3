#!/usr/bin/env bash
# What diagnose does grows with the operations of a run, not with the ranks of each once more: four times the ranks that
# make as many calls each take about four times the instructions (3.8). With a loop over all ranks for each of them it was
# 5.7 times.
. "$(dirname "$0")/../lib.sh"
need valgrind valgrind

instructions() {  # instructions RANKS
  "$BUILD/lockstep-generate" "$TMP/run$1" --ranks "$1" --operations 100 --late-rank 3 --late-us 20000 >/dev/null
  local code=0
  valgrind --tool=callgrind --callgrind-out-file="$TMP/out" "$BUILD/lockstep" diagnose "$TMP/run$1" >"$TMP/said" 2>"$TMP/log" || code=$?
  [ $code = 1 ] || { cat "$TMP/log"; fail "diagnose under callgrind ends with $code"; }
  grep -q "^straggler" "$TMP/said" || fail "rank 3 is not named: $(cat "$TMP/said")"
  sed -n 's/^summary: //p' "$TMP/out"
}

few=$(instructions 128) many=$(instructions 512)
echo "128 ranks: $few instructions, 512 ranks: $many"
[ "$few" -gt 1000000 ] || fail "nothing was counted"
[ $((many * 10)) -le $((few * 45)) ] || fail "four times the ranks take $((many * 100 / few)) % of the instructions, at most 450 %"
