#!/usr/bin/env bash
# timeout: 180
# A question about one table of a few ranks makes only their hosts send records, one about events of some kinds or about
# network steps only these records, and its answer is the one that all of them give. Two statements are never narrowed, so that the same question behind another one shows the difference.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
export LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0
run=$TMP/run
PIDS=()
trap 'for pid in "${PIDS[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done; wait; rm -rf "$TMP"' EXIT
listens() { sed -n 's/.*listens on //p' "$TMP/agent$1"; }
recorded() {  # recorded KIND STARTS
  local starts
  starts=$("$lockstep" count "$run" --json 2>/dev/null | jq ".starts.$1 // 0")
  [ "${starts:-0}" -ge "$2" ]
}
wait_for() {  # wait_for WHAT COMMAND...
  local what=$1
  shift
  for _ in $(seq 300); do "$@" && return; sleep 0.2; done
  fail "$what did not happen"
}
# start_job HOST RANKS OPTIONS...: each rank a process; it stands still after its operations
start_job() {
  local host=$1 ranks=$2
  shift 2
  LOCKSTEP_HOST=$host LOCKSTEP_DIR=$run "$BUILD/lockstep-emulate" --ranks "$ranks" --channels 1 --sizes 1k --iterations 1000 --burst 40 \
    --rate 0.001 --stall-us 1e9 "$@" "$BUILD/libnccl-profiler.so" >/dev/null 2>&1 &
  PIDS+=($!)
}
start_agent() {
  LOCKSTEP_HOST=$1 "$lockstep" agent "$run" --listen 127.0.0.1:0 >"$TMP/agent$1" 2>&1 &
  PIDS+=($!)
  wait_for "that the agent of $1 listens" grep -q "listens on" "$TMP/agent$1"
}
mkdir -p "$run"
export LOCKSTEP_EVENTS=all
start_job n1 2 --seed 1
start_job n2 4 --seed 2
wait_for "that both jobs have done their operations" recorded Coll 246
start_agent n1
start_agent n2
both=(--agents "$(listens n1),$(listens n2)" --key "$run/agents/key" --timeout 30 --last 1h --json)
"$lockstep" query "$run" "SELECT 1" >/dev/null 2>"$TMP/err" || skip "$(cat "$TMP/err")"

# agree WHICH STATEMENT ADDRESSES...: the rows of the statement alone and behind another; WHICH: fewer bytes, all, or any;
# less: of network steps with their instants, which are most of a host's bytes, and more so where a busy machine spreads them.
agree() {
  local which=$1 sql=$2 narrow whole
  shift 2
  "$lockstep" query --live "$sql" "$@" >"$TMP/narrow" 2>"$TMP/err" || fail "$sql: $(cat "$TMP/err")"
  "$lockstep" query --live "SELECT 1; $sql" "$@" >"$TMP/whole" 2>"$TMP/err" || fail "$sql: $(cat "$TMP/err")"
  cmp <(jq -c '.rows[]' "$TMP/narrow") <(jq -c '.rows[]' "$TMP/whole") || fail "$sql: the answers differ:
$(diff <(jq -c '.rows[]' "$TMP/narrow") <(jq -c '.rows[]' "$TMP/whole") | head -10)"
  narrow=$(jq .bytes "$TMP/narrow") whole=$(jq .bytes "$TMP/whole")
  case $which in
    fewer) [ $((narrow * 10)) -lt $((whole * 8)) ] || fail "$sql: $narrow bytes came, and $whole of all ranks" ;;
    less) [ $((narrow * 10)) -lt $((whole * 9)) ] || fail "$sql: $narrow bytes came, and $whole of all kinds" ;;
    all) [ $((narrow * 10)) -ge $((whole * 9)) ] || fail "$sql: only $narrow of $whole bytes came" ;;
  esac
}
echo "questions about few ranks"
for ranks in "rank = 3" "rank BETWEEN 2 AND 3" "rank IN (2, 3)" "rank > 1 AND rank <> 2" "3 <= rank"; do
  agree fewer "SELECT func, host, rank, state, count(*) AS n, sum(size_bytes) AS bytes FROM operations WHERE $ranks GROUP BY ALL ORDER BY ALL" \
    "${both[@]}"
