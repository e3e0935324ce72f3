#!/usr/bin/env bash
# Whatever the emulator plays, its own truth is exactly what the plugin was called with.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/replay/counts.sh"
need jq jq

check() {  # check EMULATOR-OPTION...
  local said
  count_into "$TMP/counts"
  said=$("$BUILD/lockstep-emulate" "$BUILD/test/libcount.so" "$@") || fail "$*: exit status $?"
  want_equal "$*: calls the plugin saw" "$(driver_counts "$said")" "$(plugin_counts "$TMP/counts")"
  want_equal "$*: calls the plugin could not make sense of" 0 "$(nonsense "$TMP/counts")"
}
# has KIND MINIMUM: the last check made at least so many starts.
has() {
  local starts
  starts=$(plugin_counts "$TMP/counts" | jq ".starts.$1 // 0")
  [ "$starts" -ge "$2" ] || fail "expected at least $2 starts of $1, got $starts"
}

check --ranks 3 --iterations 30
has Coll 90
check --ranks 4 --split --comms 2 --ops allreduce,allgather,reducescatter,reduce,broadcast --sizes 64K,1M
check --ranks 3 --alltoall --sendrecv --groups 3 --sizes 512K
has P2p 240
check --graph-replay 3 --iterations 10
has Coll 60
has CollApi 2
check --ranks 4 --comms 2 --split --groups 2 --graph-replay 3 --sendrecv --alltoall
check --ce
has CeBatch 20
# What the rules of NCCL's source say of these; nobody has recorded them yet.
check --iterations 10 --streams 3 --ops none --sendrecv --channels 2 --sizes 1M
has ProxyStep 160
check --iterations 10 --streams 3 --ops none --sendrecv --channels 2 --sizes 1M --user-buffers
want_equal "network steps of 40 registered sends and receives of two channels" 80 \
  "$(plugin_counts "$TMP/counts" | jq .starts.ProxyStep)"
check --iterations 10 --ops none --symmetric
want_equal "a symmetric kernel of NCCL 2.31 on 2 ranks, 2 channels, ten times" '[20,20,40,120,null]' \
  "$(plugin_counts "$TMP/counts" | jq -c '.starts | [.CollApi, .Coll, .KernelCh, .KernelPhase, .ProxyOp]')"
check --iterations 10 --ops none --symmetric --table v6
want_equal "the same of NCCL 2.30" '[20,null,null]' \
  "$(plugin_counts "$TMP/counts" | jq -c '.starts | [.CollApi, .Coll, .KernelPhase]')"
check --iterations 10 --ops none --device-api
want_equal "operations of a kernel that communicates by itself" '[null,null,null]' \
  "$(plugin_counts "$TMP/counts" | jq -c '.starts | [.CollApi, .Coll, .KernelLaunch]')"
check --ranks 4 --split --share
check --rounds 3 --comms 3
check --net-events
has NetPlugin 100
check --peer-wait-repeats 20 --recv-repeats 3
check --sync-every 16 --iterations 200
check --alltoall --sizes 0
for table in v1 v2 v3 v4 v5 v6 v7; do check --table $table --ce --sendrecv; done
for injection in hang-rank wrong-order mismatch-count stuck-transport abort; do
  check --ranks 3 --$injection 1 --at 3 --stall-us 300000
done
check --slow-link 0 --slow-link-mbps 800 --sizes 256K --iterations 3
check --slow-proxy 1 --iterations 3
COUNT_MASK=0x40 check
has KernelCh 40
has ProxyOp 0
COUNT_MASK=0 check
want_equal "starts under mask 0" '{}' "$(plugin_counts "$TMP/counts" | jq -c .starts)"

# The hazards include a ProxyOp that never stops, a double stop and three stops of an old handle.
check --hazards
want_equal "double and late stops" 4 "$(plugin_counts "$TMP/counts" | jq '(.stops.NetPlugin - .starts.NetPlugin) / 2 +
  (.stops.CollApi - .starts.CollApi) / 2')"

# exit() ends the counting while the threads of the network and the GPU still call: of theirs a few may be missing.
count_into "$TMP/counts"
said=$("$BUILD/lockstep-emulate" "$BUILD/test/libcount.so" --end exit) || fail "--end exit: exit status $?"
callers='[.starts, .states, .stops] | map({Coll, CollApi, Group, GroupApi, KernelLaunch})'
want_equal "--end exit: calls of the threads that call NCCL" "$(driver_counts "$said" | jq -c "$callers")" \
  "$(plugin_counts "$TMP/counts" | jq -c "$callers")"
has Coll 20
want_equal "--end exit: kinds of which the plugin saw more than there were" '[]' "$(jq -c -n \
  --argjson true "$(driver_counts "$said")" --argjson seen "$(plugin_counts "$TMP/counts")" \
  '[("starts", "states", "stops") as $call | $seen[$call] | to_entries[] | select(.value > ($true[$call][.key] // 0)) | .key]')"
