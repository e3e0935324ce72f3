#!/usr/bin/env bash
# However a job ends (a task killed, scancel, a signal to its tasks, the time limit, requeue, a slurmd killed in the
# middle, a node lost), everything recorded is in its run's directory, the ledger is exact for every process, and the
# report is there. Four nodes that are hosts of their own, each with its own memory: the epilog recovers on each.
# timeout: 600
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
. "$(dirname "$0")/apart.sh"

cat >"$TMP/epilog" <<EPILOG
#!/bin/sh
LOCKSTEP_COMMAND=$BUILD/lockstep PATH=/usr/sbin:/usr/bin:/sbin:/bin exec "$ROOT/slurm/epilog.sh"
EPILOG
cat >"$TMP/prolog" <<PROLOG
#!/bin/sh
PLUGIN=$BUILD/libnccl-profiler.so RUNS=$RUNS/prolog exec "$ROOT/slurm/task-prolog.sh"
PROLOG
chmod 755 "$TMP" "$TMP/epilog" "$TMP/prolog"
apart_up 4 "Epilog=$TMP/epilog" "TaskProlog=$TMP/prolog" OverTimeLimit=0

mkdir -p "$TMP/truth"
# script NAME COMMAND...: a batch script that runs the emulator for as long as it may, after COMMAND, under $RUNS/NAME.
script() {
  local name=$1
  shift
  cat >"$TMP/$name.sh" <<SCRIPT
#!/bin/bash
export MASTER_ADDR=10.77.20.1\${SLURMD_NODENAME#n}
"$BUILD/lockstep" run --dir "$RUNS/$name" --interval "\${INTERVAL:-60}" -- srun $@ "$BUILD/lockstep-emulate" \
  "$BUILD/libnccl-profiler.so" --stall-us 10000000 --iterations 1000000 --rate 200 --truth "$TMP/truth/$name\$SLURM_RESTART_COUNT"
rc=\$?
echo "\$rc" >"$TMP/$name.rc"
exit "\$rc"
SCRIPT
}
# submit NAME SBATCH_OPTION...: two tasks on each of two nodes
submit() { sbatch --parsable -N2 --ntasks-per-node=2 -o "$TMP/$1.out" "${@:2}" "$TMP/$1.sh"; }
over() {  # over NAME JOB
  wait_for 250 job_is_over "$2" || fail "$1: the job does not end: $(squeue; cat "$TMP/$1.out")"
}
state_of() { scontrol -o show job "$1" | sed -n 's/.* JobState=\([A-Z_]*\).*/\1/p'; }
# The answers are of everything: they come once more when another node's epilog has recovered what the first did not
# know of.
answered() {
  [ -s "$1/report.html" ] && grep -q "^complete: .* of 4 processes" "$1/summary/verify.txt"
}
# recorded NAME RUN: the directory of this run is complete and has a report of its four processes
recorded() {
  local dir=$RUNS/$1/lockstep-$2 found
  wait_for 200 answered "$dir" || fail "$1: no answers of 4 processes: $(find "$dir" -ls; scontrol -o show job "${2%.step0}"; cat "$TMP/$1.out")"
  "$BUILD/lockstep" verify "$dir" >"$TMP/verify" 2>&1 || { cat "$TMP/verify" "$TMP/$1.out"; fail "$1: verify finds a difference"; }
  found=$("$BUILD/lockstep" info "$dir" --json)
  want_equal "$1: processes" 4 "$(jq '.processes | length' <<<"$found")"
  want_equal "$1: memory files left" 0 "$(jq '.arenas | length' <<<"$found")"
  [ "$("$BUILD/lockstep" count "$dir" --json | jq .starts.Coll)" -gt 0 ] || fail "$1: no operation recorded"
  [ -s "$dir/summary/diagnose.txt" ] || fail "$1: no diagnosis: $(cat "$TMP/$1.out")"
}
started() { [ -s "$TMP/truth/$1.0" ] && grep -q '"done"' "$TMP/truth/$1.0"; }
want_started() { wait_for 120 started "$1" || fail "$1 does not start: $(squeue; cat "$TMP/$1.out")"; }
rank() { pgrep -f "^$BUILD/lockstep-emulate .*/truth/$1( |\$)" | sort -n | tail -1; }

# The time limit, of programs that ignore SIGTERM: SLURM looks every half a minute, so it ends last.
script limit "bash -c 'trap \"\" TERM; exec \"\$@\"' --"
script killed; script cancelled; script requeued
cat >"$TMP/prolog.sh" <<SCRIPT
#!/bin/bash
export MASTER_ADDR=10.77.20.1\${SLURMD_NODENAME#n}
srun "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --stall-us 10000000 --iterations 1000000 --rate 200 --truth "$TMP/truth/prolog"
SCRIPT
limit=$(submit limit --time=1)
killed=$(submit killed)
cancelled=$(submit cancelled)
want_started killed
want_started cancelled
kill -9 "$(rank killed)"
scancel "$cancelled"

# Killed: `lockstep run` recovers on both nodes itself, and the exit code is the job's.
over killed "$killed"
recorded killed "$killed.0"
want_equal "killed: exit code" "$(cat "$TMP/killed.rc")" \
  "$(scontrol -o show job "$killed" | sed -n 's/.* ExitCode=\([0-9]*\):.*/\1/p')"
[ "$(cat "$TMP/killed.rc")" != 0 ] || fail "the killed task's exit code is lost"
want_equal "killed: recovered by \`lockstep run\`" 1 "$(grep -c 'recovered into' "$RUNS/killed/lockstep-$killed.0/summary/recover.txt")"
want_equal "killed: hosts" 2 "$("$BUILD/lockstep" info "$RUNS/killed/lockstep-$killed.0" --json | jq '[.processes[].host] | unique | length')"
over cancelled "$cancelled"
recorded cancelled "$cancelled.0"

# A site that records by its task prolog alone has the answers of a cancelled job from its epilogs.
prolog=$(submit prolog -w n1,n2)
want_started prolog
scancel "$prolog"
over prolog "$prolog"
recorded prolog "$prolog.step0"
want_layout prolog "$RUNS/prolog/lockstep-$prolog.step0" "$(find "$RUNS/prolog/lockstep-$prolog.step0" -name '*.lks' | wc -l)" n1 n2

# Requeued while it runs: the second start gets a directory of its own, and both are complete.
requeued=$(submit requeued --requeue)
want_started requeued
scontrol requeue "$requeued"
recorded requeued "$requeued.0"
before=$(cat "$RUNS/requeued/lockstep-$requeued.0"/*/*.lks | sha256sum)
# A credential is revoked by the second: a second start within the second of the first one's end is refused by slurmd,
# and the job fails.
ended=$(date +%s)
while [ "$(date +%s)" -le $((ended + 1)) ]; do sleep 0.1; done
# Left alone, SLURM waits two minutes before it starts it again.
started_again() { scontrol update "JobId=$requeued" StartTime=now; started requeued1; }
wait_for 200 started_again || fail "requeued does not start again: $(scontrol show job "$requeued"; cat "$TMP/requeued.out")"
# Only its tasks get the signal: `lockstep run` goes on and answers.
scancel -s TERM "$requeued"
over requeued "$requeued"
recorded requeued "$requeued.r1.0"
want_equal "requeued: directories" "lockstep-$requeued.0 lockstep-$requeued.r1.0" "$(cd "$RUNS/requeued" && echo *)"
want_equal "requeued: the first recording" "$before" "$(cat "$RUNS/requeued/lockstep-$requeued.0"/*/*.lks | sha256sum)"
want_equal "a signal to the tasks: exit code in run.json" "$(cat "$TMP/requeued.rc")" \
  "$(jq .exit_code "$RUNS/requeued/lockstep-$requeued.r1.0/run.json")"

# A slurmd is killed, then a task on its node; the node's epilog runs when slurmd is back.
script daemon
daemon=$(submit daemon -w n3,n4)
want_started daemon
kill -9 "$(cat "$S/run/slurmd-n4.pid")"
victim=$(rank daemon)
kill -9 "$victim"
ends() { [ "$(state_of "$daemon")" != RUNNING ]; }
wait_for 120 ends || fail "daemon: the job goes on without the task: $(squeue)"
start_daemon 4
over daemon "$daemon"
recorded daemon "$daemon.0"

over limit "$limit"
want_equal "limit: state" TIMEOUT "$(state_of "$limit")"
recorded limit "$limit.0"

# A node is lost with all of its memory: what had reached the disk is reported when somebody asks for it.
script lost
lost=$(INTERVAL=0.1 submit lost -w n3,n4 --no-requeue)
want_started lost
dir=$RUNS/lost/lockstep-$lost.0
on_disk() { [ "$(find "$dir" -name '*.lks' -size +20k | wc -l)" = 4 ]; }
wait_for 120 on_disk || fail "lost: nothing reaches the disk: $(ls -l "$dir")"
switch_off 4
scontrol update NodeName=n4 State=DOWN Reason=lost
wait_for 100 job_is_over "$lost" || fail "lost: the job does not end: $(squeue)"
want_equal "lost: state" NODE_FAIL "$(state_of "$lost")"
# Of the other node's processes everything, once its epilog has run.
n3_is_whole() { "$BUILD/lockstep" verify "$dir" >"$TMP/verify" 2>&1; ! grep -q '^difference: n3' "$TMP/verify"; }
wait_for 120 n3_is_whole || fail "lost: the other node: $(cat "$TMP/verify")"
"$BUILD/lockstep" finish "$dir" >"$TMP/lost.finish" || fail "lost: $(cat "$TMP/lost.finish")"
[ -s "$dir/report.html" ] || fail "lost: no report: $(cat "$TMP/lost.finish" "$TMP/lost.out")"
rc=0
"$BUILD/lockstep" verify "$dir" >"$TMP/verify" 2>&1 || rc=$?
want_equal "lost: verify finds something" 1 "$rc"
want_equal "lost: and that is the two processes of the lost node" "2 2" \
  "$(grep -c '^difference: ' "$TMP/verify") $(grep -c '^difference: n4 process [0-9]*: died before its last records' "$TMP/verify")"
