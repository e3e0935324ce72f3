#!/usr/bin/env bash
# `lockstep capture` of a SLURM job on two nodes that are hosts of their own and have no agent: `srun --overlap` in the job starts
# one on each, they answer over the network, all ranks begin with the same collective, and the agents end with the command.
# timeout: 300
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
. "$(dirname "$0")/apart.sh"
need setpriv util-linux
apart_up 2
run=$TMP/run
mkdir "$run"
cat >"$TMP/job.sh" <<SCRIPT
#!/bin/bash
export LOCKSTEP_DIR=$run LOCKSTEP_EVENTS=coll LOCKSTEP_HOST_LOAD=0 NCCL_PROFILER_PLUGIN=$BUILD/libnccl-profiler.so
srun "$BUILD/lockstep-emulate" --sizes 1k --ops allreduce --channels 1 --rate 50 --iterations 100000 --stall-us 1e9
SCRIPT
job=$(sbatch --parsable -N2 --ntasks-per-node=2 -o "$TMP/job.out" "$TMP/job.sh")
all_call() { [ "$(find "$run" -name 'n[12].*.ctl' | wc -l)" = 4 ] && [ "$("$BUILD/lockstep" cat "$run" --kind CollApi | wc -l)" -gt 40 ]; }
wait_for 120 all_call || fail "the ranks do not call: $(cat "$TMP/job.out")"
# A machine of its own sees the sockets of others and cannot connect to them.
chmod 0 "$run"/*.ctl
capture() { SLURM_JOB_ID=$job setpriv --bounding-set=-dac_override "$BUILD/lockstep" capture "$run" --operations 5 "$@" 2>"$TMP/err"; }

capture --dry-run >"$TMP/dry" || true
grep -q "srun -N2 -n2 --overlap .*--jobid=$job --nodelist=n1,n2 .*lockstep agent $run$" "$TMP/dry" || fail "a dry run does not print it: $(cat "$TMP/dry" "$TMP/err")"
want_equal "agents after a dry run" "" "$(ls "$run/agents" 2>/dev/null)"

capture --orchestrator slurm --json >"$TMP/capture" || fail "exit code $?: $(cat "$TMP/err" "$run/agents/log" "$TMP/job.out")"
want_equal "ranks, hosts and states" '[[0,"n1","stopped"],[1,"n1","stopped"],[2,"n2","stopped"],[3,"n2","stopped"]]' \
  "$(jq -c '[.ranks[] | [.rank, .host, .state]]' "$TMP/capture")"
want_equal "positions that they began with" 1 "$(jq '[.ranks[].position] | unique | length' "$TMP/capture")"
grep -q "^agent of n1 listens on 10.77.20.11:" "$run/agents/log" && grep -q "^agent of n2 listens on 10.77.20.12:" "$run/agents/log" ||
  fail "no agents on both nodes: $(cat "$run/agents/log")"
want_equal "agents that are to be asked afterwards" "" "$(find "$run/agents" -name '*.json')"
only_the_job() { [ "$(squeue -h -s -j "$job" -o %i | sort | xargs)" = "$job.0 $job.batch" ]; }
wait_for 60 only_the_job || fail "the agents go on: $(squeue -s -j "$job")"
capture --json >"$TMP/again" || fail "the second: $(cat "$TMP/err" "$run/agents/log")"
want_equal "states of the second" '["stopped"]' "$(jq -c '[.ranks[].state] | unique' "$TMP/again")"
squeue -h -j "$job" -o %T | grep -q RUNNING || fail "the job ended: $(cat "$TMP/job.out")"
scancel "$job"
