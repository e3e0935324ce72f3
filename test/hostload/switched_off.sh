#!/usr/bin/env bash
# LOCKSTEP_HOST_LOAD=0 samples nothing: no file. A replay does not unless asked to.
. "$(dirname "$0")/../lib.sh"
emulate() {
  local directory=$1
  shift
  env "$@" LOCKSTEP_DIR="$directory" "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 --nodes 1 \
    --iterations 20 >/dev/null
}
loads() { find "$1" -name '*.load' | wc -l; }
emulate "$TMP/on"
want_equal "files of the sampler, by default" 1 "$(loads "$TMP/on")"
emulate "$TMP/off" LOCKSTEP_HOST_LOAD=0
want_equal "files of the sampler, switched off" 0 "$(loads "$TMP/off")"

replay() {
  local directory=$1
  shift
  env "$@" LOCKSTEP_DIR="$directory" "$BUILD/lockstep-replay" --virtual "$BUILD/libnccl-profiler.so" \
    "$ROOT"/test/data/calls/mix.*.txt.zst >/dev/null
}
replay "$TMP/replay"
want_equal "files of the sampler, of a replay" 0 "$(loads "$TMP/replay")"
replay "$TMP/asked" LOCKSTEP_HOST_LOAD=1
want_equal "files of the sampler, of a replay that was asked to" 1 "$(loads "$TMP/asked")"
