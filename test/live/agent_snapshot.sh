#!/usr/bin/env bash
# Where no `lockstep run` looks after a job, its agents do: when the first communicator goes, one of them makes the report that
# the plugin asks for, once for the whole run. A wish that a later process leaves is taken up by nobody.
. "$(dirname "$0")/../lib.sh"
export LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0
run=$TMP/run
mkdir "$run"
PIDS=()
trap 'for pid in "${PIDS[@]}"; do kill "$pid" 2>/dev/null || true; done; wait; rm -rf "$TMP"' EXIT
wait_for() {  # wait_for WHAT COMMAND...
  local what=$1
  shift
  for _ in $(seq 300); do "$@" && return; sleep 0.1; done
  fail "$what did not happen: $(cat "$TMP"/agent.*)"
}
# An earlier job's wish is nobody's any more.
touch "$run/snapshot.wanted"
for host in n1 n2; do
  LOCKSTEP_HOST=$host "$BUILD/lockstep" agent "$run" --listen 127.0.0.1:0 --stay >"$TMP/agent.$host" 2>&1 &
  PIDS+=($!)
  wait_for "that the agent of $host listens" grep -q "listens on" "$TMP/agent.$host"
done
record() {  # record HOST
  LOCKSTEP_HOST=$1 LOCKSTEP_DIR=$run "$BUILD/lockstep-emulate" --ranks 2 --iterations 20 --rate 10 "$BUILD/libnccl-profiler.so" >/dev/null
}
snapshots() { find "$run/snapshot" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l; }
made() { compgen -G "$run/snapshot/*/report.html" >/dev/null; }
taken_up() { [ ! -e "$run/snapshot.wanted" ]; }

want_equal "wishes of an earlier job" "" "$(find "$run" -name snapshot.wanted)"
record n1
wait_for "the report" made
grep -q '^# ' "$run"/snapshot/*/summary.md || fail "the report says nothing"
record n2
[ -e "$run/snapshot.wanted" ] || fail "the processes of another host ask for nothing"
wait_for "that the second wish is removed" taken_up
sleep 1  # as long as another report would take to begin
want_equal "reports of a run that two agents look after" 1 "$(snapshots)"
for pid in "${PIDS[@]}"; do kill "$pid"; wait "$pid" || fail "an agent ended with $?: $(cat "$TMP"/agent.*)"; done
PIDS=()
want_equal "left in agents/" key "$(ls "$run/agents")"

# The report of the whole run compares with it.
"$BUILD/lockstep" report "$run" --force >/dev/null || [ $? = 1 ] || fail "no final report"
grep -q '^- Since the snapshot summary/' "$run/summary.md" || fail "the final report does not compare with the snapshot"
