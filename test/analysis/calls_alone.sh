#!/usr/bin/env bash
# By the calls alone, a rank whose code is late and one that gets its data late look alike where calls wait for data: the rank is
# named with the confidence of a coin, unless it is later than half of what the data takes the others. Where the host runs ahead of its GPU, calls wait for nothing and tell whose code is late.
. "$(dirname "$0")/lib.sh"
need python3 python3

# surest CLASS SIZE RANK RUN_AHEAD: the surest finding, and whether it says what else may be late
surest() {
  judged --events coll --schedule ddp --seed 7 --ranks 8 --gpus-per-host 2 --noise quiet --class "$1" --size "$2" --rank "$3" \
    --run-ahead "$4" >/dev/null
  jq -c '[.findings[] | [.kind, .culprits_world, .confidence >= 0.6, (.text | test("its own code may be late or what it receives"))]] |
    max_by(.[2])' "$TMP/answer"
}
want_equal "a slow link to their host, all calls wait" '["straggler",[4,5],false,true]' "$(surest slow-link 4 3 1)"
want_equal "a late rank, all calls wait" '["straggler",[4],false,true]' "$(surest late-rank 0.1 4 1)"
want_equal "a rank later than data can be, all calls wait" '["straggler",[4],true,false]' "$(surest late-rank 1 4 1)"
want_equal "a late rank, calls run ahead" '["straggler",[4],true,false]' "$(surest late-rank 1 4 1024)"
want_equal "a slow link, calls run ahead" 'null' "$(surest slow-link 4 3 1024)"
