#!/usr/bin/env bash
# Four hosts whose clocks are hours apart, two ranks on each: before the alignment nobody is accused across hosts and the
# report says why; after it, the late rank is named and every call lies within the stated error of the truth. A hang is
# named with and without alignment, and lasts seconds, not the hours between the clocks.
# timeout: 600
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../clocksync/common.sh"
need jq jq
need python3 python3
need_namespaces
unshare --time --monotonic 1 true 2>/dev/null || skip "time namespaces are not permitted here"
add_namespace "lsmh$$" # a network of its own: no other test's ports
LOCKSTEP=$BUILD/lockstep

# job NAME OPTION...: eight ranks; host n's monotonic clocks are 500 + 5000 n seconds ahead of the machine's
job() {
  local name=$1 rank host
  shift
  for rank in 0 1 2 3 4 5 6 7; do
    host=$((rank / 2))
    background ip netns exec "lsmh$$" unshare --time --monotonic $((500 + 5000 * host)) --fork --kill-child \
      env LOCKSTEP_HOST=h$host NCCL_SOCKET_IFNAME=lo LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all LOCKSTEP_HOST_LOAD=0 LOCKSTEP_DIR="$TMP/$name" \
      "$BUILD/lockstep-emulate" --rank "$rank" --world 8 --master 127.0.0.1:29571 --truth "$TMP/$name.truth" \
      "$@" "$BUILD/libnccl-profiler.so" >"$TMP/$name.$rank"
  done
  wait_all
}
# verdict RUN: the first finding. On a busy machine a rank can be late for real beside the one that is late on purpose.
verdict() {
  "$LOCKSTEP" diagnose "$1" --json >"$TMP/answer" || [ $? -eq 1 ] || fail "diagnose ended with $?"
  jq -c '.findings[0] | [.kind, .op, .culprits]' "$TMP/answer"
}

job late --iterations 100 --rate 20 --late-rank 5 --late-us 20000 --late-fraction 0.5
want_equal "accused before the alignment" '[null,null,null]' "$(verdict "$TMP/late")"
jq -e '.not_known[] | select(test("clocks are not aligned"))' "$TMP/answer" >/dev/null || fail "does not say what is missing"
"$LOCKSTEP" report "$TMP/late" -o "$TMP/before" >"$TMP/said"
grep -q "Times: not aligned" "$TMP/said" || fail "the report does not say that times are not aligned: $(cat "$TMP/said")"
"$LOCKSTEP" align "$TMP/late"
want_equal "accused after the alignment" '["straggler","AllReduce",[5]]' "$(verdict "$TMP/late")"
"$LOCKSTEP" report "$TMP/late" -o "$TMP/after" >"$TMP/said"
grep -q "Times: aligned, 4 hosts on one clock" "$TMP/said" || fail "the report does not say that it is aligned: $(cat "$TMP/said")"
"$LOCKSTEP" export "$TMP/late" --to csv -o "$TMP/tables" >"$TMP/exported"
python3 "$ROOT/test/analysis/check_hosts.py" "$TMP/tables" "$TMP/late.truth" || fail "times are not where they should be"

job hang --iterations 30 --rate 20 --hang-rank 6 --at 20 --stall-us 3000000
for state in "not aligned" aligned; do
  want_equal "verdict, $state" '["missing_rank","AllReduce",[6]]' "$(verdict "$TMP/hang")"
  want_equal "ordinal, $state" 20 "$(jq '.findings[0].ordinal' "$TMP/answer")"
  jq -e '.findings[0].since_s | . > 1 and . < 60' "$TMP/answer" >/dev/null || fail "since, $state: $(jq .findings[0].since_s "$TMP/answer") s"
  "$LOCKSTEP" align "$TMP/hang" >"$TMP/said"
done
