#!/usr/bin/env bash
# A GPU that hands data on slowly in the middle of its host's part of a chain makes what the host's last rank sends slow.
# That rank is innocent: the ends of the ranks between them say whose GPU it is. A slow link there is still a link.
. "$(dirname "$0")/lib.sh"
owner() { # owner SEED RANKS PER_HOST EVENTS CLASS SIZE RANK: kind and culprits of what is found
  judged --schedule owner --noise heavy-jitter --seed "$1" --ranks "$2" --gpus-per-host "$3" --events "$4" \
    --class "$5" --size "$6" --rank "$7" >/dev/null
  jq -c '[.findings[] | [.kind, .culprits_world]]' "$TMP/answer"
}
want_equal "the third GPU of eight" '[["slow_gpu",[10]]]' "$(owner 461972278 32 8 step slow-gpu-transfer 0.5 10)"
jq -r '.findings[0].text' "$TMP/answer" | grep -q 'Its GPU is slow to hand it on.' || fail "what it is slow at: $(jq -r '.findings[0].text' "$TMP/answer")"
want_equal "the third GPU of four" '[["slow_gpu",[6]]]' "$(owner 388914082 16 4 proxy slow-gpu-transfer 1 6)"
want_equal "the last GPU of four, or its link" '[["slow_link",[7]]]' "$(owner 388914082 16 4 proxy slow-gpu-transfer 1 7)"
want_equal "its link" '[["slow_link",[7]]]' "$(owner 388914082 16 4 step slow-link 1 7)"
