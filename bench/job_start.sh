#!/usr/bin/env bash
# What `lockstep run` adds to the start of a job step, on a real SLURM cluster of two nodes on this machine (root):
# from the call of srun, or of `lockstep run -- srun`, until the last of four tasks runs. ROUNDS of each, in turn.
. "$(dirname "$0")/../test/lib.sh"
. "$(dirname "$0")/../test/slurm/cluster.sh"
ROUNDS=${ROUNDS:-20}
cluster_up 2

# start NAME COMMAND...: one line of milliseconds more in $TMP/NAME
start() {
  local name=$1 began
  shift
  began=$(date +%s%N)
  "$@" srun -N2 -n4 -Q date +%s%N >"$TMP/tasks" 2>/dev/null
  echo $((($(sort -n "$TMP/tasks" | tail -1) - began) / 1000000)) >>"$TMP/$name"
}
start warm_up
for _ in $(seq "$ROUNDS"); do
  start plain
  start recorded "$BUILD/lockstep" run --dir "$TMP/runs" --
done
at() { sort -n "$TMP/$1" | sed -n "$((1 + (ROUNDS - 1) * $2 / 100))p"; }  # at NAME PERCENT
for name in plain recorded; do
  echo "$name: median $(at "$name" 50) ms, from $(at "$name" 0) to $(at "$name" 100) ms, $ROUNDS starts"
done
echo "lockstep run adds $(($(at recorded 50) - $(at plain 50))) ms to the median start of a step"
