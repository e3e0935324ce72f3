#!/usr/bin/env bash
# The emulator makes the calls that real NCCL made in the recorded logs of the same job, kind by kind: starts, states
# and stops. ProxyCtrl is left out: how often a progress thread falls asleep is the scheduler's business.
. "$(dirname "$0")/../lib.sh"
need jq jq
kinds() { jq -cS '{starts, states, stops} | map_values(del(.ProxyCtrl))' <<<"$1"; }

compare() {  # compare SCENARIO EMULATOR-OPTION...
  local scenario=$1 recorded emulated
  shift
  recorded=$("$BUILD/lockstep-replay" "$BUILD/test/libcount.so" "$ROOT/test/data/calls/$scenario".?.txt.zst --expect)
  emulated=$("$BUILD/lockstep-emulate" "$BUILD/test/libcount.so" --iterations 1 "$@")
  want_equal "calls of $scenario" "$(kinds "$recorded")" "$(kinds "$emulated")"
}

compare one_allreduce --ranks 2 --sizes 64K
compare grouped_sendrecv --ranks 2 --ops none --sendrecv --sizes 256K
compare one_broadcast --ranks 2 --ops broadcast --sizes 64K
compare netplugin_allreduce --ranks 2 --sizes 64K --net-events