done
agree fewer "SELECT event_id, peer, channel, step, is_send, size_bytes, last_state FROM proxy_steps WHERE rank = 3 ORDER BY ALL" "${both[@]}"
agree fewer "WITH w AS (SELECT * FROM events) SELECT kind, count(*) AS n FROM w WHERE rank = 3 AND kind <> 'ProxyCtrl' GROUP BY kind ORDER BY kind" "${both[@]}"
agree fewer "SELECT event_id, func FROM operations WHERE rank = 3 ORDER BY event_id DESC LIMIT 7" "${both[@]}"
agree less "SELECT event_id, peer, start_ns, stop_ns, network_ns FROM proxy_steps WHERE rank = 1 ORDER BY ALL" "${both[@]}" -t "$(listens n2)"
agree fewer "SELECT event_id, func, api_start_ns, kernel_start_ns, finish_ns FROM operations WHERE rank = 1 ORDER BY ALL" "${both[@]}" -t "$(listens n2)"
[ "$(jq '.rows | length' "$TMP/whole")" -eq 41 ] || fail "rank 1 of n2: $(jq '.rows | length' "$TMP/whole") rows"

echo "questions about few kinds of events"
for kinds in "kind = 'Coll'" "kind IN ('Coll', 'KernelCh')" "kind = 'ProxyOp' AND name IS NULL AND channel >= 0" \
  "kind IN ('CollApi', 'GroupApi') AND rank < 2"; do
  agree fewer "SELECT event_id, parent_id, kind, host, rank, peer, channel, tid, name, states FROM events WHERE $kinds ORDER BY ALL" "${both[@]}"
done
agree fewer "SELECT event_id, start_ns, stop_ns FROM events WHERE kind = 'Coll' ORDER BY ALL" "${both[@]}" -t "$(listens n2)"
agree fewer "SELECT event_id, proxy_op_id, operation_id, host, rank, peer, channel, step, is_send, size_bytes, retries, last_state FROM proxy_steps ORDER BY ALL" "${both[@]}"
agree less "SELECT * EXCLUDE (process, communicator) FROM proxy_steps ORDER BY ALL" "${both[@]}" -t "$(listens n2)"
[ "$(jq '.rows | length' "$TMP/whole")" -gt 1000 ] || fail "network steps of n2: $(jq '.rows | length' "$TMP/whole")"

echo "questions about events from some instant on"
instants="SELECT min(start_ns) AS first, CAST(median(start_ns) AS BIGINT) AS middle, max(start_ns) AS last FROM events"
"$lockstep" query --live "$instants" "${both[@]}" -t "$(listens n2)" >"$TMP/instants" || fail "$instants"
for instant in first middle last; do
  agree any "SELECT event_id, kind, rank, start_ns, stop_ns, states FROM events WHERE start_ns >= $(jq ".rows[0].$instant" "$TMP/instants") ORDER BY ALL" \
    "${both[@]}" -t "$(listens n2)"
  [ "$(jq '.rows | length' "$TMP/whole")" -gt 0 ] || fail "no events from the $instant instant on"
done
echo "questions about events until some instant"
for instant in first middle last; do
  until=$(jq ".rows[0].$instant + 1000000" "$TMP/instants")
  for condition in "stop_ns <= $until" "start_ns <= $until"; do
    agree any "SELECT event_id, kind, rank, start_ns, stop_ns, states FROM events WHERE $condition ORDER BY ALL" "${both[@]}" -t "$(listens n2)"
    [ "$(jq '.rows | length' "$TMP/whole")" -gt 0 ] || fail "no events until the $instant instant"
  done
done
agree fewer "SELECT event_id FROM events WHERE stop_ns < $(jq '.rows[0].first - 1000000000' "$TMP/instants")" "${both[@]}" -t "$(listens n2)"
agree fewer "SELECT event_id FROM events WHERE start_ns > $(jq '.rows[0].last + 1000000000' "$TMP/instants")" "${both[@]}" -t "$(listens n2)"

