# Settings of this site, for the batch examples and the prolog: change them here, not in the scripts.
# Each can be given from outside as well: RUNS=/scratch/me sbatch nccl-tests.sbatch
# shellcheck shell=bash disable=SC2034

# The command, installed or built; its plugin is found beside it.
LOCKSTEP_COMMAND=${LOCKSTEP_COMMAND:-$(command -v lockstep || echo "${SLURM_SUBMIT_DIR:-$PWD}/../build/lockstep")}
export -n LOCKSTEP_COMMAND

# scancel and the time limit send SIGTERM to the batch script as well, and when it ends everything in it is killed: it
# waits for `lockstep run`, which has SLURM's KillWait seconds (30 by default) for its answers.
trap : TERM

# Folder in which every run gets a directory of its own; all nodes must see it.
RUNS=${RUNS:-${SLURM_SUBMIT_DIR:-$PWD}}

# Instead of the GPU program of an example, to try the example without GPUs:
#   PROGRAM="../build/lockstep-emulate ../build/libnccl-profiler.so --iterations 100" sbatch mpi.sbatch
PROGRAM=${PROGRAM:-}

# instead_of COMMAND...: fills the array `program` with PROGRAM, or with the command when there is none.
instead_of() {
  if [ -n "$PROGRAM" ]; then read -ra program <<<"$PROGRAM"; else program=("$@"); fi
}
