#!/usr/bin/env bash
# Of simulated jobs whose all-reduces go up and down trees a slow link is named alone, and nothing that waits for it in the
# tree: slow always or in bursts, up from a leaf, down to one, and over two hosts. docs/judging-transfers.md, "Trees", has the rules.
. "$(dirname "$0")/lib.sh"
names() { # names SENDER RECEIVER ARGUMENTS
  want_equal "who is named where $1 sends to $2 slowly" "[[\"slow_link\",[$1]]]" "$(judged --tree-bytes 1G "${@:3}")"
  want_equal "the slow link" "$1 $2" "$(jq -r '.faults[0] | "\(.ranks[0]) \(.peer)"' "$TMP/run/truth.json")"
}
always="--class slow-link" bursts="--class slow-link-bursts"
# shellcheck disable=SC2086
{
  names 1 2 $always --size 1 --seed 269067479 --schedule ddp --ranks 32 --gpus-per-host 1 --noise jitter --events step
  names 0 2 $always --size 2 --seed 1296096554 --schedule moe --ep 2 --ranks 4 --gpus-per-host 2 --noise congestion --events step
  names 6 2 $always --seed 17 --rank 6 --ranks 8 --gpus-per-host 4 --adapters gpu --noise jitter
  names 1 0 $bursts --size 4 --seed 156108469 --schedule moe --ep 2 --ranks 4 --gpus-per-host 1 --noise gc --events proxy
  names 4 6 $bursts --size 8 --seed 1435871547 --schedule group --ranks 8 --gpus-per-host 2 --noise drift --events step
  names 9 10 $bursts --size 1 --seed 740081273 --schedule moe --ep 2 --ranks 16 --gpus-per-host 1 --noise noisy-host --events step
}
# A slow adapter of one of four: what its rank sends and receives.
want_equal "who is named for a slow adapter" '[["slow_link",[6]]]' \
  "$(judged --class slow-adapter --seed 17 --rank 6 --ranks 16 --gpus-per-host 4 --adapters gpu --noise jitter)"
