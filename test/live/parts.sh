#!/usr/bin/env bash
# timeout: 240
# A running job's records in SQL and verdicts while it runs: over agents without a shared folder, in place on the own
# host, of one host, of one process; what they say of a span is what the files say of it afterwards.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
make_cluster
for n in $HOSTS; do start_job "$n" 4 --iterations 100000 --rate 20 --stall-us 100000000; done
for n in $HOSTS; do wait_for 60 "that four ranks record on n$n" sockets_are "$n" 4; done
for n in $HOSTS; do start_agent "$n"; done
wait_for 60 "that there are operations" bash -c "[ \$('$lockstep' count '$TMP/n4/run' --json | jq .starts.Coll) -gt 100 ]"
began=$(date +%s)

echo "what is asked wrongly"
want_exit 2 on 1 "$lockstep" query
want_exit 3 on 1 "$lockstep" query --live "SELECT 1"
grep -q "whom to ask" "$TMP/err" || fail "$(cat "$TMP/err")"
want_exit 3 on 1 "$lockstep" query "$TMP/n1/run" --live "SELECT 1" -t nowhere
grep -q "none of the hosts of this run, which are n1" "$TMP/err" || fail "$(cat "$TMP/err")"
want_exit 3 on 1 "$lockstep" query --live "SELECT 1" -t 4194304
want_exit 2 ask query --live "SELECT 1" --last never

echo "a verdict over all hosts"
code=0
ask diagnose --live --json >"$TMP/out" 2>"$TMP/err" || code=$?
[ $code -le 1 ] || fail "diagnose --live ended with $code: $(cat "$TMP/err")"
want_equal "hosts in the verdict" "4 4 0" "$(jq -r '"\(.hosts_asked) \(.hosts_answered) \(.failed | length)"' "$TMP/out")"
jq -e '.findings and .not_known' "$TMP/out" >/dev/null || fail "no verdict: $(cat "$TMP/out")"

echo "too large a part is refused with its size"
want_exit 3 ask diagnose --live --max-bytes 1000
grep -qE "has [0-9]+ bytes of 4 processes, and 1000 are allowed" "$TMP/err" || fail "$(cat "$TMP/err")"

echo "a host that does not answer is not known"
kill -STOP "${AGENT[3]}"
want_exit 1 ask diagnose --live --json --timeout 4
want_equal "answered" "4 3" "$(jq -r '"\(.hosts_asked) \(.hosts_answered)"' "$TMP/out")"
jq -e '[.not_known[] | contains("10.79.0.3:4711")] | any' "$TMP/out" >/dev/null || fail "$(jq .not_known "$TMP/out")"
kill -CONT "${AGENT[3]}"

on 1 "$lockstep" query "$TMP/n1/run" "SELECT 1" >/dev/null 2>"$TMP/err" || skip "$(cat "$TMP/err")"

echo "SQL over all hosts"
want_exit 0 ask query --live "SELECT p.host, count(DISTINCT p.pid) AS n, count(*) > 100 AS many FROM operations o
  JOIN processes p USING (process) GROUP BY p.host ORDER BY p.host" --json --last 60s
want_equal "hosts and processes" '[["n1",4,true],["n2",4,true],["n3",4,true],["n4",4,true]]' \
  "$(jq -c '[.rows[] | [.host, .n, .many]]' "$TMP/out")"
want_equal "hosts" "4 4 0" "$(jq -r '"\(.hosts_asked) \(.hosts_answered) \(.failed | length)"' "$TMP/out")"
[ "$(jq .bytes "$TMP/out")" -gt 1000 ] || fail "no bytes were counted"
want_exit 0 ask query --live "SELECT count(DISTINCT host) AS hosts FROM processes" -t 10.79.0.2:4711 --json
want_equal "hosts with -t" 1 "$(jq '.rows[0].hosts' "$TMP/out")"
want_exit 0 ask query --live "SELECT max(rank) AS r, min(rank) AS least FROM processes" --json --ranks 1-2
want_equal "ranks" "1 2" "$(jq -r '.rows[0] | "\(.least) \(.r)"' "$TMP/out")"

echo "in place, without an agent"
stop=$(find "$TMP/n1/run" -name '*.ctl' | sed 's/.*\.\([0-9]*\)\.ctl/\1/' | sort -n | head -1)
want_exit 0 on 1 "$lockstep" query "$TMP/n1/run" --live "SELECT count(DISTINCT process) AS n FROM operations" --json
want_equal "processes in place" "4 1" "$(jq -r '"\(.rows[0].n) \(.hosts_answered)"' "$TMP/out")"
want_exit 0 on 1 "$lockstep" query --live "SELECT DISTINCT p.pid FROM operations JOIN processes p USING (process)" -t "$stop" --csv
want_equal "one process" "pid $stop" "$(xargs <"$TMP/out")"
code=0
on 1 "$lockstep" diagnose "$TMP/n1/run" --live >"$TMP/out" 2>"$TMP/err" || code=$?
[ $code -le 1 ] || fail "diagnose --live in place ended with $code: $(cat "$TMP/err")"

echo "what an answer says of a span is what the files say of it afterwards"
# Kernel times rest on what the host saw of the GPU up to ten seconds after the span.
from=$(date -u -d "@$((began + 1))" +%FT%TZ) to=$(date -u -d "@$((began + 4))" +%FT%TZ)
until [ "$(date +%s)" -ge $((began + 16)) ]; do sleep 0.5; done
sql="SELECT p.host, p.pid, p.rank, func, ordinal, state, count, event_id, api_start_ns, enqueue_ns, finish_ns, size_bytes, kernel_start_ns, kernel_stop_ns
  FROM operations o JOIN processes p USING (process) ORDER BY ALL"
want_exit 0 ask query --live "$sql" --csv --from "$from" --to "$to"
mv "$TMP/out" "$TMP/live"
matched="SELECT m.func, m.ordinal, a.rank, a.arrival_ns, a.wait_ns, a.transfer_ns FROM arrivals a JOIN matches m USING (match)
  JOIN operations o USING (operation) JOIN processes p USING (process) WHERE p.host = 'n2' ORDER BY ALL"
want_exit 0 ask query --live "$matched" --csv --from "$from" --to "$to"
mv "$TMP/out" "$TMP/live.matched"
for n in $HOSTS; do kill -TERM "${JOB[$n]}"; wait "${JOB[$n]}" 2>/dev/null || true; done
for n in $HOSTS; do "$lockstep" recover "$TMP/n$n/run" >/dev/null 2>&1 || true; done
for n in $HOSTS; do
  "$lockstep" query "$TMP/n$n/run" "$sql" --csv --from "$from" --to "$to" >"$TMP/files.$n" 2>"$TMP/err" || fail "$(cat "$TMP/err")"
done
{ head -1 "$TMP/files.1"; tail -qn +2 "$TMP"/files.?; } | sort >"$TMP/files"
sort "$TMP/live" | cmp - "$TMP/files" || fail "live and files differ: $(sort "$TMP/live" | diff - "$TMP/files" | head -40)"
[ "$(wc -l <"$TMP/files")" -gt 500 ] || fail "too few rows to compare: $(wc -l <"$TMP/files")"
"$lockstep" query "$TMP/n2/run" "$matched" --csv --from "$from" --to "$to" >"$TMP/files.matched" 2>/dev/null
cmp "$TMP/live.matched" "$TMP/files.matched" || fail "arrivals: $(diff "$TMP/live.matched" "$TMP/files.matched" | head -40)"
