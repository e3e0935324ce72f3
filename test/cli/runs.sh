#!/usr/bin/env bash
# `lockstep runs list` shows each run of a folder and nothing else.
. "$(dirname "$0")/../lib.sh"
need jq jq
for name in $(compgen -e SLURM_); do unset "$name"; done
emulate=("$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 --iterations 3)
SLURM_JOB_ID=41 "$BUILD/lockstep" run --dir "$TMP/runs" -- "${emulate[@]}" >/dev/null 2>&1
LOCKSTEP_DIR=$TMP/runs/by-hand "${emulate[@]}" >/dev/null
mkdir "$TMP/runs/no-run"
want_equal "runs" '[["by-hand","","ended",2,0],["lockstep-41.0","41","ended",2,0]]' \
  "$("$BUILD/lockstep" runs list "$TMP/runs" --json | jq -c 'map([.run, .job, .state, .processes, .lost])')"
want_equal "lines" 3 "$("$BUILD/lockstep" runs list "$TMP/runs" | wc -l)"
rc=0
"$BUILD/lockstep" runs list "$TMP/nothere" 2>/dev/null || rc=$?
want_equal "exit code for a folder that is not there" 3 "$rc"
