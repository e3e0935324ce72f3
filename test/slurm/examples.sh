#!/usr/bin/env bash
# Every batch example, submitted as it is to a real SLURM cluster with the emulator in place of the GPU program, ends
# with a run directory that holds exactly the calls made, and its summaries.
# timeout: 400
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
cluster_up 2

export MASTER_ADDR=127.0.0.1
export LOCKSTEP_COMMAND=$BUILD/lockstep
cd "$ROOT/slurm"
mkdir -p "$TMP/truth"
declare -A job
for example in *.sbatch; do
  name=${example%.sbatch}
  export RUNS=$TMP/runs/$name
  export PROGRAM="$BUILD/lockstep-emulate $BUILD/libnccl-profiler.so --iterations 20 --stall-us 30000000 --truth $TMP/truth/$name"
  job[$name]=$(sbatch --parsable --export=ALL -o "$TMP/$name.out" "$example")
done
for name in "${!job[@]}"; do
  wait_for 250 job_is_over "${job[$name]}" || fail "$name: job ${job[$name]} does not end: $(squeue; cat "$TMP/$name.out")"
  state=$(scontrol -o show job "${job[$name]}" | sed -n 's/.* JobState=\([A-Z_]*\).*/\1/p')
  [ "$state" = COMPLETED ] || fail "$name: $state: $(cat "$TMP/$name.out")"
done

for name in "${!job[@]}"; do
  dirs=("$TMP/runs/$name"/lockstep-*)
  if [ "$name" = summaries-only ]; then
    dirs=("$TMP/runs/$name/summaries-${job[$name]}.0"/lockstep-*)
    want_equal "$name: recordings kept" 0 "$(find "${dirs[0]}" -name '*.lks' | wc -l)"
    grep -q '^complete' "${dirs[0]}/summary/verify.txt" || fail "$name: $(cat "${dirs[0]}/summary/verify.txt")"
  else
    want_equal "$name: directory" "lockstep-${job[$name]}.0" "$(basename "${dirs[@]}")"
    want_truth "$name" "${dirs[0]}" "$TMP/truth/$name"
    want_layout "$name" "${dirs[0]}" "$(find "$TMP/truth" -name "$name.*" | wc -l)" "$(hostname)"
  fi
  want_equal "$name: exit code in run.json" 0 "$(jq .exit_code "${dirs[0]}/run.json")"
  for file in recover align verify info count diagnose; do
    [ -s "${dirs[0]}/summary/$file.txt" ] || fail "$name: summary/$file.txt is missing"
  done
done
