#!/usr/bin/env bash
# A live job stands still: `lockstep diagnose` asks NCCL's RAS once, where its version is safe to ask, and what it knows
# of the rank to blame is evidence. Another job's answer and a busy service are named and change nothing.
. "$(dirname "$0")/../lib.sh"
need python3 python3
need jq jq
lockstep=$BUILD/lockstep
echo '{}' >"$TMP/report.json"
python3 "$ROOT/test/live/ras_server.py" ok "$TMP/report.json" >"$TMP/port" 2>"$TMP/requests" &
server=$!
jobs=()
cleanup() {
  # shellcheck disable=SC2046
  kill $server "${jobs[@]}" $(find "$TMP" -name '*.ctl' | sed 's/.*\.\([0-9]*\)\.ctl/\1/') 2>/dev/null || true
  wait
  rm -rf "$TMP"
}
trap cleanup EXIT
for _ in $(seq 100); do
  [ -s "$TMP/port" ] && break
  sleep 0.1
done

# The emulator with a library beside it that says which NCCL this is.
job() {  # job NAME VERSION
  LD_PRELOAD=$BUILD/test/libhost_nccl.so HOST_VERSION=$2 NCCL_RAS_ADDR=127.0.0.1:$(cat "$TMP/port") LOCKSTEP_CLOCK=0 \
    LOCKSTEP_HOST_LOAD=0 LOCKSTEP_DIR=$TMP/$1 "$BUILD/lockstep-emulate" --ranks 2 --iterations 100000 --rate 50 \
    --hang-rank 1 --at 20 --stall-us 600000000 "$BUILD/libnccl-profiler.so" >"$TMP/$1.counts" 2>&1 &
  jobs+=($!)
}
judge() {  # judge NAME: into $TMP/judged
  local code=0
  : >"$TMP/requests"
  "$lockstep" diagnose "$TMP/$1" --json >"$TMP/judged" 2>"$TMP/err" || code=$?
  [ $code = 1 ] && [ "$(jq -r '.findings[0] | "\(.kind) \(.culprits)"' "$TMP/judged")" = "missing_rank [1]" ]
}
asked() { grep -c '^STATUS$' "$TMP/requests" || true; }
evidence() { jq -r '.findings[0].evidence[] | select(startswith("RAS"))' "$TMP/judged"; }
unknown() { jq -r '.not_known[] | select(test("RAS"))' "$TMP/judged"; }
kept() { { find "$TMP/new/ras" -name '*.json' 2>/dev/null || true; } | wc -l; }

job old 22809
job new 22902
for name in old new; do
  for _ in $(seq 120); do
    judge $name && break
    sleep 0.5
  done
  judge $name || fail "$name: the hang is not found: $(cat "$TMP/$name.counts" "$TMP/err" "$TMP/judged")"
done
judge old
want_equal "an old NCCL is asked" 0 "$(asked)"
want_equal "why not" "RAS was not asked: NCCL 2.28.9, which may crash when asked (2.29.2 and later do not)." "$(unknown)"

# report MEMBERS: a report of this job's communicator; MEMBERS is jq on {rank, pid} of the two ranks.
"$lockstep" progress "$TMP/new" --json | jq '[.progress[] | {rank, pid, id}] | sort_by(.rank)' >"$TMP/ranks"
report() {
  jq "{nccl_version: \"2.29.2\", timestamp: \"now\", communicators: [{hash: .[0].id, size: 2} + (map(. + {host: \"10.0.0.1\",
    status: {async_error: 0}, collective_counts: {AllReduce: (if .rank == 0 then 21 else 20 end)}}) | $1)],
    ras: {timeouts_count: 0}}" "$TMP/ranks" >"$TMP/report.json"
}

report '{ranks: ., missing_ranks: []}'
before=$(kept)
judge new || fail "what RAS says changed the verdict: $(cat "$TMP/judged")"
want_equal "times RAS is asked" 1 "$(asked)"
want_equal "what it says of the missing rank" \
  "RAS: rank 1, pid $(jq '.[1].pid' "$TMP/ranks"), answers NCCL and has launched AllReduce 20 times: its process lives, and its thread is outside NCCL" "$(evidence)"
want_equal "not known" "" "$(unknown)"
want_equal "raw answers kept" $((before + 1)) "$(kept)"
cmp -s "$(find "$TMP/new/ras" -name '*.json' | sort | tail -1)" "$TMP/report.json" || fail "what is kept is not what came"

report '{ranks: .[:1], missing_ranks: [.[1] + {status: {unresponsive: true, considered_dead: true}}]}'
judge new
want_equal "a rank that RAS gave up" "RAS: rank 1, pid $(jq '.[1].pid' "$TMP/ranks"), is considered dead by NCCL" "$(evidence)"

# The guard: the same communicator id and ranks, other processes.
report '{ranks: map(.pid += 100000), missing_ranks: []}'
before=$(kept)
judge new
want_equal "evidence from another job" "" "$(evidence)"
[[ $(unknown) == *"another job answered"* ]] || fail "another job's answer is not named: $(unknown)"
want_equal "another job's answers kept" "$before" "$(kept)"

# NCCL's own counts against the recording: what it launched is what is recorded.
report '{ranks: ., missing_ranks: []}'
"$lockstep" verify --ras "$TMP/new" >"$TMP/verified" || fail "verify --ras: $(cat "$TMP/verified")"
grep -qF "NCCL's own counts (RAS) agree: 41 launches of 2 ranks" "$TMP/verified" || fail "no word on RAS: $(cat "$TMP/verified")"
report '{ranks: map(if .rank == 0 then .collective_counts.AllReduce = 25 else . end), missing_ranks: []}'
code=0
"$lockstep" verify --ras "$TMP/new" >"$TMP/verified" || code=$?
want_equal "exit code where NCCL has launched more than is recorded" 1 $code
grep -qE "^difference: rank 0, .*: NCCL has launched 25 AllReduce by its own count \(RAS\), 21 are recorded$" "$TMP/verified" ||
  fail "the difference is not named: $(cat "$TMP/verified")"
code=0
"$lockstep" verify --ras "$TMP/old" >"$TMP/verified" 2>"$TMP/err" || code=$?
want_equal "exit code where RAS must not be asked" 3 $code
grep -q "NCCL 2.28.9" "$TMP/err" || fail "no reason why RAS is not asked: $(cat "$TMP/err")"

echo "BUSY: another request is running" >"$TMP/report.json"
judge new
[[ $(unknown) == *"BUSY: another request is running"* ]] || fail "a busy service is not named: $(unknown)"
kill $server
wait $server 2>/dev/null || true
judge new || fail "without RAS the verdict is lost"
[[ $(unknown) == *"cannot connect"* ]] || fail "a service that is gone is not named: $(unknown)"
"$lockstep" info "$TMP/new" >/dev/null || fail "the folder ras disturbs the run's readers"
