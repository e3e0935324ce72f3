#!/usr/bin/env bash
# On nodes that are hosts of their own, their clocks hours apart, a batch example ends with everything recorded on one
# clock: many pairs of ranks contradict each other before the alignment, none after.
# timeout: 300
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
. "$(dirname "$0")/apart.sh"
apart_up 2

export LOCKSTEP_COMMAND=$BUILD/lockstep
export PROGRAM="$BUILD/lockstep-emulate $BUILD/libnccl-profiler.so --stall-us 30000000"
PROGRAM+=" --iterations 2000 --rate 500 --truth $TMP/truth"
export RUNS
cd "$ROOT/slurm"
job=$(sbatch --parsable -o "$TMP/aligned.out" nccl-tests.sbatch)
wait_for 200 job_is_over "$job" || fail "the job does not end: $(cat "$TMP/aligned.out")"
dir=$(echo "$RUNS"/lockstep-*)
want_truth aligned "$dir" "$TMP/truth"
want_layout aligned "$dir" 4 n1 n2
want_equal "clock files, where all hosts meet" "n1.clock n2.clock" "$(cd "$dir" && find . -name '*.clock' -printf '%P\n' | sort | xargs)"
# The folder of all runs is none.
rc=0
"$BUILD/lockstep" count "$RUNS" >/dev/null 2>"$TMP/err" || rc=$?
want_equal "count of the folder of runs" "3 $RUNS: no lockstep segments" "$rc $(sed 's/^lockstep: //; s/ (files named.*//' "$TMP/err")"
"$BUILD/lockstep" align "$dir" --json >"$TMP/align" || fail "align: $(cat "$TMP/align")"
want_equal "hosts" "n1 n2" "$(jq -r '[.hosts[].host] | sort | join(" ")' "$TMP/align")"
want_equal "pairs that contradict each other on one clock" 0 "$(jq .causality.violated_after "$TMP/align")"
[ "$(jq .causality.violated_before "$TMP/align")" -gt 1000 ] ||
  fail "the clocks were not apart: $(jq -c .causality "$TMP/align")"

# The same with the recordings on each node's own disk: only the clocks' files go to the common directory at once.
cat >"$TMP/local.sh" <<SCRIPT
#!/bin/bash
set -e
export LOCKSTEP_CLOCK_OUT=$RUNS/local LOCKSTEP_DIR=\$LOCAL/run/%h NCCL_PROFILER_PLUGIN=$BUILD/libnccl-profiler.so
srun "$BUILD/lockstep-emulate" --stall-us 30000000 --iterations 500 --rate 500 --truth "$TMP/kept"
[ -z "\$(find "$RUNS/local" -name '*.lks')" ]
srun -N2 -n2 --ntasks-per-node=1 "$BUILD/lockstep" collect "\$LOCAL/run" --to "$RUNS/local"
"$BUILD/lockstep" finish "$RUNS/local"
SCRIPT
mkdir "$RUNS/local"
job=$(sbatch --parsable -N2 --ntasks-per-node=2 -o "$TMP/local.out" "$TMP/local.sh")
wait_for 200 job_is_over "$job" || fail "the job does not end: $(cat "$TMP/local.out")"
scontrol -o show job "$job" | grep -q JobState=COMPLETED || fail "the job: $(cat "$TMP/local.out")"
want_truth local "$RUNS/local" "$TMP/kept"
want_equal "hosts" "n1 n2" "$("$BUILD/lockstep" info "$RUNS/local" --json | jq -r '[.processes[].host] | unique | join(" ")')"
[ -s "$RUNS/local/report.html" ] || fail "no report: $(cat "$TMP/local.out")"
grep -q '^2 of 2 hosts' "$RUNS/local/summary/align.txt" || fail "not aligned: $(cat "$RUNS/local/summary/align.txt")"
