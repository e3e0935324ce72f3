#!/usr/bin/env bash
# A PyTorch job that hangs, with the calls that NCCL made there: two threads of each process call on one communicator, up to
# 16 operations ahead of the GPU. Every call is counted once and in its place, and the rank that stopped is named.
. "$(dirname "$0")/../lib.sh"
need jq jq
need zstdcat zstd
for rank in 0 1 2 3; do
  log=$TMP/calls.$rank.txt
  zstdcat "$ROOT/test/data/calls/pytorch_hang.$rank.txt.zst" >"$log"
  lines=$(wc -l <"$log")
  # One more call, ten minutes later: until then the process stands still.
  printf '%d 600000000.000us tid=999999(later) start ProxyCtrl #%d parent=- ctx=1\n' "$((lines - 1))" "$lines" >>"$log"
done
LOCKSTEP_DIR=$TMP/run LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 \
  "$BUILD/lockstep-replay" "$BUILD/libnccl-profiler.so" "$TMP"/calls.?.txt >"$TMP/out" 2>&1 &
job=$!
trap 'pkill -KILL -P $job; kill -KILL $job; rm -rf "$TMP"' EXIT

standing() {
  "$BUILD/lockstep" progress "$TMP/run" --json 2>/dev/null |
    jq -c '[.progress | sort_by(.rank)[] | [.issued, .ended, .waiting | .ordinal]]'
}
# What PyTorch's own dumps say of that hang (test/data/gpu), and NCCL's RAS service: 94 all-reduces called, of rank 1 78.
want='[[93,77,78],[77,77,null],[93,77,78],[93,77,78]]'
for _ in $(seq 300); do
  got=$(standing || true)  # not before the first of them records
  [ "$got" = "$want" ] && break
  sleep 0.2
done
want_equal "the last call, the last end and what is waited for, by rank" "$want" "$got"
want_equal "how far each rank is behind" '[0,16,0,0]' \
  "$("$BUILD/lockstep" progress "$TMP/run" --json | jq -c '[.progress | sort_by(.rank)[] | .behind_issued]')"
want_equal "what ps says is in flight" "AllReduce #78 - AllReduce #78 AllReduce #78" \
  "$("$BUILD/lockstep" ps "$TMP/run" | sort -k4 | awk '$4 ~ "/4" { print ($6 == "-" ? $6 : $6 " " $7) }' | paste -sd' ')"
