#!/usr/bin/env bash
# Packets that do not arrive: the edge goes down with a fault that says so, nothing is invented, and it comes back by
# itself when packets pass again.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
need_namespaces
add_namespace lsA$$
add_namespace lsB$$
wire lsA$$ wa 10.77.6.1/24 lsB$$ wb 10.77.6.2/24
for spec in "lsA$$ h0 0" "lsB$$ h1 1"; do
  read -r ns host n <<<"$spec"
  background ip netns exec "$ns" "$CLOCKD" --dir "$RUN" --job u --host "$host" --expect 2 --seconds 34 \
    --virtual-clock "$(clock "$n")" >"$TMP/$host.out"
done
wait_for 8 state_seen h0 steady || fail "the hosts never met"
ip -n lsB$$ link set wb down
wait_for 8 state_seen h0 suspect || fail "three seconds of silence were not noticed"
wait_for 12 state_seen h0 down || fail "ten seconds of silence were not noticed"
wait_for 2 grep -q '"kind":"no_path"' "$RUN/h0.clock" || fail "no fault was recorded"
down_at=$(wc -l <"$RUN/h0.clock")
ip -n lsB$$ link set wb up
back() { tail -n "+$down_at" "$RUN/h0.clock" | grep '"type":"edge_state"' | grep -q '"reason":"heard again"'; }
wait_for 10 back || fail "the edge did not come back"
wait_all
"$CHECK" "$RUN" "h0=$(clock 0)" "h1=$(clock 1)" || fail "see above"
