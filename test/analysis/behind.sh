#!/usr/bin/env bash
# A recording that lags is not taken for absence: what a running rank has recorded and cannot write is read from its
# memory. Here the disk takes nothing more of rank 1, and rank 2 stops calling later: it alone is accused.
. "$(dirname "$0")/../lib.sh"
need jq jq
need python3 python3
need prlimit util-linux
export LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$TMP/run LOCKSTEP_HOST_LOAD=0 LOCKSTEP_DUMP_INTERVAL_US=200000
parents=() # each rank is the child of one
trap 'pkill -9 -P "$(IFS=,; echo "${parents[*]}")" || true; wait; rm -rf "$TMP"' EXIT

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
for rank in 0 1 2; do
  "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" --rank $rank --world 3 --nodes 1 --master "127.0.0.1:$port" \
    --iterations 300 --rate 20 --hang-rank 2 --at 100 --stall-us 250000000 >"$TMP/played.$rank" 2>&1 &
  parents+=($!)
done
for _ in $(seq 600); do
  pid=$(pgrep -P "${parents[1]}") && [ -n "$(find "$TMP/run" -name "*.$pid.arena" 2>/dev/null)" ] && break
  sleep 0.1
done
prlimit --pid "$pid" --fsize=1

hang() {
  "$BUILD/lockstep" diagnose "$1" --json >"$TMP/answer" 2>"$TMP/errors" || [ $? -eq 1 ] || return 1
  jq -c '[.findings[] | select(.kind | IN("straggler", "slow_link", "slow_proxy", "machine_overloaded") | not)
    | [.kind, .op, .ordinal, .ranks, .culprits]]' "$TMP/answer"
}
for _ in $(seq 60); do # it takes 5 s of standing still, and a busy machine longer to get there
  sleep 1
  [ "$(hang "$TMP/run")" = '[]' ] || break
done
want_equal "who is missing" '[["missing_rank","AllReduce",100,[0,1],[2]]]' "$(hang "$TMP/run")"

# Its segment alone says less: else this tests nothing.
cp -r "$TMP/run" "$TMP/copy"
rm "$TMP/copy"/*.arena
hang "$TMP/copy" >"$TMP/said"
[ "$(jq -c '.[0][3:]' "$TMP/said")" != '[[0,1],[2]]' ] ||
  fail "rank 1 wrote where it stands to its segment: $(cat "$TMP/said")"
