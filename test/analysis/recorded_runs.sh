#!/usr/bin/env bash
# Runs of real NCCL whose truth is known, at the logs' own times: who is named, each cause once, and nobody else.
. "$(dirname "$0")/../lib.sh"
need jq jq

judged() {  # judged LOG...: prints [[kind, world ranks]...]
  rm -rf "$TMP/run"
  LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=$events LOCKSTEP_DIR=$TMP/run \
    "$BUILD/lockstep-replay" --virtual "$BUILD/libnccl-profiler.so" "$@" >"$TMP/played"
  "$BUILD/lockstep" diagnose "$TMP/run" --json >"$TMP/answer" || [ $? = 1 ] || fail "diagnose ended with $?"
  jq -c '[.findings[] | [.kind, [.culprits_at[].world_rank]]]' "$TMP/answer"
}
wrong=0
expect() {  # expect RUN VERDICT
  local got
  got=$(judged "$ROOT/test/data/runs/$1"/*.zst)
  [ "$got" = "$2" ] && return
  echo "$1 with LOCKSTEP_EVENTS=$events: $got, not $2"
  wrong=$((wrong + 1))
}
for events in all proxy; do
  expect healthy_alltoall '[]'
  expect healthy_split_mix '[]'
  expect straggler '[["straggler",[2]]]'
  expect straggler_alltoall '[["straggler",[0]]]'
  expect straggler_groups '[["straggler",[1]]]'
  expect straggler_split '[["straggler",[3]]]'
  expect healthy_groups '[]'
  expect rare_long_stall '[["straggler",[0]]]'
  expect hang '[["missing_rank",[1]]]'
  expect hang_sendrecv '[["missing_rank",[1]]]'
done
# Lateness shows by the calls alone as well.
events=coll
expect healthy_alltoall '[]'
expect healthy_groups '[]'
expect healthy_split_mix '[]'
expect rare_long_stall '[["straggler",[0]]]'
expect straggler '[["straggler",[2]]]'
expect straggler_alltoall '[["straggler",[0]]]'
expect straggler_groups '[["straggler",[1]]]'
expect straggler_split '[["straggler",[3]]]'
events=all
# Short logs in which nobody does wrong, though two of them end in the middle.
for log in "$ROOT"/test/data/calls/*.0.txt.zst; do
  name=$(basename "$log" .0.txt.zst)
  got=$(judged "${log%.0.txt.zst}".?.txt.zst)
  [ "$got" = '[]' ] || { echo "$name: $got"; wrong=$((wrong + 1)); }
done
[ $wrong = 0 ] || fail "$wrong verdicts are not the truth"
