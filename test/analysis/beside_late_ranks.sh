#!/usr/bin/env bash
# A slow path that only the ends of its ring show is named beside a late rank as well; the traces that late ranks leave in the
# ends of rings without a pause between them are not.
. "$(dirname "$0")/lib.sh"
want_equal "a GPU that moves data slowly" '[["slow_link",[1]],["straggler",[0]]]' \
  "$(judged --seed 352223468 --class late-growing,slow-gpu-transfer --schedule ddp --ranks 4 --gpus-per-host 2 \
    --noise checkpoint --events proxy)"
want_equal "a slow proxy thread" '[["slow_link",[11]],["straggler",[10]]]' \
  "$(judged --seed 743636434 --class late-growing,slow-proxy --schedule zero --ranks 16 --gpus-per-host 4 --events step)"

want_equal "two late ranks" '[["straggler",[4]],["straggler",[8]]]' \
  "$(judged --seed 1566665247 --class late-growing,late-rank --schedule ddp --ranks 16 --gpus-per-host 8 --events step)"
want_equal "a late rank and a slow GPU" '[["straggler",[11]],["straggler",[14]]]' \
  "$(judged --seed 140553537 --class late-growing,slow-gpu --schedule zero --ranks 16 --gpus-per-host 4 --events proxy)"
