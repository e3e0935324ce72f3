#!/usr/bin/env bash
# LOCKSTEP_GPU_STATE=1 records what NVML says, here a stand-in's. One that hangs costs the job nothing; by default
# nobody loads it.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/common.sh"
mkdir "$TMP/nvml"
ln -s "$BUILD/test/libnvml.so" "$TMP/nvml/libnvidia-ml.so.1"
emulate() {  # emulate SECONDS NAME=VALUE...
  local seconds=$1
  shift
  rm -rf "$RUN"
  env "$@" LD_LIBRARY_PATH="$TMP/nvml" LOCKSTEP_DIR="$RUN" timeout 120 "$BUILD/lockstep-emulate" \
    "$BUILD/libnccl-profiler.so" --ranks 2 --nodes 1 --rate 100 --iterations "$((seconds * 100))" >/dev/null
}
fact() { query "SELECT DISTINCT value FROM gpu_state WHERE fact = '$1'" | xargs; }

emulate 4 LOCKSTEP_GPU_STATE=1 NVML_THROTTLE=8 NVML_CLOCK_MHZ=345
need_duckdb "$RUN"
want_equal "throttle reasons" 8 "$(fact throttle_reasons)"
want_equal "clock" 345 "$(fact sm_clock_mhz)"
want_equal "remapped rows pending" 1 "$(fact remapped_rows_pending)"
want_equal "errors of a link" 13 "$(fact nvlink1_crc_data_errors)"
want_equal "a link that the GPU does not have" "" "$(fact nvlink2_active)"
want_equal "what the GPU does not tell" "" "$(fact pcie_replays)"
want_equal "GPUs" "0,GPU-00000000-1111-2222-3333-444444444444" "$(query "SELECT DISTINCT gpu_index, gpu FROM gpu_state")"

emulate 4 LOCKSTEP_GPU_STATE=1 NVML_HANG=1
want_equal "facts of a library that hangs" 0 "$(query "SELECT count(*) FROM gpu_state")"
[ "$(query "SELECT count(DISTINCT tid) FROM thread_load")" -ge 4 ] || fail "the threads were not sampled meanwhile"

emulate 3 NVML_CLOCK_MHZ=345
want_equal "facts by default" 0 "$(query "SELECT count(*) FROM gpu_state")"
