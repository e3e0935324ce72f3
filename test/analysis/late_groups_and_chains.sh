#!/usr/bin/env bash
# Simulated jobs where who is to blame shows beside what holds the job up: ranks of a tensor group that others wait for on
# another stream, or whom nobody shares its work with, and chains of reductions, whose edges take what lay at them when they
# began.
. "$(dirname "$0")/lib.sh"
want_equal "a late tensor group" '[["straggler",[2,3]]]' \
  "$(judged --seed 96966249 --class late-group --size 0.4 --schedule tp-dp --tp 2 --ranks 4 --gpus-per-host 2 \
    --noise congestion --events proxy)"
want_equal "a slow network adapter, whose edges are both slow" '[["slow_link",[2]]]' \
  "$(judged --seed 565485759 --class slow-nic --schedule owner --ranks 4 --gpus-per-host 1 --noise preemption --events step)"
want_equal "a chain that nothing feeds, out of the host of its root" '[["missing_rank",[3]]]' \
  "$(judged --seed 1858133918 --class missing-rank --schedule owner --ranks 4 --gpus-per-host 2 --noise drift --events step)"
want_equal "the tensor ranks of a stage, which nobody shares" '[["straggler",[4,5]]]' \
  "$(judged --seed 291121897 --class late-group --size 0.4 --schedule gpipe --pp 4 --micro-batches 4 --tp 2 --ranks 8 \
    --gpus-per-host 1 --noise checkpoint --events proxy)"
want_equal "a stage that does more in some places of the step" '[]' \
  "$(judged --seed 206708468 --class heavy-stage --schedule interleaved --pp 2 --micro-batches 2 --ranks 4 --gpus-per-host 2 \
    --noise warm-up --events proxy)"
