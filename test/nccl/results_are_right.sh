#!/usr/bin/env bash
# lockstep-nccl on this machine's GPU: results right, truth complete. Without a GPU it must say so and exit with 3.
# timeout: 300
. "$(dirname "$0")/../lib.sh"
need jq jq
[ -x "$BUILD/lockstep-nccl" ] || skip "lockstep-nccl is not built: no cuda_runtime.h, libcudart, nccl.h or libnccl found"
rc=0
"$BUILD/lockstep-nccl" --ranks 2 --iterations 20 --sendrecv --ops allreduce,allgather,reducescatter,reduce,broadcast \
  --truth "$TMP/truth" "$BUILD/test/libcount.so" >"$TMP/out" 2>"$TMP/err" || rc=$?
if grep -q 'no CUDA device here' "$TMP/err"; then
  want_equal "exit status without a GPU" 3 "$rc"
  skip "no CUDA device"
fi
want_equal "exit status" 0 "$rc"
want_equal "operations of rank 0" 140 "$(jq -s 'map(select(.type == "done")) | length' "$TMP/truth.0")"
