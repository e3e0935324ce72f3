#!/usr/bin/env bash
# `processes.job` is what a launcher calls the job, and nothing when none does.
. "$(dirname "$0")/../lib.sh"
need jq jq
PLUGIN=$BUILD/libnccl-profiler.so LOCKSTEP=$BUILD/lockstep

job_of() {  # job_of NAME VARIABLE=VALUE...: the column of one recorded process
  local name=$1
  shift
  env "$@" LOCKSTEP_DIR="$TMP/$name" "$BUILD/lockstep-storm" "$PLUGIN" --operations 10 >/dev/null
  "$LOCKSTEP" export "$TMP/$name" --to csv -o "$TMP/$name.csv" >/dev/null
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "job") column = i } NR == 2 { print $column }' \
    "$TMP/$name.csv/processes.csv"
}

want_equal "job of a process that has only a rank" "" "$(job_of rank RANK=3 WORLD_SIZE=8)"
want_equal "job of torchrun's default run id" "" "$(job_of torchrun TORCHELASTIC_RUN_ID=none RANK=3)"
want_equal "job of PBS" 91.head "$(job_of pbs PBS_JOBID=91.head OMPI_COMM_WORLD_RANK=2)"
want_equal "job of SLURM" 77 "$(job_of slurm SLURM_PROCID=4 SLURM_JOB_ID=77)"
