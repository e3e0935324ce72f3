#!/usr/bin/env bash
# timeout: 120
# `lockstep run` starts an agent beside the program and ends it afterwards; one that is stopped, killed or cannot start
# changes neither the program's time nor its exit code.
. "$(dirname "$0")/../lib.sh"
need jq jq
for name in $(compgen -e SLURM_); do unset "$name"; done
export LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0
lockstep=$BUILD/lockstep
wait_for() {  # wait_for SECONDS WHAT COMMAND...
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || fail "$what did not happen"
    sleep 0.05
  done
}
# start NAME OPTIONS...: a job that runs until $TMP/NAME.end is there and then ends with 5; RUN is its directory
start() {
  local name=$1
  shift
  : >"$TMP/$name.begun"
  # shellcheck disable=SC2016  # the inner shell's own variables
  "$lockstep" run --dir "$TMP/$name" "$@" -- bash -c '
    "$0" "$1" --ranks 2 --rate 20 --iterations 100000 --stall-us 100000000 >/dev/null 2>&1 & job=$!
    until [ -e "$2.end" ]; do sleep 0.05; done; kill $job; exit 5' \
    "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" "$TMP/$name" >"$TMP/$name.out" 2>"$TMP/$name.err" &
  job=$!
  found() { compgen -G "$TMP/$name/lockstep-*" && [ "$(find "$TMP" -name '*.ctl' -newer "$TMP/$name.begun" | wc -l)" = 2 ]; }
  wait_for 60 "that both ranks record" found
  RUN=$(compgen -G "$TMP/$name/lockstep-*")
}
finish() {  # finish NAME: with the program's exit code, and nobody left
  : >"$TMP/$1.end"
  local code=0
  wait "$job" || code=$?
  want_equal "exit code of $1" 5 $code
  ! pgrep -f "lockstep agent $RUN" >/dev/null || fail "an agent of $1 is left"
}
agent() { pgrep -f "lockstep agent $RUN"; }
registered() { compgen -G "$RUN/agents/*.json"; }

start with
wait_for 20 "that an agent registers" registered
grep -q "it listens on TCP" "$TMP/with.err" || fail "it does not say that it listens: $(cat "$TMP/with.err")"
address=$(jq -r '"\(.address):\(.port)"' "$RUN"/agents/*.json)
LOCKSTEP_HOST=elsewhere "$lockstep" ps "$RUN" --json >"$TMP/ps" || fail "by its agent: $(cat "$TMP/ps")"
want_equal "processes by its agent" 2 "$(jq '.processes | length' "$TMP/ps")"
"$lockstep" nodes --agents "$address" --key "$RUN/agents/key" --json >"$TMP/nodes" || fail "over TCP: $(cat "$TMP/nodes")"
want_equal "processes over TCP" "2 $(agent)" "$(jq -r '.nodes[0] | "\(.processes) \(.agent_pid)"' "$TMP/nodes")"
finish with
[ -z "$(find "$RUN/agents" -name '*.json')" ] || fail "an agent's registration is left in $RUN/agents"

start frozen
wait_for 20 "that an agent registers" registered
kill -STOP "$(agent)"
finish frozen
code=0
"$lockstep" ps "$RUN" >"$TMP/ps" 2>&1 || code=$?
want_equal "exit code after the job, with a stale registration" "3 $RUN: no process records there at the moment" \
  "$code $(sed 's/^lockstep: //' "$TMP/ps")"

start killed
wait_for 20 "that an agent registers" registered
kill -KILL "$(agent)"
"$lockstep" ps "$RUN" >/dev/null || fail "the own host needs no agent"
finish killed

start without --no-agents
[ ! -e "$RUN/agents" ] || fail "--no-agents started one"
! grep -q TCP "$TMP/without.err" || fail "--no-agents says that it listens"
finish without

# The processes record on a disk of the node, and are found there.
start local --node-local "$TMP/disk"
wait_for 20 "that an agent registers" registered
"$lockstep" ps "$RUN" --json >"$TMP/ps" || fail "on the node's disk: $(cat "$TMP/ps")"
want_equal "processes on the node's disk" 2 "$(jq '.processes | length' "$TMP/ps")"
finish local

# By the job's id, in the folder of its runs.
SLURM_JOB_ID=8181 start job
(cd "$TMP/job" && "$lockstep" nodes --job 8181 --json) >"$TMP/nodes" || fail "by the job's id: $(cat "$TMP/nodes")"
want_equal "processes of the job" 2 "$(jq '.nodes[0].processes' "$TMP/nodes")"
code=0
"$lockstep" ps --job 8182 2>"$TMP/err" || code=$?
want_equal "exit code of a job that nobody knows" 3 $code
code=0
"$lockstep" ps --job '8181;true' 2>"$TMP/err" || code=$?
want_equal "exit code of what is no job" 3 $code
finish job

# Without an interface to listen on, the own host at least.
NCCL_SOCKET_IFNAME="=none" start inside
wait_for 20 "that an agent registers" registered
want_equal "where it listens" '""' "$(jq -c .address "$RUN"/agents/*.json)"
grep -q "no interface" "$RUN/agents/log" || fail "it does not say why it has no TCP: $(cat "$RUN/agents/log")"
finish inside

want_equal "the plan starts it beside the program" 1 \
  "$("$lockstep" run --dir "$TMP/plan" --dry-run -- train 2>/dev/null | grep -c "lockstep agent .* --stay &$")"
want_equal "several nodes are one job step" 1 \
  "$(SLURM_JOB_ID=9 SLURM_JOB_NUM_NODES=3 "$lockstep" run --dir "$TMP/plan" --dry-run -- train 2>/dev/null | grep -c " srun -N3 -n3 --overlap .*lockstep agent .* --stay &$")"
