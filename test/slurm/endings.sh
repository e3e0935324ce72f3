#!/usr/bin/env bash
# However a job ends on a real SLURM cluster of four nodes (a task killed, scancel, requeue, a signal to
# `lockstep run`), each run has its own directory, everything recorded is in it, and verify agrees.
# timeout: 150
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"

# The epilog of the site: recovers, and says for which job it has run.
cat >"$TMP/epilog" <<EPILOG
#!/bin/sh
LOCKSTEP_COMMAND=$BUILD/lockstep PATH=/usr/sbin:/usr/bin:/sbin:/bin "$ROOT/slurm/epilog.sh"
echo "\$SLURM_JOB_ID" >>"$TMP/epilogs"
EPILOG
chmod 755 "$TMP" "$TMP/epilog"
cluster_up 4 "Epilog=$TMP/epilog" "OverTimeLimit=0"

export MASTER_ADDR=127.0.0.1
mkdir -p "$TMP/truth"
# submit NAME NODES SBATCH_OPTION... -- EMULATOR_OPTION...: a job of two tasks on each node, recorded under $RUNS/NAME.
submit() {
  local name=$1 nodes=$2 options=()
  shift 2
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  cat >"$TMP/$name.sh" <<SCRIPT
#!/bin/bash
"$BUILD/lockstep" run --dir "$RUNS/$name" --interval 60 -- srun "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" \
  --stall-us 30000000 --truth "$TMP/truth/$name" $@
rc=\$?
echo "\$rc" >"$TMP/$name.rc"
exit "\$rc"
SCRIPT
  sbatch --parsable -N "$nodes" --ntasks-per-node=2 -o "$TMP/$name.out" "${options[@]}" "$TMP/$name.sh"
}
# Over, and its epilog has run on all of its nodes.
over() {
  wait_for 60 job_is_over "$2" || fail "$1: the job does not end: $(squeue; cat "$TMP/$1.out")"
  wait_for 20 epilogs_ran "$2" "$3" || fail "$1: the epilog has not run: $(cat "$TMP/epilogs")"
}
epilogs_ran() { [ "$(grep -cx "$1" "$TMP/epilogs")" -ge "$2" ]; }
recorded() {  # recorded NAME JOB PROCESSES: its directory is complete
  local dir=$RUNS/$1/lockstep-$2
  "$BUILD/lockstep" verify "$dir" >"$TMP/verify" 2>&1 || { cat "$TMP/verify" "$TMP/$1.out"; fail "$1: verify finds a difference"; }
  want_equal "$1: processes" "$3" "$("$BUILD/lockstep" info "$dir" --json | jq '.processes | length')"
  [ "$("$BUILD/lockstep" count "$dir" --json | jq .starts.Coll)" -gt 0 ] || fail "$1: no operation recorded"
  want_equal "$1: memory files left" 0 "$("$BUILD/lockstep" info "$dir" --json | jq '.arenas | length')"
}
emulator_of() { pgrep -f "^$BUILD/lockstep-emulate .*/truth/$1( |\$)" | head -1; }
is_running() { [ -s "$TMP/truth/$1.0" ] && grep -q '"done"' "$TMP/truth/$1.0"; }

# Killed: one of four tasks; the others notice and end by themselves.
killed=$(submit killed 2 -- --iterations 1000000)
cancelled=$(submit cancelled 2 -- --iterations 1000000)
wait_for 20 is_running killed || fail "killed does not start: $(cat "$TMP/killed.out")"
wait_for 20 is_running cancelled || fail "cancelled does not start: $(cat "$TMP/cancelled.out")"
kill -9 "$(emulator_of killed)"
scancel "$cancelled"
over killed "$killed" 2
over cancelled "$cancelled" 2
recorded killed "$killed.0" 4
recorded cancelled "$cancelled.0" 4
[ "$(cat "$TMP/killed.rc")" != 0 ] || fail "the killed task's exit code is lost"
for file in summary/diagnose.txt report.html; do
  [ -n "$(find "$RUNS/killed/lockstep-$killed.0" -path "*$file" -size +0)" ] || fail "killed: no $file: $(cat "$TMP/killed.out")"
done

# Requeued while it runs: what the first start had recorded is complete.
requeued=$(submit requeued 2 --requeue -- --iterations 1000000)
wait_for 20 is_running requeued || fail "requeued does not start: $(cat "$TMP/requeued.out")"
scontrol requeue "$requeued"
wait_for 20 epilogs_ran "$requeued" 2 || fail "requeued: the epilog has not run"
scancel "$requeued"
recorded requeued "$requeued.0" 4

# SIGTERM to `lockstep run` outside an allocation, where it goes to srun itself: what was recorded is complete.
SLURM_JOB_NAME=signalled "$BUILD/lockstep" run --dir "$RUNS/signalled" --interval 60 -- \
  srun -N2 -n4 "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --truth "$TMP/truth/signalled" \
  --stall-us 30000000 --iterations 1000000 >/dev/null 2>"$TMP/signalled.out" &
pid=$!
wait_for 20 is_running signalled || fail "signalled does not start: $(cat "$TMP/signalled.out")"
kill -TERM "$pid"
rc=0
wait "$pid" || rc=$?
[ "$rc" != 0 ] || fail "signalled: exit code 0"
dir=("$RUNS/signalled"/lockstep-*)
"$BUILD/lockstep" recover "${dir[0]}" >/dev/null
"$BUILD/lockstep" verify "${dir[0]}" >"$TMP/verify" 2>&1 || { cat "$TMP/verify"; fail "signalled: verify finds a difference"; }

# Array tasks and several steps at once.
cat >"$TMP/array.sh" <<SCRIPT
#!/bin/bash
for i in 0 1; do
  "$BUILD/lockstep" run --dir "$RUNS/array" -- "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --ranks 2 --iterations 5 &
done
wait
SCRIPT
sbatch -W -a 1-2 -n1 -o "$TMP/array.out" "$TMP/array.sh" >/dev/null || fail "array: $(cat "$TMP/array.out")"
want_equal "directories of two array tasks with two runs each" "0 1 0 1" \
  "$(cd "$RUNS/array" && for d in lockstep-*_[12].?; do printf '%s ' "${d##*.}"; done | sed 's/ $//')"
for dir in "$RUNS"/array/lockstep-*; do
  want_equal "$dir: operations" 10 "$("$BUILD/lockstep" count "$dir" --json | jq .starts.Coll)"
done
