#!/usr/bin/env bash
# Kernel times of real NCCL on this machine's GPU lie within their stated interval of what another program reads off the GPU's
# clock meanwhile. What a real GPU showed is kept and compared everywhere: test/clocksync/real_gpu.sh.
. "$(dirname "$0")/../lib.sh"
need python3 python3
need nvcc cuda-nvcc
nvidia-smi -L >/dev/null 2>&1 || skip "no CUDA device"
[ -x "$BUILD/lockstep-nccl" ] || skip "lockstep-nccl is not built: no cuda_runtime.h, libcudart, nccl.h or libnccl found"
nvcc -o "$TMP/gpu_clock" "$ROOT/test/nccl/gpu_clock.cu" >"$TMP/out" 2>&1 || fail "nvcc: $(cat "$TMP/out")"
"$TMP/gpu_clock" 60 >"$TMP/readings" &
reader=$!
sleep 1
LOCKSTEP_DIR=$TMP/run LOCKSTEP_EVENTS=all "$BUILD/lockstep-nccl" "$BUILD/libnccl-profiler.so" --ranks 2 --iterations 200 \
  >"$TMP/out" 2>&1 || fail "the job failed: $(tail -3 "$TMP/out")"
sleep 1
kill $reader
sed -i '$d' "$TMP/readings"  # the last line may be torn
"$BUILD/lockstep" align "$TMP/run" >"$TMP/out" || fail "not aligned: $(cat "$TMP/out")"
"$BUILD/lockstep" cat "$TMP/run" --kind KernelCh >"$TMP/stamps"
"$BUILD/lockstep" export "$TMP/run" --to csv -o "$TMP/csv" >"$TMP/out" || fail "no export: $(cat "$TMP/out")"
PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/test/clocksync/gpu_truth.py" "$TMP/stamps" "$TMP/csv" "$TMP/readings" 700 5000 || fail "see above"
