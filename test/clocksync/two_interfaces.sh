#!/usr/bin/env bash
# serial
# Two hosts joined by two wires, named as NCCL_SOCKET_IFNAME names them: the first takes 20 ms, the second is fast and
# loses every tenth packet. Each is an edge whose interval holds the truth, the run's interval is as narrow as the fast one
# makes it, the loss is told of the wire that has it, and a wire that breaks leaves the hosts aligned by the other.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
need_namespaces
need jq jq
add_namespace lsA$$
add_namespace lsB$$
add_namespace lsM$$
# through_relay DEVICE NETWORK OPTION...: both hosts' DEVICE, joined by a relay in a third namespace
through_relay() {
  wire lsA$$ "$1" "10.77.$2.1/24" lsM$$ "a-$1" "10.77.$2.101/24"
  wire lsB$$ "$1" "10.77.$2.2/24" lsM$$ "b-$1" "10.77.$2.102/24"
  # It passes the frames on; nobody in between is to answer for the hosts.
  ip -n lsM$$ addr flush dev "a-$1"
  ip -n lsM$$ addr flush dev "b-$1"
  ip netns exec lsM$$ "$BUILD/lockstep-relay" --a-interface "a-$1" --b-interface "b-$1" --seconds 60 "${@:3}" &
  RELAYS+=("$!")
}
trap 'kill "${RELAYS[@]}" 2>/dev/null; clean_up' EXIT
through_relay eth0 11 --delay-ab-us 20000 --delay-ba-us 20000
through_relay eth1 12 --loss 0.1
# One wire that is down on one side, and one that the list does not name.
wire lsA$$ eth2 10.77.13.1/24 lsB$$ eth2 10.77.13.2/24
wire lsA$$ other 10.77.14.1/24 lsB$$ other 10.77.14.2/24
ip -n lsB$$ link set eth2 down
offset_ns=1230000000
true_clock="x0_ns=$X0"
other_clock="offset_ns=$offset_ns,x0_ns=$X0"
host() { # NAMESPACE HOST CLOCK
  background env NCCL_SOCKET_IFNAME="=eth0,eth1,eth2" ip netns exec "$1" "$CLOCKD" --dir "$RUN" --job two --host "$2" \
    --expect 2 --seconds 16 --virtual-clock "$3" >"$TMP/$2.out"
}
host lsA$$ h0 "$true_clock"
host lsB$$ h1 "$other_clock"
both_heard() { grep -q '"interface":"eth1"' "$RUN/h0.clock" && grep -q '"interface":"eth1"' "$RUN/h1.clock"; }
wait_for 10 both_heard || fail "nothing was heard by eth1: $(tail -n 3 "$RUN/h0.clock")"
sleep 6
ip -n lsA$$ link set eth0 down
wait_all
want_little_work "$TMP/h0.out" 16

"$CHECK" "$RUN" "h0=$true_clock" "h1=$other_clock" --stamps kernel >"$TMP/check.json" || fail "$(cat "$TMP/check.json")"
want_equal "the edges" '["","eth1"]' "$(jq -sc '[.[].interface]' "$TMP/check.json")"
# The slow wire's interval is as wide as its 40 ms round trip, the fast one's is not.
jq -se '.[0].half_p50_ns > 19000000 and .[1].half_p50_ns < 15000000' "$TMP/check.json" >/dev/null || fail "widths: $(cat "$TMP/check.json")"

# Exit code 1, a bad host, where the machine is too busy for the relay.
"$BUILD/lockstep" clock "$RUN" --json >"$TMP/clock.json" || [ $? = 1 ] || fail "lockstep clock: $(cat "$TMP/clock.json")"
jq -e --argjson offset $offset_ns '.pairs[0] | .lo_ns <= $offset and $offset <= .hi_ns and .hi_ns - .lo_ns < 30000000' \
  "$TMP/clock.json" >/dev/null || fail "the run's interval: $(jq -c .pairs "$TMP/clock.json")"
want_equal "the edges of lockstep clock" '["eth0","eth1"]' "$(jq -c '[.edges[].interface]' "$TMP/clock.json")"
jq -e '.edges[1].loss_percent > 2 and .edges[1].loss_percent > .edges[0].loss_percent and .edges[1].grade != "good" and
  (.edges[1].reason | test("of the probes were lost"))' "$TMP/clock.json" >/dev/null || fail "loss: $(jq -c .edges "$TMP/clock.json")"
# The last five seconds have the fast wire alone, and are aligned as well as the others.
end_ns=$(jq -s '[.[] | select(.type == "window_stats" and .interface == "eth1") | .end] | max - 500000000' "$RUN/h0.clock")
"$BUILD/lockstep" clock "$RUN" --at "$end_ns" --json >"$TMP/end.json" || [ $? = 1 ] || fail "lockstep clock --at: $(cat "$TMP/end.json")"
jq -e --argjson offset $offset_ns '.pairs[0] | .lo_ns <= $offset and $offset <= .hi_ns and .hi_ns - .lo_ns < 30000000' \
  "$TMP/end.json" >/dev/null || fail "after eth0 broke: $(jq -c .pairs "$TMP/end.json")"
"$BUILD/lockstep" clock "$RUN" >"$TMP/table" || [ $? = 1 ] || fail "lockstep clock"
grep -qE '^h0 - h1 +eth1 ' "$TMP/table" || fail "the table lacks the second interface: $(cat "$TMP/table")"
