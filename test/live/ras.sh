#!/usr/bin/env bash
# NCCL's RAS service, asked once: what it says is printed, whatever the server does ends in time with a sentence and its
# exit code, and an answer that lacks a comma is read all the same.
. "$(dirname "$0")/../lib.sh"
need python3 python3
need jq jq
lockstep=$BUILD/lockstep
cat >"$TMP/report.json" <<'END'
{
  "nccl_version": "2.28.9", "cuda_runtime_version": 13000, "cuda_driver_version": 13000,
  "timestamp": "2026-11-21 12:00:00", "communicators_count": 1,
  "communicators": [ { "hash": "0xfa93daea854b060b", "secondary_hash": "0x1:0x2", "size": 4, "ranks_count": 3,
    "missing_ranks_count": 1, "ranks": [
      { "rank": 0, "host": "10.0.0.1", "pid": 4242, "cuda_dev": 0, "nvml_dev": 0, "status": { "init_state": 0,
        "async_error": 0, "finalize_called": false, "destroy_flag": false, "abort_flag": false },
        "collective_counts": { "Broadcast": 0, "AllGather": 12, "AllReduce": 640 } },
      { "rank": 1, "host": "10.0.0.1", "pid": 4243, "cuda_dev": 1, "nvml_dev": 1, "status": { "init_state": 0,
        "async_error": 0, "finalize_called": false, "destroy_flag": false, "abort_flag": false },
        "collective_counts": { "Broadcast": 0, "AllGather": 12, "AllReduce": 640 } },
      { "rank": 2, "host": "10.0.0.2", "pid": 76, "cuda_dev": 0, "nvml_dev": 0, "status": { "init_state": 0,
        "async_error": 0, "finalize_called": false, "destroy_flag": false, "abort_flag": false },
        "collective_counts": { "Broadcast": 0, "AllGather": 12, "AllReduce": 639 } } ],
    "missing_ranks": [ { "rank": 3, "host": "10.0.0.2", "pid": 77, "cuda_dev": 3, "nvml_dev": 3,
      "status": { "unresponsive": true, "considered_dead": true } } ] } ],
  "ras": { "collection_time_sec": 0.012, "timeouts_count": 1 }
}
END
server=
stop() {
  [ -z "$server" ] || { kill "$server" && wait "$server"; } || true
  server=
}
trap 'stop 2>/dev/null; rm -rf "$TMP"' EXIT
start() {  # start MODE: the address is in $address
  stop 2>/dev/null
  : >"$TMP/port"
  python3 "$ROOT/test/live/ras_server.py" "$1" "$TMP/report.json" >"$TMP/port" 2>"$TMP/requests" &
  server=$!
  for _ in $(seq 100); do
    [ -s "$TMP/port" ] && break
    sleep 0.1
  done
  address=127.0.0.1:$(cat "$TMP/port")
}
ask() {  # ask CODE ARGUMENTS...: runs `lockstep ras`, which must end with that code within its own limit
  local expected=$1 code=0
  shift
  timeout 60 "$lockstep" ras "$@" >"$TMP/out" 2>"$TMP/err" || code=$?
  want_equal "exit code of lockstep ras $* ($(cat "$TMP/out" "$TMP/err"))" "$expected" $code
}

for mode in ok comma crlf slow; do
  start $mode
  ask 1 "$address"  # a rank is missing
  diff - "$TMP/out" <<'END' || fail "$mode: the report is wrong"
NCCL 2.28.9, 2026-11-21 12:00:00
0xfa93daea854b060b, 4 ranks, 3 answered
  ranks 0-1: AllGather 12, AllReduce 640
  rank 2: AllGather 12, AllReduce 639
  rank 3, pid 77 on 10.0.0.2: considered dead
1 process did not answer RAS in time.
END
  want_equal "$mode: what the server was asked" "CLIENT PROTOCOL 2 TIMEOUT 5 SET FORMAT JSON STATUS" "$(xargs <"$TMP/requests")"
  ask 1 --json "$address"
  want_equal "$mode: repaired" "$([ $mode = comma ] && echo true || echo false)" "$(jq .repaired "$TMP/out")"
  want_equal "$mode: the service's own words" "$(jq -S . "$TMP/report.json")" "$(jq -S .report "$TMP/out")"
done

start stalled
ask 3 --timeout 0.5 "$address"
grep -q 'no answer in time' "$TMP/err" || fail "stalled: $(cat "$TMP/err")"
start busy
ask 3 "$address"
grep -q "BUSY: another client's request is running" "$TMP/err" || fail "busy: $(cat "$TMP/err")"
start cut
ask 3 "$address"
start text
ask 3 "$address"
grep -q 'JSON needs NCCL 2.28.7' "$TMP/err" || fail "text: $(cat "$TMP/err")"
start web
ask 3 "$address"
grep -q 'is no NCCL' "$TMP/err" || fail "web: $(cat "$TMP/err")"
start empty
ask 3 "$address"
stop 2>/dev/null
ask 3 "$address"
grep -q 'NCCL_RAS_ENABLE' "$TMP/err" || fail "nobody listens: $(cat "$TMP/err")"
for wrong in nowhere :1 host: host:0 host:65536; do
  ask 2 "$wrong"
done

# All ranks well: exit 0; the address may come from NCCL's own variable.
jq '.communicators[0] |= (.missing_ranks = [] | .size = 3) | .ras.timeouts_count = 0' "$TMP/report.json" >"$TMP/well.json"
mv "$TMP/well.json" "$TMP/report.json"
start ok
NCCL_RAS_ADDR=$address timeout 60 "$lockstep" ras >"$TMP/out" || fail "a healthy job ends with $?"
