#!/usr/bin/env bash
# For sites whose users cannot change their scripts: TaskProlog=/path/to/task-prolog.sh in slurm.conf, or
# srun --task-prolog. SLURM puts `export NAME=VALUE` lines of its output into the task's environment. Every step gets a
# directory beside the job's working directory, in it each host one of its own, and the batch script itself one of its own, whose name its steps
# inherit and must not keep; a task that `lockstep run` has prepared is left alone.
[ -z "${NCCL_PROFILER_PLUGIN:-}" ] || [[ ${LOCKSTEP_DIR:-} == *.batch/%h ]] || exit 0
PLUGIN=${PLUGIN:-/usr/local/lib/libnccl-profiler.so}
[ -r "$PLUGIN" ] || exit 0
name=lockstep-$SLURM_JOB_ID
if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then name=lockstep-${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID; fi
if [ "${SLURM_RESTART_COUNT:-0}" != 0 ]; then name+=.r$SLURM_RESTART_COUNT; fi
step=${SLURM_STEP_ID:-batch}
if [[ $step =~ ^[0-9]{1,9}$ ]]; then name+=.step$step; else name+=.batch; fi
echo "export NCCL_PROFILER_PLUGIN=$PLUGIN"
echo "export LOCKSTEP_DIR=${RUNS:-$PWD}/$name/%h"
echo "export LOCKSTEP_CLOCK_OUT=${RUNS:-$PWD}/$name"
