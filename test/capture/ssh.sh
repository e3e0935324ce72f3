#!/usr/bin/env bash
# timeout: 180
# `lockstep capture` of a job on two hosts that have no agent: it logs in to each by a real ssh and sshd, which stand for the
# hosts by a name of their own, starts the agents there and captures through them, also where a login takes longer than the
# answer of a host may; the next capture needs no login.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib.sh"
need jq jq
need setpriv util-linux
unshare --uts --mount true 2>/dev/null || skip "UTS or mount namespaces are not permitted here"
lockstep=$BUILD/lockstep
run=$TMP/run
daemons=()
agents() { [ ! -d "$run/agents" ] || cat "$run"/agents/*.json 2>/dev/null | jq .pid; }
recording() { find "$run" -name '*.ctl' | sed 's/.*\.\([0-9]*\)\.ctl$/\1/'; }
clean_up() {
  local pid
  for pid in $(agents) $(recording) "${daemons[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$TMP"
}
trap clean_up EXIT
wait_for() {  # wait_for WHAT COMMAND...
  local what=$1
  shift
  for _ in $(seq 600); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  fail "$what did not happen: $(cat "$TMP"/*.log)"
}

. "$(dirname "$0")/../live/sshd.sh"
mkdir -m 700 "$run"
read -ra ports <<<"$(free_ports 3)"
for n in 1 2; do
  add_host "n$n" "${ports[n]}"
  # shellcheck disable=SC2016  # the inner shell's own
  unshare --uts --mount sh -c 'hostname "$1"; mount -t tmpfs -o mode=1777 shm /dev/shm; exec "$2" -D -e -f "$3"' sh "n$n" "$sshd" "$TMP/ssh/n$n" 2>"$TMP/sshd$n.log" &
  daemons+=($!)
done
for n in 1 2; do wait_for "a login to n$n" ssh "n$n" true; done

for rank in 0 1 2 3; do
  ssh "n$((rank / 2 + 1))" env LOCKSTEP_DIR="$run" LOCKSTEP_EVENTS=coll LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 \
    "$BUILD/lockstep-emulate" --rank "$rank" --world 4 --master "127.0.0.1:${ports[0]}" --sizes 1k --ops allreduce --channels 1 \
    --rate 50 --iterations 100000 --stall-us 1e9 "$BUILD/libnccl-profiler.so" >"$TMP/rank$rank.log" 2>&1 &
done
all_call() { [ "$(find "$run" -name 'n[12].*.ctl' | wc -l)" = 4 ] && [ "$("$lockstep" cat "$run" --kind CollApi | wc -l)" -gt 40 ]; }
wait_for "that all ranks record and call" all_call
# As on a machine of its own, which sees the sockets of others and cannot connect to them.
chmod 0 "$run"/*.ctl
capture() { LOCKSTEP_HOST=login setpriv --bounding-set=-dac_override "$lockstep" capture "$run" --operations 5 --json "$@" 2>"$TMP/err"; }
logins() { grep -c "^Accepted publickey" "$TMP/sshd1.log"; }
before=$(logins)

SLOW_LOGIN_S=6 capture --orchestrator ssh --verbose >"$TMP/capture" || fail "exit code $?: $(cat "$TMP/err")"
grep -q "lockstep agents start $run --hosts n1,n2$" "$TMP/err" || fail "--verbose does not print what is run: $(cat "$TMP/err")"
want_equal "ranks, hosts and states" '[[0,"n1","stopped"],[1,"n1","stopped"],[2,"n2","stopped"],[3,"n2","stopped"]]' \
  "$(jq -c '[.ranks[] | [.rank, .host, .state]]' "$TMP/capture")"
want_equal "positions that they began with" 1 "$(jq '[.ranks[].position] | unique | length' "$TMP/capture")"
want_equal "logins to n1" $((before + 1)) "$(logins)"
capture >"$TMP/again" || fail "the second: $(cat "$TMP/err")"
want_equal "states of the second" '["stopped"]' "$(jq -c '[.ranks[].state] | unique' "$TMP/again")"
want_equal "logins to n1 after the second" $((before + 1)) "$(logins)"
