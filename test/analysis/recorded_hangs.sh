#!/usr/bin/env bash
# Hangs of real NCCL whose truth is known: one stopped rank with three communicators that run ahead is one finding with
# its consequences inside, and a frozen process is found by where its signs of life end.
. "$(dirname "$0")/../lib.sh"
need jq jq

judged() { # judged RECORDING: its hangs, one line each
  cp -r "$ROOT/test/data/recordings/$1" "$TMP/$1"
  "$BUILD/lockstep" diagnose "$TMP/$1" --json >"$TMP/answer" || [ $? = 1 ] || fail "diagnose ended with $?"
  jq -c '.findings[] | select(.kind | IN("straggler", "slow_link", "slow_proxy", "machine_overloaded") | not)
    | [.kind, .comm_name, .op, .ordinal, .ranks, .culprits_world, .hosts, (.consequences | length)]' "$TMP/answer"
}
want_equal "hang_ahead" '["missing_rank","world","AllReduce",51,[0,1,3],[2],["vm"],3]' "$(judged hang_ahead)"
want_equal "pids of it" '[26797]' "$(jq -c '.findings[0].pids' "$TMP/answer")"
want_equal "a consequence of it" '["split1",[0],[1]]' \
  "$(jq -c '.findings[0].consequences[0] | [.comm_name, .ranks, .held_up]' "$TMP/answer")"
want_equal "frozen" '["dead_process","world","AllReduce",125,[0,1,2],[3],["vm"],0]' "$(judged frozen)"
