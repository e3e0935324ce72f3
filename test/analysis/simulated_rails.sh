#!/usr/bin/env bash
# Of simulated jobs whose channels enter and leave each host at ranks of their own, a GPU that moves data slowly is named
# alone, and neither the other ranks of its host nor its way to the next one: over two hosts and four, and whichever
# channel enters the host at it. docs/judging-transfers.md has the rule.
. "$(dirname "$0")/lib.sh"
names() { # names RANK ARGUMENTS
  want_equal "who is named where the GPU of rank $1 is slow" "[[\"slow_gpu\",[$1]]]" \
    "$(judged --class slow-gpu-transfer --rank "$1" --adapters gpu "${@:2}")"
  want_equal "the slow GPU" "$1" "$(jq '.faults[0].ranks[]' "$TMP/run/truth.json")"
}
names 2 --size 0.2 --seed 422355263 --schedule ddp --ranks 8 --gpus-per-host 2 --noise preemption --events proxy
names 3 --size 4 --seed 1510154030 --schedule group --ranks 8 --gpus-per-host 2 --noise preemption --events proxy
names 3 --size 0.5 --seed 1153580178 --schedule ddp --ranks 4 --gpus-per-host 2 --noise gc --events step
names 0 --size 0.5 --seed 624798841 --schedule group --ranks 8 --gpus-per-host 4 --noise loader --events step
# In healthy chains over two hosts what leaves the root's host has passed fewer ranks, and what goes on waits for its feed.
healthy() { want_equal "who is named in a healthy job" '[]' "$(judged --schedule owner --adapters gpu "$@")"; }
healthy --seed 2055427564 --ranks 16 --gpus-per-host 8 --noise gc --events step
healthy --seed 486313739 --ranks 16 --gpus-per-host 8 --noise noisy-host --events proxy
healthy --seed 1407040399 --ranks 8 --gpus-per-host 4 --noise jitter --events proxy
