#!/usr/bin/env bash
# A network that is slow for all of its edges for a while is one finding that accuses nobody: how much slower, and what
# it costs as the truth says. Where a slow link is named, it is not said as well that its operations take longer; a
# healthy job has none.
. "$(dirname "$0")/../lib.sh"
need jq jq
judge() { # judge NAME OPTIONS...: simulates, and leaves what is found in NAME.json
  "$BUILD/lockstep-simulate" "$TMP/$1" --events step "${@:2}"
  "$BUILD/lockstep" diagnose "$TMP/$1" --json >"$TMP/$1.json" || true
}

judge slow --class slow-network-bursts --size 2 --seed 3 --ranks 12 --gpus-per-host 4 --steps 24
want_equal "findings of a slow network" '[["slower_than_expected","AllReduce","dp",[],"itself"]]' \
  "$(jq -c '[.findings[] | [.kind, .op, .comm_name, .culprits, .expected_by]]' "$TMP/slow.json")"
# Every edge takes three times as long, and an AllReduce little beside that.
jq -e '.findings[0] | .factor > 2.6 and .factor < 3.2' "$TMP/slow.json" >/dev/null || fail "the factor: $(cat "$TMP/slow.json")"
jq -e --argjson cost "$(jq '.faults[0].cost' "$TMP/slow/truth.json")" \
  '.findings[0].gain_share | . > 0.85 * $cost and . < 1.1 * $cost' "$TMP/slow.json" >/dev/null ||
  fail "it costs $(jq '.faults[0].cost' "$TMP/slow/truth.json") of the run: $(cat "$TMP/slow.json")"

judge link --class slow-link,slow-network-bursts --size 3 --seed 3 --ranks 12 --gpus-per-host 4 --steps 40
want_equal "findings of a slow link" '["slow_link"]' "$(jq -c '[.findings[].kind]' "$TMP/link.json")"

for noise in heavy-jitter congestion loss drift warm-up; do
  judge $noise --noise $noise --seed 5 --ranks 12 --gpus-per-host 4 --steps 24
  want_equal "findings of a healthy job, $noise" '[]' "$(jq -c '[.findings[].kind]' "$TMP/$noise.json")"
done
