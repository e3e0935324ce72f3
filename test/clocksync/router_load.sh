#!/usr/bin/env bash
# serial
# A router whose 200 Mbit/s links carry 85 % of other traffic both ways: millisecond queues, and the interval is still
# as narrow as the packets that got through allow.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
need_namespaces
add_namespace lsA$$
add_namespace lsB$$
add_namespace lsR$$
wire lsA$$ wa 10.77.4.1/24 lsR$$ ra 10.77.4.254/24
wire lsB$$ wb 10.77.5.1/24 lsR$$ rb 10.77.5.254/24
ip netns exec lsR$$ sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
ip -n lsA$$ route add default via 10.77.4.254
ip -n lsB$$ route add default via 10.77.5.254
for dev in ra rb; do
  tc -n lsR$$ qdisc add dev $dev root tbf rate 200mbit burst 3000 limit 500000 2>/dev/null ||
    skip "this kernel has no token-bucket queue (sch_tbf)"
done
for spec in "lsA$$ 10.77.4.1 h0 0" "lsB$$ 10.77.5.1 h1 1"; do
  read -r ns _ host n <<<"$spec"
  background ip netns exec "$ns" "$CLOCKD" --dir "$RUN" --job r --host "$host" --expect 2 --seconds 24 \
    --virtual-clock "$(clock "$n")"
done
background ip netns exec lsA$$ "$BUILD/lockstep-udpload" 10.77.5.1 170 24
background ip netns exec lsB$$ "$BUILD/lockstep-udpload" 10.77.4.1 170 24
wait_all
"$CHECK" "$RUN" "h0=$(clock 0)" "h1=$(clock 1)" --skip 6 --stamps kernel || fail "see above"
