#!/usr/bin/env bash
# One agent, asked everything at once by several askers, by strangers and by nobody, ends as it is told to. The agent is
# $BUILD's, so that .ci/run has it with sanitizers; the job and the askers are of ORDINARY, another build where it is given.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib.sh"
need jq jq
ordinary=${ORDINARY:-$BUILD}
lockstep=$ordinary/lockstep
run=$TMP/run
export LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0
PIDS=()
trap 'for pid in "${PIDS[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done; rm -rf "$TMP"' EXIT
wait_for() {  # wait_for WHAT COMMAND...
  local what=$1
  shift
  for _ in $(seq 300); do "$@" && return; sleep 0.1; done
  fail "$what did not happen: $(cat "$TMP/agent")"
}
mkdir "$run"
LOCKSTEP_HOST=n1 LOCKSTEP_DIR=$run "$ordinary/lockstep-emulate" --ranks 2 --channels 1 --sizes 1k --iterations 100000 --rate 20 \
  --stall-us 100000000 "$ordinary/libnccl-profiler.so" >/dev/null 2>&1 &
PIDS+=($!)
LOCKSTEP_HOST=n1 "$BUILD/lockstep-agent" agent "$run" --listen 127.0.0.1:0 --stay >"$TMP/agent" 2>&1 &
agent=$!
PIDS+=("$agent")
wait_for "that the agent listens" grep -q "listens on" "$TMP/agent"
address=$(sed -n 's/.*listens on //p' "$TMP/agent")
by_tcp=(--agents "$address" --key "$run/agents/key" --timeout 60)
records() { [ "$("$lockstep" ps "${by_tcp[@]}" --json | jq '[.processes[] | select(.state == "recording")] | length')" -eq 2 ]; }
wait_for "that both ranks record" records

ask() {  # ask NAME COMMAND...: exit code 0, or a finding's 1
  local name=$1 code=0
  shift
  "$lockstep" "$@" >"$TMP/$name" 2>&1 || code=$?
  [ $code -le 1 ] || { echo "$*: exit code $code: $(cat "$TMP/$name")" >>"$TMP/wrong"; }
}
asks() {  # everything, and what is to be refused
  ask "ps$1" ps "${by_tcp[@]}" --json
  ask "nodes$1" nodes "${by_tcp[@]}" --json
  ask "progress$1" progress "${by_tcp[@]}" --json
  ask "ctl$1" ctl interval 300000 "${by_tcp[@]}"
  ask "stacks$1" stacks "${by_tcp[@]}" --samples 1 --json
  ask "diagnose$1" diagnose --live "${by_tcp[@]}" --json --kinds Coll
  # As another host would: over the agent's own socket.
  LOCKSTEP_HOST=elsewhere ask "socket$1" ps "$run" --json
  head -c $((100 * $1)) /dev/urandom >"/dev/tcp/${address%:*}/${address##*:}" || true
}
: >"$TMP/wrong"
askers=()
for n in 1 2 3; do asks "$n" & askers+=($!); done
head -c 32 /dev/urandom >"$TMP/key" && chmod 600 "$TMP/key"
code=0
"$lockstep" ps --agents "$address" --key "$TMP/key" >/dev/null 2>&1 || code=$?
want_equal "exit code with another key" 3 $code
code=0
"$lockstep" ps "${by_tcp[@]}" --timeout 0.1 >/dev/null 2>&1 || code=$?  # who goes away early harms nobody
wait "${askers[@]}"
[ ! -s "$TMP/wrong" ] || fail "$(cat "$TMP/wrong")"
for n in 1 2 3; do
  want_equal "rows of ps" "2 2" "$(jq '.processes | length' "$TMP/ps$n" "$TMP/socket$n" | xargs)"
  want_equal "hosts that sent their parts" 1 "$(jq .hosts_answered "$TMP/diagnose$n")"
done

kill -TERM "$agent"
code=0
wait "$agent" || code=$?
want_equal "the agent's exit code" 0 $code
want_equal "what the agent says" 1 "$(wc -l <"$TMP/agent")"
[ ! -e "$run/agents/n1.json" ] || fail "its registration is still there"
