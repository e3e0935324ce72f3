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
sbatch -W -o "$TMP/aligned.out" nccl-tests.sbatch >/dev/null || fail "the job: $(cat "$TMP/aligned.out")"
dir=$(echo "$RUNS"/lockstep-*)
want_truth aligned "$dir" "$TMP/truth"
"$BUILD/lockstep" align "$dir" --json >"$TMP/align" || fail "align: $(cat "$TMP/align")"
want_equal "hosts" "n1 n2" "$(jq -r '[.hosts[].host] | sort | join(" ")' "$TMP/align")"
want_equal "pairs that contradict each other on one clock" 0 "$(jq .causality.violated_after "$TMP/align")"
[ "$(jq .causality.violated_before "$TMP/align")" -gt 1000 ] ||
  fail "the clocks were not apart: $(jq -c .causality "$TMP/align")"
