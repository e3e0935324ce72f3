#!/usr/bin/env bash
# A call of a group call that is captured into a CUDA graph is captured, as NCCL would say: what is launched for it again
# and again are its replays, in the order of time, so that the one that stands still is seen to.
. "$(dirname "$0")/../lib.sh"
export LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all

# line US THREAD CALL KIND NUMBER PARENT CONTEXT ARGUMENTS
number=0
line() {
  printf '%6d %12.3fus tid=%s(python       ) %-8s %-12s #%-6d %-23s ctx=%d %s\n' \
    $((number++)) "$1" "$2" "$3" "$4" "$5" "parent=$6" "$7" "${8:-}"
}
# capture US FIRST: a group call with an all-reduce, as a graph takes it up.
capture() {
  line "$1" 100 start GroupApi "$2" - 1 'depth=1 graph=1'
  line "$(($1 + 1))" 100 start CollApi $(($2 + 1)) "GroupApi#$2" 1 'AllReduce count=1024 ncclFloat32 root=0'
  line "$(($1 + 2))" 100 stop CollApi $(($2 + 1)) - 0
  line "$(($1 + 3))" 100 stop GroupApi "$2" - 0
}
# launch US FIRST CALL [open]: what a replay of that call does.
launch() {
  line "$1" 101 start Group "$2" - 1
  line "$(($1 + 1))" 101 start Coll $(($2 + 1)) "CollApi#$3" 1 \
    "AllReduce seq=0 count=1024 root=0 ncclFloat32 ch=1 w=16 RING/SIMPLE pgroup=$2"
  line "$(($1 + 2))" 101 stop Coll $(($2 + 1)) - 0
  line "$(($1 + 3))" 101 stop Group "$2" - 0
  line "$(($1 + 10))" 102 start KernelCh $(($2 + 2)) "Coll#$(($2 + 1))" 1 "ch=0 pTimer=$(($1 * 1000))"
  [ "${4:-}" = open ] && return
  line "$(($1 + 60))" 102 record KernelCh $(($2 + 2)) - 0 "KernelChStop pTimer=$(($1 * 1000 + 50000))"
  line "$(($1 + 61))" 102 stop KernelCh $(($2 + 2)) - 0
}
# Two calls, replayed twice; the second replay of the first stands still.
{
  line 10 100 init '?' 0 - 1 'name=world hash=00000000000000c0 nodes=1 ranks=2 rank=0'
  capture 100 1
  capture 200 3
  launch 1000 5 2
  launch 2000 8 4
  launch 3000 11 2 open
} >"$TMP/lines"
{
  echo "=== recorded calls, rank 0, pid 100, $(wc -l <"$TMP/lines") calls in all, the first 2000 logged, time zero at CLOCK_MONOTONIC 5029252292288 ns"
  cat "$TMP/lines"
} >"$TMP/log.0.txt"

LOCKSTEP_DIR=$TMP/run "$BUILD/lockstep-replay" --virtual --end log "$BUILD/libnccl-profiler.so" "$TMP/log.0.txt" >/dev/null
"$BUILD/lockstep" export "$TMP/run" --to csv -o "$TMP/csv" >/dev/null
column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) at = i; next } { print $at }' "$TMP/csv/operations.csv" | paste -sd' '; }
[ "$(column replay)" = "1 1 2" ] || fail "replays are $(column replay)"
[ "$(column state)" = "done done in_flight" ] || fail "states are $(column state)"
