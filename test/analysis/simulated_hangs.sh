#!/usr/bin/env bash
# Simulated jobs that stand still: in a tree the host is named that has all it waits for and sends nothing on, by its
# network operations or by their steps; and nobody where a broadcast may be what stands still, of which NCCL tells the
# call alone.
. "$(dirname "$0")/lib.sh"
# shellcheck disable=SC2086
hangs() { judged --tree-bytes 1G $1; }
transport="--class stuck-transport"
want_equal "a host of a tree, without steps" '[["stuck_in_transport",[6]]]' \
  "$(hangs "$transport --seed 2055553556 --schedule zero --ranks 8 --gpus-per-host 1 --noise noisy-host --events proxy --adapters gpu")"
want_equal "a host of a tree, by its steps" '[["stuck_in_transport",[8,9]]]' \
  "$(hangs "$transport --seed 998733574 --schedule gpipe --pp 2 --micro-batches 4 --ranks 16 --gpus-per-host 2 --noise quiet --events step")"
want_equal "one of two ranks" true "$(jq '.findings[0].one_of' "$TMP/answer")"
want_equal "what nothing tells" '[["standstill",[]]]' \
  "$(hangs "--class stuck-gpu --seed 373790435 --schedule owner --ranks 32 --gpus-per-host 1 --noise jitter --events proxy --adapters gpu")"
want_equal "whom the truth suspects" 32 "$(jq '.faults[0].suspects | length' "$TMP/run/truth.json")"
