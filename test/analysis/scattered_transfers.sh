#!/usr/bin/env bash
# Where transfers scatter, chance makes the middle of some that go over one edge of a chain high, and that of those it is
# compared with low: no link is slow, and none is said to be with confidence. One that is slow beyond that still is.
. "$(dirname "$0")/lib.sh"
owner() { # owner SEED RANKS PER_HOST CLASS ...: findings of slow paths at 0.9 or more
  judged --schedule owner --noise heavy-jitter --events proxy --seed "$1" --ranks "$2" --gpus-per-host "$3" "${@:4}" >/dev/null
  jq -c '[.findings[] | select(.kind == "slow_link" and .confidence >= 0.9) | .culprits_world]' "$TMP/answer"
}
want_equal "slow links of a healthy job of 8 hosts" '[]' "$(owner 1263529343 32 4)"
want_equal "slow links of a healthy job of 4 hosts" '[]' "$(owner 1656687600 32 8)"
want_equal "slow links beside a slow GPU" '[]' "$(owner 1428608898 8 1 --class slow-gpu --size 0.3)"
want_equal "a link that takes twice as long" '[[5]]' "$(owner 1172011150 8 2 --class slow-link --size 1)"
judged --schedule 1f1b --noise congestion --events step --seed 1589658450 --ranks 4 --pp 2 --tp 2 --micro-batches 2 --gpus-per-host 1 \
  --class slow-gpu-transfer --size 2 >/dev/null
want_equal "a rank of which chance makes the smaller part" '[[3]]' \
  "$(jq -c '[.findings[] | select(.confidence >= 0.9) | .culprits_world]' "$TMP/answer")"
