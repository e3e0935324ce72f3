# Sourced after lib.sh by tests of live commands: four hosts in network namespaces on one bridge, which share no folder,
# each with emulated ranks that record to its own $TMP/nN/run and an agent at 10.79.0.N:4711 with the key $KEY.
# shellcheck shell=bash disable=SC2034
need ip iproute2
need jq jq
HOSTS="1 2 3 4"
AGENTS=10.79.0.1:4711,10.79.0.2:4711,10.79.0.3:4711,10.79.0.4:4711
KEY=$TMP/key
lockstep=$BUILD/lockstep
declare -A JOB AGENT
stop_cluster() {
  local n pid
  for pid in "${JOB[@]}" "${AGENT[@]}"; do kill -CONT "$pid" 2>/dev/null || true; kill -KILL "$pid" 2>/dev/null || true; done
  for n in $HOSTS; do
    for pid in $(ip netns pids "lsl$n-$$" 2>/dev/null); do kill -KILL "$pid" 2>/dev/null || true; done
    ip netns del "lsl$n-$$" 2>/dev/null || true
  done
  ip netns del "lslb-$$" 2>/dev/null || true
  rm -rf "$TMP"
}
trap stop_cluster EXIT

make_cluster() {
  local n
  ip netns add "lslb-$$" 2>/dev/null || skip "network namespaces are not permitted here"
  ip netns exec "lslb-$$" true 2>/dev/null || skip "nothing can run in a network namespace here"
  ip -n "lslb-$$" link add bridge type bridge
  ip -n "lslb-$$" link set bridge up
  for n in $HOSTS; do
    ip netns add "lsl$n-$$"
    ip link add "port$n" netns "lslb-$$" type veth peer name eth0 netns "lsl$n-$$"
    ip -n "lslb-$$" link set "port$n" master bridge up
    ip -n "lsl$n-$$" addr add "10.79.0.$n/24" dev eth0
    ip -n "lsl$n-$$" link set eth0 up
    ip -n "lsl$n-$$" link set lo up
    mkdir -p "$TMP/n$n"
  done
  head -c 32 /dev/urandom >"$KEY"
  head -c 32 /dev/urandom >"$TMP/wrong"
  chmod 600 "$KEY" "$TMP/wrong"
}
on() {  # on N COMMAND...: on that host
  local n=$1
  shift
  ip netns exec "lsl$n-$$" env "LOCKSTEP_HOST=n$n" "$@"
}
# start_job N RANKS OPTIONS...: a job of that host's own, which ends by itself
start_job() {
  local n=$1 ranks=$2
  shift 2
  on "$n" env LOCKSTEP_DIR="$TMP/n$n/run" LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 "$BUILD/lockstep-emulate" \
    --ranks "$ranks" --seed "$n" --sizes 1k --ops allreduce --channels 1 "$@" "$BUILD/libnccl-profiler.so" \
    >"$TMP/job$n" 2>&1 &
  JOB[$n]=$!
}
wait_for() {  # wait_for SECONDS WHAT COMMAND...: until it succeeds
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || fail "$what did not happen"
    sleep 0.1
  done
}
sockets_are() { [ "$(find "$TMP/n$1/run" -name '*.ctl' 2>/dev/null | wc -l)" = "$2" ]; }
# start_agent N OPTIONS...: AGENT[N] is its process, once it listens
start_agent() {
  local n=$1
  shift
  on "$n" "$lockstep" agent "$TMP/n$n/run" --listen "10.79.0.$n:4711" --key "$KEY" "$@" >"$TMP/agent$n" 2>&1 &
  wait_for 20 "that the agent of n$n listens" grep -q "listens on" "$TMP/agent$n"
  AGENT[$n]=$(ip netns pids "lsl$n-$$" | while read -r pid; do
    [ "$(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | cut -d' ' -f2)" != agent ] || echo "$pid"
  done)
}
# ask WORDS...: from host 1, with all four agents
ask() { on 1 "$lockstep" "$@" --agents "$AGENTS" --key "$KEY"; }
# want_exit CODE COMMAND...: its output in $TMP/out and $TMP/err
want_exit() {
  local wanted=$1 code=0
  shift
  "$@" >"$TMP/out" 2>"$TMP/err" || code=$?
  [ $code = "$wanted" ] || fail "'$*' ended with $code, not $wanted: $(head -c 2000 "$TMP/out") $(cat "$TMP/err")"
}
