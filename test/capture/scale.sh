#!/usr/bin/env bash
# timeout: 900
# serial
# 1,024 ranks in 128 processes of 128 hosts, an agent each, on this machine: two seconds of network steps are armed in three
# seconds at most, and nothing is lost. Each rank calls every two seconds: at twice that the emulators alone fill two cores.
. "$(dirname "$0")/../lib.sh"
only_when_long "minutes of 128 processes and agents: LONG=1 test/run capture/scale"
need jq jq
lockstep=$BUILD/lockstep
run=$TMP/run
export LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 LOCKSTEP_EVENTS=coll
PIDS=() pid=
trap 'for pid in "${PIDS[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done; wait 2>/dev/null || true; rm -rf "$TMP"' EXIT
count=128
mkdir -p "$run"
for n in $(seq "$count"); do
  LOCKSTEP_HOST=n$n LOCKSTEP_DIR=$run "$BUILD/lockstep-emulate" --ranks 8 --ranks-per-process 8 --channels 1 --sizes 1k \
    --ops allreduce --rate 0.5 --iterations 100000 --seed "$n" --stall-us 1e9 "$BUILD/libnccl-profiler.so" >/dev/null 2>&1 &
  PIDS+=($!)
done
wait_for() {  # wait_for WHAT COMMAND...
  local what=$1
  shift
  for _ in $(seq 1200); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.2
  done
  fail "$what did not happen"
}
all_record() { [ "$(find "$run" -name '*.ctl' | wc -l)" = "$count" ]; }
wait_for "that all processes record" all_record
for n in $(seq "$count"); do
  LOCKSTEP_HOST=n$n "$lockstep" agent "$run" --listen 127.0.0.1:0 >"$TMP/agent$n" 2>&1 &
  PIDS+=($!)
done
all_listen() { [ "$(find "$run/agents" -name '*.json' | wc -l)" = "$count" ]; }
wait_for "that all agents listen" all_listen
called() { [ "$("$lockstep" progress "$run" --json --timeout 60 | jq '[.progress[].issued.collectives] | min // 0')" -gt 4 ]; }
wait_for "that all ranks call" called

code=0
LOCKSTEP_HOST=n1 "$lockstep" capture "$run" --duration 2s --timeout 30 --json >"$TMP/out" 2>"$TMP/err" || code=$?
want_equal "exit code" 0 "$code"
want_equal "ranks" 1024 "$(jq '.ranks | length' "$TMP/out")"
want_equal "states" '["stopped"]' "$(jq -c '[.ranks[].state] | unique' "$TMP/out")"
want_equal "calls not recorded" 0 "$(jq .cost.calls_not_recorded "$TMP/out")"
line=$(grep " armed within " "$TMP/err")
echo "$line"
[[ $line =~ armed\ within\ ([0-9.]+)\ (ns|us|ms|s)$ ]] || fail "no time of arming: $line"
case ${BASH_REMATCH[2]} in
  s) awk -v s="${BASH_REMATCH[1]}" 'BEGIN {exit !(s <= 3)}' || fail "arming took longer than three seconds: $line" ;;
esac
