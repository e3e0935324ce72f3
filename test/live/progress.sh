#!/usr/bin/env bash
# How far a running job has come: what `lockstep progress` and `ctl progress` say is what the segments say, the laggard
# comes first, ranks that stand alike share a line, and a process that does not answer is named.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
run=$TMP/run
LOCKSTEP_DIR=$run LOCKSTEP_DUMP_INTERVAL_US=60000000 LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 "$BUILD/lockstep-emulate" \
  --ranks 4 --iterations 1000 --rate 50 --split --sendrecv --hang-rank 2 --at 30 --stall-us 600000000 \
  "$BUILD/libnccl-profiler.so" >"$TMP/counts" 2>&1 &
job=$!
pids() { find "$run" -name '*.ctl' | sed 's/.*\.\([0-9]*\)\.ctl/\1/'; }
cleanup() {
  # shellcheck disable=SC2046
  kill -CONT $(pids) 2>/dev/null || true
  # shellcheck disable=SC2046
  kill $job $(pids) 2>/dev/null || true
  wait
  rm -rf "$TMP"
}
trap cleanup EXIT

# The others stand in iteration 30, all their calls made; the interval of a minute proves that asking drains.
of_rank() { jq -c ".progress[] | select(.name == \"world\" and .rank == $1)" "$TMP/json"; }
stands() {
  "$lockstep" progress "$run" --json >"$TMP/json" 2>"$TMP/err" &&
    [ "$(jq '[.progress[] | select(.name == "world" and .rank != 2 and .issued.func == "Recv" and
      .issued.ordinal == 30)] | length' "$TMP/json")" = 3 ]
}
for _ in $(seq 300); do
  stands && break
  sleep 0.1
done
stands || fail "the job does not come to its hang: $(cat "$TMP/counts" "$TMP/err" "$TMP/json")"

want_equal "rows of 4 ranks on world and 4 on the split" 8 "$(jq '.progress | length' "$TMP/json")"
want_equal "hosts asked and answered" "[1,1,[]]" "$(jq -c '[.hosts_asked, .hosts_answered, .failed]' "$TMP/json")"
want_equal "the laggard comes first" 2 "$(jq '.progress[0].rank' "$TMP/json")"
want_equal "how far behind it is" "[1,1]" "$(jq -c '.progress[0] | [.behind_issued, .behind_started]' "$TMP/json")"
want_equal "it waits in nothing" null "$(of_rank 2 | jq -c .waiting)"
want_equal "its last call" '["Recv",29,1]' "$(of_rank 2 | jq -c '.issued | [.func, .ordinal, .peer]')"
want_equal "what rank 0 waits in" '["AllReduce",30]' "$(of_rank 0 | jq -c '.waiting | [.func, .ordinal]')"
want_equal "of which something began" true "$(of_rank 0 | jq '.waiting.started_age_ns > 0 and .waiting.open_kernels > 0')"
want_equal "what rank 0 ended last" '29' "$(of_rank 0 | jq '.ended.ordinal')"
want_equal "what rank 0 has in flight" 3 "$(of_rank 0 | jq .in_flight)"

"$lockstep" progress "$run" >"$TMP/text"
grep -qE '^2 +1 +Recv #29 .* nothing, ' "$TMP/text" || fail "the laggard has no line of its own: $(cat "$TMP/text")"
grep -qE '^0-1,3 +0 +Recv #30 .* AllReduce #30 for ' "$TMP/text" ||
  fail "ranks that stand alike do not share a line: $(cat "$TMP/text")"
[ "$(grep -n '^2 ' "$TMP/text" | cut -d: -f1 | head -1)" -lt "$(grep -n '^0-1,3 ' "$TMP/text" | cut -d: -f1 | head -1)" ] ||
  fail "the laggard does not come first: $(cat "$TMP/text")"

# Memory and disk: what status says, and what the files say.
pid=$(pids | head -1)
"$lockstep" ctl "$pid" status >"$TMP/status"
jq -e '.memory | .high_water_bytes >= .in_use_bytes and .in_use_bytes > 0 and .reserved_bytes >= .in_use_bytes and
  .most_waiting_bytes.Coll > 0 and .most_waiting_bytes.ProxyOp > 0' "$TMP/status" >/dev/null ||
  fail "the memory of a process does not add up: $(cat "$TMP/status")"
want_equal "bytes written" "$(cat "$run"/*."$pid".*.lks | wc -c)" "$(jq .bytes_written "$TMP/status")"
jq -e '.lag_ns >= 0' "$TMP/status" >/dev/null || fail "no lag: $(cat "$TMP/status")"
# The forecast rests on two looks a second apart; this process only writes when it is asked to.
for _ in $(seq 100); do
  "$lockstep" ctl "$pid" snapshot >"$TMP/status"
  jq -e '.bytes_per_hour > 0' "$TMP/status" >/dev/null && break
  sleep 0.1
done
jq -e '.bytes_per_hour > 0' "$TMP/status" >/dev/null || fail "no forecast: $(cat "$TMP/status")"

# Without the folder, through an agent, the same ranks stand at the same places.
start_agent_here "$run"
places() { jq -cS '[.progress[] | [.id, .rank, .pid, .issued.ordinal, .ended.ordinal, .waiting.ordinal, .behind_issued]]' "$1"; }
"$lockstep" progress --agents "$AGENT_ADDRESS" --key "$AGENT_KEY" --json >"$TMP/remote" || fail "the agent does not answer: $(cat "$TMP/agent")"
want_equal "what an agent says" "$(places "$TMP/json")" "$(places "$TMP/remote")"
kill "$AGENT_PID"

# A stopped process is named and holds nobody up.
kill -STOP "$pid"
status=0
"$lockstep" progress "$run" --json >"$TMP/partial" || status=$?
want_equal "exit code when one process does not answer" 1 $status
want_equal "rows of the others" 6 "$(jq '.progress | length' "$TMP/partial")"
jq -e ".failed[0].reason | test(\"process $pid: it is stopped\")" "$TMP/partial" >/dev/null ||
  fail "the stopped process is not named: $(cat "$TMP/partial")"
"$lockstep" progress "$run" >"$TMP/text" 2>/dev/null || true
grep -q '^no answer for ranks [0-3]$' "$TMP/text" || fail "its rank is not named: $(cat "$TMP/text")"
kill -CONT "$pid"

# The same in the segments, by their reader.
need_duckdb "$run"
"$lockstep" query --json "$run" "SELECT o.rank, o.func, o.peer, max(o.ordinal) AS issued,
    max(o.ordinal) FILTER (o.state = 'done') AS ended
  FROM operations o JOIN communicators USING (communicator) WHERE name = 'world' GROUP BY ALL" >"$TMP/tables" ||
  fail "$(cat "$TMP/tables")"
for rank in 0 1 2 3; do
  for mark in issued ended; do
    said=$(of_rank $rank | jq ".$mark.ordinal")
    func=$(of_rank $rank | jq -r ".$mark.func")
    peer=$(of_rank $rank | jq ".$mark.peer")
    read_back=$(jq -s "flatten | map(select(.rank == $rank and .func == \"$func\" and ($peer == null or .peer == $peer)) | .$mark) | max" "$TMP/tables")
    want_equal "rank $rank, $mark: $func as the tables count it" "$read_back" "$said"
  done
done
