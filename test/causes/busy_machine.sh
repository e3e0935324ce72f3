#!/usr/bin/env bash
# Beside busy loops on every processor no healthy rank is accused.
# serial
. "$(dirname "$0")/lib.sh"
for _ in $(seq "$(nproc)"); do busy_loop env; done
job busy_machine "--iterations 100 --rate 50 --sizes 1M" env
end_loops
jq -e '[.findings[] | select(.culprits != [] and .confidence >= 0.9)] == []' "$TMP/busy_machine.json" >/dev/null ||
  fail "healthy ranks are accused: $(stragglers busy_machine)"
