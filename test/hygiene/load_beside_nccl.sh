#!/usr/bin/env bash
# The plugin loads in a process that has NVIDIA's libnccl loaded.
. "$(dirname "$0")/../lib.sh"
plugin=$BUILD/libnccl-profiler.so
[ -e "$plugin" ] || skip "the plugin is not built"
nccl=$(find -L ${NCCL_HOME:+"$NCCL_HOME"} "${CUDA_HOME:-/usr/local/cuda}" /usr/lib/x86_64-linux-gnu /usr/lib64 -maxdepth 4 \
  -name libnccl.so.2 2>/dev/null | head -1 || true)
[ -n "$nccl" ] || skip "no libnccl.so.2 under CUDA_HOME, NCCL_HOME or the system's library folders"
runtime=$(find -L "$(dirname "$nccl")" "${CUDA_HOME:-/usr/local/cuda}" -maxdepth 4 -name 'libcudart.so*' 2>/dev/null | head -1 || true)
folders=$(dirname "$nccl")${runtime:+:$(dirname "$runtime")}
LD_LIBRARY_PATH=$folders "$BUILD/lockstep-load" "$plugin" "$nccl" | tee "$TMP/out" || fail "it does not load beside $nccl"
grep -q '^beside NCCL ' "$TMP/out" || fail "libnccl did not say its version"
