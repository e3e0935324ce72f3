#!/usr/bin/env bash
# serial
# Eight hosts on a bridge, every pair probed: any pair's interval holds the truth and is as narrow as its packets allow.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
need_namespaces
add_namespace lsS$$
ip -n lsS$$ link add bridge0 type bridge
ip -n lsS$$ link set bridge0 up
hosts=()
for n in 0 1 2 3 4 5 6 7; do
  ns=ls$n$$
  add_namespace $ns
  ip link add eth netns $ns type veth peer name p$n netns lsS$$
  ip -n lsS$$ link set p$n master bridge0 up
  ip -n $ns addr add 10.77.2.$((n + 1))/24 dev eth
  ip -n $ns link set eth up
  background ip netns exec $ns "$CLOCKD" --dir "$RUN" --job eight --host "h$n" --expect 8 --seconds 14 \
    --virtual-clock "$(clock $n)" >"$TMP/$n.out"
  hosts+=("h$n=$(clock $n)")
done
wait_all
want_little_work "$TMP/0.out" 14
"$CHECK" "$RUN" "${hosts[@]}" --stamps kernel || fail "see above"
