#!/usr/bin/env bash
# Four hosts as network namespaces on a bridge. What one of them sends exceeds the rate that its port has, or each 20th
# packet is dropped where it arrives: that host is named, by what its TCP had to send again. Or it takes 5 ms to the bridge:
# it is named, by how long packets take to it. Without that, nobody is.
# serial
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../clocksync/common.sh"
need_namespaces
need nft nftables

add_namespace lsS$$
ip -n lsS$$ link add bridge0 type bridge
ip -n lsS$$ link set bridge0 up
for n in 0 1 2 3; do
  add_namespace "lsN$n-$$"
  ip link add eth0 netns "lsN$n-$$" type veth peer name "port$n" netns lsS$$
  ip -n lsS$$ link set "port$n" master bridge0 up
  ip -n "lsN$n-$$" addr add "10.77.9.1$n/24" dev eth0
  ip -n "lsN$n-$$" link set eth0 up
done

# hosts NAME: a rank on each host; diagnose's answer in $TMP/NAME.json.
hosts() {
  local n
  for n in 0 1 2 3; do
    background env LOCKSTEP_DIR="$RUNS/$1" LOCKSTEP_HOST="h$n" ip netns exec "lsN$n-$$" "$BUILD/lockstep-emulate" \
      "$BUILD/libnccl-profiler.so" --rank $n --world 4 --nodes 4 --master 10.77.9.10:29123 --iterations 50 --rate 30 \
      --sizes 1M --stall-us 120000000 >/dev/null
  done
  for n in "${PIDS[@]}"; do wait "$n" || fail "a rank ended with $?"; done
  PIDS=()
  "$BUILD/lockstep" align "$RUNS/$1" >"$TMP/aligned" || fail "align $1: $(cat "$TMP/aligned")"
  "$BUILD/lockstep" diagnose "$RUNS/$1" --json >"$TMP/$1.json" || [ $? = 1 ] || fail "diagnose $1"
}
lossy() { jq -c '[.findings[] | select(.why == "retransmits") | [.kind, .culprits, .hosts]]' "$TMP/$1.json"; }

hosts network
want_equal "hosts that send much again, of a healthy job" '[]' "$(lossy network)"

tc -n "lsN2-$$" qdisc add dev eth0 root tbf rate 60mbit burst 32k latency 10ms
hosts network_rate
tc -n "lsN2-$$" qdisc del dev eth0 root
want_equal "the host whose rate is too low" '[["slow_link",[2],["h2"]]]' "$(lossy network_rate)"
jq -e '.findings[] | select(.why == "retransmits") | .why_evidence[0] | .what == "retransmits" and .amount > 100 and .amount < .of' \
  "$TMP/network_rate.json" >/dev/null || fail "its evidence: $(jq -c '.findings[].why_evidence' "$TMP/network_rate.json")"

ip netns exec "lsN3-$$" nft 'table ip lockstep { chain in { type filter hook input priority 0;
  ip saddr 10.77.9.12 tcp dport != 29123 numgen inc mod 20 == 0 drop; }; }' 2>"$TMP/err" ||
  skip "dropped packets: nftables cannot do that here: $(cat "$TMP/err")"
hosts network_loss
want_equal "the host whose packets are dropped" '[["slow_link",[2],["h2"]]]' "$(lossy network_loss)"
ip netns exec "lsN3-$$" nft delete table ip lockstep

ip -n lsS$$ link set port2 nomaster
ip -n lsS$$ link add near type veth peer name far
ip -n lsS$$ link set near up
ip -n lsS$$ link set far master bridge0 up
ip netns exec lsS$$ "$BUILD/lockstep-relay" --a-interface port2 --b-interface near --delay-ab-us 5000 --seconds 300 >/dev/null &
relay=$!
trap 'kill $relay 2>/dev/null || true; clean_up' EXIT
hosts network_delay
jq -e '.findings[] | select(.kind == "slow_link" and .culprits == [2] and .why == "delay") | .why_evidence[0]
  | .what == "round_trip" and .amount > 5000000 and .others < .amount / 4' "$TMP/network_delay.json" >/dev/null ||
  fail "the host that is far is not named: $(jq -c '[.findings[] | [.kind, .culprits, .why, .why_evidence[0]]]' "$TMP/network_delay.json")"
