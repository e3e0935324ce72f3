#!/usr/bin/env bash
# At recorded pace the whole recording takes the time it took, and all ranks share one schedule.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/replay/counts.sh"
need jq jq
count_into "$TMP/counts"
began=$(date +%s%N)
played=$("$BUILD/lockstep-replay" "$BUILD/test/libcount.so" "$ROOT"/test/data/calls/mix.?.txt.zst --until 400000)
took_ms=$((($(date +%s%N) - began) / 1000000))
[ $took_ms -ge 400 ] || fail "400 ms of recording were played in $took_ms ms"
want_equal "calls the plugin saw" "$(driver_counts "$played")" "$(plugin_counts "$TMP/counts")"
