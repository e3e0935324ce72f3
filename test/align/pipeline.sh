#!/usr/bin/env bash
# A simulated pipeline of four hosts, whose clocks are days apart and drift, and which nobody probed. Each host receives long after it has
# called, so that the middle of what is guaranteed is 2 ms from the truth; where the operations end tells it to 0.1 ms.
. "$(dirname "$0")/../lib.sh"
need jq jq
for clock in aligned unaligned; do
  "$BUILD/lockstep-simulate" "$TMP/$clock" --seed 3 --schedule 1f1b --pp 4 --ranks 16 --gpus-per-host 4 --steps 20 --clock $clock >/dev/null
done
"$BUILD/lockstep" align "$TMP/unaligned"
# The true offsets lie on a line for each host. off(f): by how much f of each knot is off at most, in us, on each host but the reference.
jq -c --slurpfile true "$TMP/aligned/clock_model.json" '
  def off(f): [range(1; .hosts | length) as $h | .hosts[$h] as $host | $true[0].hosts[$h] as $line |
    [range($host.t | length) as $k |
      $line.theta[0] + ($line.theta[1] - $line.theta[0]) * ($host.t[$k] - $line.t[0]) / ($line.t[1] - $line.t[0]) - ($host | f[$k]) | fabs / 1000] |
    max | round];
  {estimate: off(.theta), middle: off([.lo, .hi] | transpose | map(add / 2))}' "$TMP/unaligned/clock_model.json" | tee "$TMP/off"
jq -e '.middle | max > 1500' "$TMP/off" >/dev/null || fail "the middle of the bounds is not far off: the test tests nothing"
jq -e '.estimate | length == 3 and max < 100' "$TMP/off" >/dev/null || fail "the estimate is off by more than 0.1 ms"
