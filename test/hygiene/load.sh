#!/usr/bin/env bash
# The plugin loads as NCCL loads it, in a process that knows no CUDA, needs none, and leaves no file and no thread.
. "$(dirname "$0")/../lib.sh"
plugin=$BUILD/libnccl-profiler.so
[ -e "$plugin" ] || skip "the plugin is not built"
cd "$TMP"
env -u LD_LIBRARY_PATH "$BUILD/lockstep-load" "$plugin" >out || fail "it does not load: $(cat out)"
want_equal "tables" 7 "$(grep -c "^ncclProfiler_v[1-7] is '" out)"
want_equal "files left behind" "out" "$(ls)"
if ldd "$plugin" | grep -iE 'cuda|nccl' | grep -v libnccl-profiler; then fail "it needs CUDA or NCCL"; fi
if ldd "$plugin" | grep 'not found'; then fail "it needs a library that is not here"; fi
