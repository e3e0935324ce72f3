#!/usr/bin/env bash
# A rank that is late in the first three steps alone, at a sixth of the run's cost, is named as that, though these steps are too
# few to be compared with each other and what came before them is no step.
. "$(dirname "$0")/../lib.sh"
need jq jq
"$BUILD/lockstep-simulate" "$TMP/run" --seed 1887955785 --class late-start --size 2 --schedule ddp --steps 30 --ranks 2 \
  --gpus-per-host 2 --noise quiet
"$BUILD/lockstep" diagnose "$TMP/run" --json >"$TMP/answer" || [ $? = 1 ] || fail "diagnose ended with $?"
want_equal "who is named" "[[\"straggler\",$(jq -c '.faults[0].ranks' "$TMP/run/truth.json")]]" \
  "$(jq -c '[.findings[] | [.kind, .culprits_world]]' "$TMP/answer")"
jq -e '.findings[0].text | contains("only at the start of the run")' "$TMP/answer" >/dev/null ||
  fail "it is not said that it was at the start: $(jq -c '.findings[0].text' "$TMP/answer")"
