#!/usr/bin/env bash
# serial
# Found on the loader path but not named by anybody, the library does nothing; LOCKSTEP_ENABLE=0 wins over a name.
. "$(dirname "$0")/lib.sh"
cd "$TMP"
cp "$PLUGIN" libnccl-profiler.so

# A place for shared memory that no other process uses.
export LOCKSTEP_SHM_DIR=$TMP/shm
mkdir shm
"$BUILD/lockstep-storm" "$TMP/libnccl-profiler.so" --operations 10 --unnamed >line
want_equal "mask" 0 "$(jq .mask line)"
want_equal "threads of the process beside the callers" 1 "$(jq .threads line)"
LOCKSTEP_ENABLE=0 "$BUILD/lockstep-storm" "$TMP/libnccl-profiler.so" --operations 10 >line
want_equal "mask with LOCKSTEP_ENABLE=0" 0 "$(jq .mask line)"
want_equal "files" "libnccl-profiler.so line shm" "$(echo *)"
want_equal "shared memory" "" "$(ls shm)"

LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-storm" "$TMP/libnccl-profiler.so" --operations 10 --unnamed >line
want_equal "operations with LOCKSTEP_ENABLE=1" 20 "$("$LOCKSTEP" count run --json | jq .starts.Coll)"

# Whoever sets our options expects a recording: one line says that there is none, and only then.
said() { env "$@" "$BUILD/lockstep-storm" "$TMP/libnccl-profiler.so" --operations 10 --unnamed 2>&1 >/dev/null | grep -c 'configured.*not enabled' || true; }
unset LOCKSTEP_SHM_DIR
want_equal "lines about options set in vain" 1 "$(said LOCKSTEP_EVENTS=all)"
want_equal "lines when nothing is set" 0 "$(said HOME=/)"
want_equal "lines with LOCKSTEP_ENABLE=0" 0 "$(said LOCKSTEP_EVENTS=all LOCKSTEP_ENABLE=0)"
want_equal "lines when it records" 0 "$(said LOCKSTEP_EVENTS=all LOCKSTEP_DIR="$TMP/again" LOCKSTEP_ENABLE=1)"