agree any "SELECT func, count(*) AS n FROM operations WHERE rank = 2 OR rank = 3 GROUP BY ALL ORDER BY ALL" "${both[@]}"
echo "questions whose answer needs the others"
for sql in "SELECT event_id, finish_ns FROM operations WHERE rank = 3 ORDER BY ALL" \
  "SELECT operation, func FROM operations WHERE rank = 3 ORDER BY ALL" \
  "SELECT process, communicator, ordinal FROM operations WHERE rank = 3 ORDER BY ALL" \
  "SELECT rowid, func FROM operations WHERE rank = 3 ORDER BY ALL" \
  "SELECT step, func, count(*) AS n FROM operations WHERE rank = 3 GROUP BY ALL ORDER BY ALL" \
  "SELECT rank, count(*) AS n FROM operations GROUP BY rank HAVING rank <> 3 ORDER BY rank" \
  "SELECT func, count(*) AS n FROM operations WHERE rank = 3 OR size_bytes > 0 GROUP BY ALL ORDER BY ALL" \
  "SELECT count(*) AS n FROM operations a JOIN operations b USING (ordinal) WHERE a.rank = 3" \
  "SELECT count(*) AS n, (SELECT count(*) FROM processes) AS p FROM operations WHERE rank = 3" \
  "SELECT count(*) AS n FROM ops WHERE rank = 3" \
  "SELECT max(wait_ns) AS w FROM arrivals WHERE rank = 3" \
  "SELECT count(*) AS n FROM operations WHERE rank = 3000" \
  "SELECT event_id, start_ns FROM events WHERE kind = 'Coll' ORDER BY ALL" \
  "SELECT process, communicator, kind FROM events WHERE kind = 'Coll' ORDER BY ALL" \
  "SELECT kind, count(*) AS n FROM events WHERE kind <> 'Coll' GROUP BY kind ORDER BY kind" \
  "SELECT kind, count(*) AS n FROM events WHERE kind = 'Coll' OR channel = 0 GROUP BY kind ORDER BY kind"; do
  agree all "$sql" "${both[@]}"
done

echo "only some kinds are asked for"
kinds="SELECT kind, count(*) AS n FROM events GROUP BY kind ORDER BY kind"
"$lockstep" query --live "$kinds" "${both[@]}" >"$TMP/whole" || fail "$kinds"
"$lockstep" query --live "$kinds" "${both[@]}" --kinds Coll,KernelCh >"$TMP/few" || fail "$kinds with --kinds"
want_equal "events of the kinds asked for" "$(jq -c '[.rows[] | select(.kind | IN("Coll", "KernelCh"))]' "$TMP/whole")" \
  "$(jq -c .rows "$TMP/few")"
want_equal "kinds asked for" 2 "$(jq '.rows | length' "$TMP/few")"
[ $(($(jq .bytes "$TMP/few") * 2)) -lt "$(jq .bytes "$TMP/whole")" ] || fail "$(jq .bytes "$TMP/few") bytes came with --kinds"
# A verdict says what it lacks, as one of a job that did not record it.
"$lockstep" diagnose "${both[@]}" --live --kinds Coll >"$TMP/few" 2>"$TMP/err" || [ $? = 1 ] || fail "$(cat "$TMP/err")"
jq -e '[.not_known[] | contains("network steps were not recorded")] | any' "$TMP/few" >/dev/null || fail "$(jq .not_known "$TMP/few")"
for wrong in "--kinds nonsense ${both[*]}" "--kinds Coll $run"; do
  code=0
  # shellcheck disable=SC2086
  "$lockstep" query --live "SELECT 1" $wrong >/dev/null 2>"$TMP/err" || code=$?
  want_equal "exit code of $wrong" 2 $code
  grep -q -- "--kinds" "$TMP/err" || fail "$wrong: $(cat "$TMP/err")"
done

echo "sends and receives belong to operations of several ranks"
start_job n3 4 --seed 3 --alltoall
wait_for "that the third job has done its operations" recorded P2p 1312
start_agent n3
three=(--agents "$(listens n1),$(listens n2),$(listens n3)" "${both[@]:2}")
agree all "SELECT func, kind, state, count(*) AS n FROM operations WHERE rank = 3 GROUP BY ALL ORDER BY ALL" "${three[@]}"
grep -q AlltoAll "$TMP/whole" || fail "no all-to-all among the operations: $(cat "$TMP/whole")"
agree fewer "SELECT kind, count(*) AS n FROM events WHERE rank = 3 AND kind <> 'ProxyCtrl' GROUP BY ALL ORDER BY ALL" "${three[@]}"
