#!/usr/bin/env bash
# timeout: 240
# Four hosts without a shared folder, each with an agent: `lockstep stacks` merges the ranks of all of them, and names the
# host whose agent does not answer.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
. "$ROOT/test/live/libdw.sh"
make_cluster
for n in $HOSTS; do start_job "$n" 2 --iterations 1000 --rate 5 --hang-rank 1 --at 10 --stall-us 200000000; done
for n in $HOSTS; do wait_for 60 "that two ranks record on n$n" sockets_are "$n" 2; done
for n in $HOSTS; do start_agent "$n"; done
hang_everywhere() {
  ask stacks --threads main --json --timeout 60 >"$TMP/hang"
  [ "$(jq '[.stacks[].threads[].frames[] | select(.function | tostring | endswith("hang_outside_nccl"))] | length' "$TMP/hang")" = 4 ]
}
wait_for 60 "that rank 1 hangs on each host" hang_everywhere

want_exit 0 ask stacks --threads main --json --timeout 60
want_equal "hosts asked, answered, failed, processes" "4 4 0 8" \
  "$(jq -r '"\(.hosts_asked) \(.hosts_answered) \(.failed | length) \(.stacks | length)"' "$TMP/out")"
want_equal "hosts of the rows" "n1 n2 n3 n4" "$(jq -r '[.stacks[].host] | unique | join(" ")' "$TMP/out")"
want_exit 0 ask stacks --threads main --timeout 60
grep -q '^8 processes on 4 hosts' "$TMP/out" || fail "not all hosts are in the text: $(cat "$TMP/out")"
grep -q 'rank 1 (4): .*hang_outside_nccl (scenario.cc:' "$TMP/out" || fail "the hang is not in one place: $(cat "$TMP/out")"
want_exit 0 ask stacks --ranks 1 --threads main --timeout 60
grep -q '^4 processes on 4 hosts' "$TMP/out" || fail "--ranks does not reach the agents: $(cat "$TMP/out")"

kill -STOP "${AGENT[3]}"
want_exit 1 ask stacks --threads main --json --timeout 5
want_equal "rows of the others" 6 "$(jq '.stacks | length' "$TMP/out")"
want_equal "who failed" 10.79.0.3:4711 "$(jq -r '.failed[].host' "$TMP/out")"
