#!/usr/bin/env bash
# Every recorded log arrives in the plugin call by call, through the newest table, through v4 and through v1.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/replay/counts.sh"
need jq jq

check() {  # check NAME LOG-OR-OPTION...
  local name=$1 expected played
  shift
  count_into "$TMP/counts"
  expected=$("$BUILD/lockstep-replay" "$BUILD/test/libcount.so" "$@" --expect)
  played=$("$BUILD/lockstep-replay" "$BUILD/test/libcount.so" "$@" --fast)
  want_equal "$name: calls the driver made" "$expected" "$played"
  want_equal "$name: calls the plugin saw" "$(driver_counts "$expected")" "$(plugin_counts "$TMP/counts")"
  want_equal "$name: calls the plugin could not make sense of" 0 "$(nonsense "$TMP/counts")"
}

scenarios=$(find "$ROOT/test/data/calls" -name '*.0.txt.zst' -exec basename {} .0.txt.zst \; | sort)
[ "$(wc -w <<<"$scenarios")" = 16 ] || fail "expected 16 recorded scenarios, found: $scenarios"
for scenario in $scenarios; do
  check "$scenario" "$ROOT/test/data/calls/$scenario".*.txt.zst
  check "$scenario through v4" "$ROOT/test/data/calls/$scenario".*.txt.zst --table v4
  check "$scenario through v1" "$ROOT/test/data/calls/$scenario".*.txt.zst --table v1
done
for run in straggler hang; do
  check "$run" "$ROOT/test/data/runs/$run"/rank?.txt.zst
done
check "mix, five times over" "$ROOT"/test/data/calls/mix.?.txt.zst --repeat 5

# The recorder counted too: its summary of one log must be what we read from it.
starts=$("$BUILD/lockstep-replay" "$BUILD/test/libcount.so" "$ROOT/test/data/calls/mix.0.txt.zst" --expect |
  jq -r '.starts | to_entries[] | "\(.key) \(.value)"' | sort)
summary=$(zstd -dcq "$ROOT/test/data/calls/mix.0.txt.zst" | sed '1,/^--- totals/d;/^---/,$d' |
  awk '$5 > 0 {print $1, $5}' | sort)
want_equal "starts of mix.0 by kind" "$summary" "$starts"
