#!/usr/bin/env bash
# serial
# Two hosts whose CLOCK_MONOTONIC (and RAW) really differ, by 500 s and 9000 s, through time namespaces: REALTIME,
# which stamps the packets, does not. The interval holds the truth and is as narrow as the packets allow.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
need_namespaces
unshare --time --monotonic 1 true 2>/dev/null || skip "time namespaces are not permitted here"
add_namespace lsA$$
add_namespace lsB$$
wire lsA$$ wa 10.77.3.1/24 lsB$$ wb 10.77.3.2/24
background ip netns exec lsA$$ unshare --time --monotonic 500 --fork --kill-child \
  "$CLOCKD" --dir "$RUN" --job t --host h0 --expect 2 --seconds 9
background ip netns exec lsB$$ unshare --time --monotonic 9000 --fork --kill-child \
  "$CLOCKD" --dir "$RUN" --job t --host h1 --expect 2 --seconds 9
wait_all
"$CHECK" "$RUN" "h0=offset_ns=500000000000" "h1=offset_ns=9000000000000" --stamps kernel || fail "see above"
