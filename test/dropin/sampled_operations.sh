#!/usr/bin/env bash
# LOCKSTEP_EVENTS=step:1/4: on every rank, whatever its speed, exactly every fourth collective by NCCL's number has network
# steps, and every fourth send from one rank to another with its receive: all of their steps, and none of other operations.
# What is left out is counted: what NCCL called is what is recorded and what was filtered. A capture has every operation's.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
export LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0
trap 'kill $job 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
job=
record() {  # record NAME [OPTION..]
  LOCKSTEP_DIR=$TMP/$1 "$BUILD/lockstep-emulate" "${@:2}" "$BUILD/libnccl-profiler.so" >"$TMP/$1.counts" 2>"$TMP/err" ||
    fail "the job failed: $(cat "$TMP/err")"
}
# Of each network operation how many steps it has and had, and the number that its operation is chosen by.
steps_of() {  # steps_of NAME
  "$lockstep" verify "$TMP/$1" >"$TMP/$1.verify" || fail "$1 does not verify: $(cat "$TMP/$1.verify")" >&2
  for kind in Coll P2p ProxyOp ProxyStep; do
    "$lockstep" cat "$TMP/$1" --kind $kind | jq -c 'select(.call == "start")' >"$TMP/$kind"
  done
  jq -cn --slurpfile colls "$TMP/Coll" --slurpfile p2ps "$TMP/P2p" --slurpfile ops "$TMP/ProxyOp" --slurpfile steps "$TMP/ProxyStep" '
    def key: "\(.pid) \(.id)";
    def of: "\(.pid) \(.parent)";
    ($colls | map({(key): {kind, n: .seq_number, raw_ns}})
      + ($p2ps | group_by([.pid, .comm, .func, .peer]) | map(sort_by(.raw_ns) | to_entries[] | {(.value | key): {kind: "P2p", n: .key}}))
      | add) as $operations
    | ($steps | group_by(of) | map({(.[0] | of): length}) | add // {}) as $recorded
    | $ops[] | {all: .steps, recorded: ($recorded[key] // 0)} + $operations[of]'
}
workload=(--ranks 6 --ranks-per-process 2 --split --comms 2 --nodes 3 --ops "allreduce,allgather,reducescatter" --sizes "64K,256K"
  --iterations 20 --alltoall --sendrecv --late-rank 2 --late-us 500 --seed 7)

LOCKSTEP_EVENTS=step:1/4 record part "${workload[@]}"
steps_of part >"$TMP/steps"
for kind in Coll P2p; do
  want_equal "network operations of a $kind with other steps than they should have" '[]' \
    "$(jq -cs --arg kind $kind 'map(select(.kind == $kind and .recorded != (if .n % 4 == 0 then .all else 0 end))) | .[:3]' "$TMP/steps")"
  jq -es --arg kind $kind 'map(select(.kind == $kind)) | map(select(.recorded > 0)) as $with | ($with | length > 50) and length > 3 * ($with | length)' \
    "$TMP/steps" >/dev/null || fail "there is little of $kind: $(jq -cs length "$TMP/steps")"
done
"$lockstep" count "$TMP/part" --json >"$TMP/count"
want_equal "steps that NCCL told of, and what became of them" \
  "$(jq '.starts.ProxyStep + .states.ProxyStep + .stops.ProxyStep' "$TMP/part.counts")" \
  "$(jq '.starts.ProxyStep + .states_by_kind.ProxyStep + .stops_by_kind.ProxyStep + .filtered.ProxyStep' "$TMP/count")"
want_equal "kinds that were filtered" '["ProxyStep"]' "$(jq -c '.filtered | keys' "$TMP/count")"
grep -q 'Recorded of one operation in 4, so that what rests on them is a sample: ProxyStep' "$TMP/part.verify" ||
  fail "verify does not say so: $(cat "$TMP/part.verify")"
"$lockstep" diagnose "$TMP/part" >"$TMP/diagnosed" || true
grep -q 'Recorded of one operation in 4, ' "$TMP/diagnosed" || fail "diagnose does not say so: $(cat "$TMP/diagnosed")"
! grep -q 'because their kind is switched off\.' "$TMP/diagnosed" || fail "diagnose is wrong about what is left out: $(cat "$TMP/diagnosed")"

echo "a process says what it records, and can be told otherwise"
LOCKSTEP_EVENTS=step:1/1000 LOCKSTEP_DIR=$TMP/told "$BUILD/lockstep-emulate" --ranks 2 --ops allreduce --sizes 64K --rate 100 \
  --iterations 100000 --stall-us 1e9 "$BUILD/libnccl-profiler.so" >"$TMP/counts" 2>&1 &
job=$!
for _ in $(seq 300); do
  [ "$(find "$TMP/told" -name '*.ctl' 2>/dev/null | wc -l)" != 2 ] || break
  sleep 0.1
done
"$lockstep" ctl "$TMP/told" status | jq -es 'length == 2 and all(.events | endswith(":1/1000"))' >/dev/null ||
  fail "$("$lockstep" ctl "$TMP/told" status)"
"$lockstep" capture "$TMP/told" --operations 10 --json >"$TMP/capture" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
from=$(jq .ranks[0].position "$TMP/capture")
"$lockstep" ctl "$TMP/told" events step >/dev/null
"$lockstep" ctl "$TMP/told" status | jq -es 'all(.events | contains("1/") | not)' >/dev/null || fail "it still takes a share"
kill $job
wait $job 2>/dev/null || true
job=
# The ranks die after their launcher, and only then can what they left be recovered.
for _ in $(seq 100); do
  "$lockstep" recover "$TMP/told" >/dev/null 2>&1 || true
  ! "$lockstep" verify "$TMP/told" >/dev/null || break
  sleep 0.1
done
steps_of told >"$TMP/steps"
# Positions count from 1, NCCL's numbers from 0.
want_equal "operations with steps up to the capture's end" "$(jq -cn --argjson from "$from" '[[0], [range($from - 1; $from + 9)]] | add')" \
  "$(jq -cs --argjson from "$from" 'map(select(.recorded > 0 and .n < $from + 9 and .n % 1000 == 0 or .recorded > 0 and .n >= $from - 1 and .n < $from + 9) | .n) | unique' "$TMP/steps")"
want_equal "network operations before the capture that have steps by mistake" 0 \
  "$(jq -s --argjson from "$from" 'map(select(.n < $from - 1 and .n % 1000 != 0 and .recorded > 0)) | length' "$TMP/steps")"
