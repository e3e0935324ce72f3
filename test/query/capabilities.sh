#!/usr/bin/env bash
# What is known of each communicator: in calls of real NCCL an all-reduce has an end, kernels and network, a broadcast has
# its API calls alone; where the kernels were not recorded, none are known; where a rank was not, no match is whole.
. "$(dirname "$0")/../lib.sh"
lockstep=$BUILD/lockstep
played() { # NAME LOG...
  LOCKSTEP_EVENTS=${EVENTS:-all} LOCKSTEP_DIR=$TMP/$1 "$BUILD/lockstep-replay" "$BUILD/libnccl-profiler.so" --virtual \
    "${@:2}" >/dev/null
}
known() { "$lockstep" query "$TMP/$1" --csv "SELECT nranks, recorded_ranks, operations, with_end, with_kernels, with_network,
  with_all_ranks FROM capabilities" | tail -1; }
calls=$ROOT/test/data/calls
played allreduce "$calls"/one_allreduce.*.txt.zst
need_duckdb "$TMP/allreduce"
want_equal "an all-reduce of two ranks" 2,2,2,2,2,2,2 "$(known allreduce)"
played broadcast "$calls"/one_broadcast.*.txt.zst
want_equal "a broadcast of two ranks" 2,2,2,0,0,0,2 "$(known broadcast)"
played alone "$calls"/one_allreduce.0.txt.zst
want_equal "one of its ranks alone" 2,1,1,1,1,1,0 "$(known alone)"
EVENTS=coll,ProxyOp played without "$calls"/one_allreduce.*.txt.zst
want_equal "without kernel channels" 2,2,2,2,0,2,2 "$(known without)"
line=$(sed -n 's/^    \(SELECT .* FROM capabilities;\)$/\1/p' "$ROOT/docs/query.md")
want_equal "the line in docs/query.md" world,2,2,2,2,2 "$("$lockstep" query "$TMP/allreduce" --csv "$line" | tail -1)"
