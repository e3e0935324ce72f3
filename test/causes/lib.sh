# Sourced by the tests of causes: a job of four ranks on this machine, and what holds one of them up. They take real time
# and this machine's processors, so CI judges recordings of them (recorded.sh) and LONG=1 makes them anew. With RUNS=DIR
# the runs stay there: test/data/recordings/causes was made so.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
only_when_long "the answer depends on this machine's processors; causes/recorded judges recordings: LONG=1 test/run causes/"
need jq jq
need python3 python3
[ -r /proc/self/schedstat ] || skip "this kernel keeps no schedstat (CONFIG_SCHED_INFO)"
RUNS=${RUNS:-$TMP}
mkdir -p "$RUNS"

LOOPS=() GROUP=
end_loops() {
  local pid
  for pid in "${LOOPS[@]}"; do
    kill "$pid" && wait "$pid"
  done 2>/dev/null || true
  LOOPS=()
}
clean_up() {
  end_loops
  [ -z "$GROUP" ] || rmdir "$GROUP" 2>/dev/null || true
  rm -rf "$TMP"
}
trap clean_up EXIT
busy_loop() { "$@" sh -c 'while :; do :; done' & LOOPS+=($!); }

# make_group CONTROLLER: GROUP, a cgroup of version 1 that goes when the test ends.
make_group() {
  local tree
  tree=$(awk -v wanted="(^|,)$1(,|$)" '$3 == "cgroup" && $4 ~ wanted {print $2; exit}' /proc/mounts)
  [ -n "$tree" ] || skip "there is no $1 controller of version 1 here"
  mkdir "$tree/lockstep-test-$$" 2>/dev/null || skip "cgroups cannot be made here"
  GROUP=$tree/lockstep-test-$$
}
# job NAME WORK COMMAND...: four ranks that record into $RUNS/NAME and do WORK, options of the emulator in which %r is the
# rank; rank 1 by way of COMMAND, and in GROUP where there is one. The answer of diagnose is in $TMP/NAME.json.
job() {
  local name=$1 work=$2 port rank ranks=()
  shift 2
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  for rank in 0 1 2 3; do
    local by=()
    # shellcheck disable=SC2016
    if [ $rank = 1 ]; then
      by=("$@")
      [ -z "$GROUP" ] || by=(sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$GROUP" "$@")
    fi
    # shellcheck disable=SC2086
    LOCKSTEP_DIR=$RUNS/$name LOCKSTEP_HOST=node7 "${by[@]}" "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --rank $rank \
      --world 4 --nodes 1 --master "127.0.0.1:$port" --stall-us 120000000 ${work//%r/$rank} >/dev/null &
    ranks+=($!)
  done
  for rank in "${ranks[@]}"; do wait "$rank" || fail "$name: a rank ended with $?"; done
  "$BUILD/lockstep" diagnose "$RUNS/$name" --json >"$TMP/$name.json" || [ $? = 1 ] || fail "diagnose $name"
}
stragglers() { jq -c '[.findings[] | select(.kind == "straggler") | [.culprits, .why]]' "$TMP/$1.json"; }
# named NAME WHY: rank 1 is, for this reason; its finding is in $TMP/found.
named() {
  jq -e --arg why "$2" '.findings[] | select(.kind == "straggler" and .culprits == [1] and .why == $why)' "$TMP/$1.json" \
    >"$TMP/found" || fail "$1: these are accused, not rank 1 of $2: $(stragglers "$1")"
}
