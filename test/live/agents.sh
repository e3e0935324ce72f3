#!/usr/bin/env bash
# timeout: 300
# Four hosts without a shared folder, eight ranks and an agent each: all are asked at once; agents that are frozen, killed
# in the middle of an answer, have another key or a full disk are named and cost nobody else anything; the jobs notice
# nothing.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
lockstep=$BUILD/lockstep
make_cluster
# Two minutes, four times what the questions need: the jobs must last as long as they are asked.
for n in $HOSTS; do start_job "$n" 8 --iterations 600 --rate 5 --stall-us 100000000; done
for n in $HOSTS; do wait_for 60 "that eight ranks record on n$n" sockets_are "$n" 8; done
# The third host's disk is full when its agent comes: it cannot register, and is reached by its address.
mkdir "$TMP/n3/run/agents"
chmod 500 "$TMP/n3/run/agents"
ip netns exec "lsl3-$$" sh -c "mount -t tmpfs -o size=4k,mode=700 none '$TMP/n3/run/agents' &&
  head -c 100000 /dev/zero >'$TMP/n3/run/agents/full' 2>/dev/null
  exec env LOCKSTEP_HOST=n3 '$lockstep' agent '$TMP/n3/run' --listen 10.79.0.3:4711 --key '$KEY'" >"$TMP/agent3" 2>&1 &
wait_for 20 "that the agent with a full disk listens" grep -q "listens on" "$TMP/agent3"
grep -q "not registered" "$TMP/agent3" || fail "the agent says nothing of its full disk: $(cat "$TMP/agent3")"
for n in 1 2 4; do start_agent "$n"; done

echo "all hosts answer"
want_exit 0 ask ps --json
want_equal "hosts asked, answered, failed, processes" "4 4 0 32" \
  "$(jq -r '"\(.hosts_asked) \(.hosts_answered) \(.failed | length) \(.processes | length)"' "$TMP/out")"
want_equal "hosts of the rows" "n1 n2 n3 n4" "$(jq -r '[.processes[].host] | unique | join(" ")' "$TMP/out")"
want_equal "processes reported twice" 0 \
  "$(jq '[.processes[] | "\(.host) \(.pid)"] | length - (unique | length)' "$TMP/out")"
want_exit 0 ask ctl interval 500000
want_equal "confirmations" 32 "$(grep -c '"interval_us":500000' "$TMP/out")"
want_exit 0 ask nodes --json
want_equal "nodes" "n1 n2 n3 n4" "$(jq -r '[.nodes[].host] | sort | join(" ")' "$TMP/out")"
want_exit 0 ask progress --json --timeout 60
want_equal "ranks of progress, by host" "n1 8 n2 8 n3 8 n4 8" \
  "$(jq -r '[.progress | group_by(.host)[] | "\(.[0].host) \([.[].rank] | unique | length)"] | join(" ")' "$TMP/out")"
want_exit 0 ask stacks --threads main --samples 1 --json --timeout 60
want_equal "processes of stacks" "4 32" "$(jq -r '"\(.hosts_answered) \(.stacks | length)"' "$TMP/out")"
code=0
ask diagnose --live --json --timeout 60 >"$TMP/out" 2>"$TMP/err" || code=$?
[ $code -le 1 ] || fail "diagnose --live ended with $code: $(cat "$TMP/err")"
want_equal "hosts of the verdict" "4 4 0" "$(jq -r '"\(.hosts_asked) \(.hosts_answered) \(.failed | length)"' "$TMP/out")"
if "$lockstep" query "$TMP/n1/run" "SELECT 1" >/dev/null 2>&1; then
  want_exit 0 ask query --live "SELECT host, count(DISTINCT pid) AS n FROM processes GROUP BY host ORDER BY host" --json --last 60s --timeout 60
  want_equal "processes in SQL" '[["n1",8],["n2",8],["n3",8],["n4",8]]' "$(jq -c '[.rows[] | [.host, .n]]' "$TMP/out")"
fi
want_exit 0 on 1 "$lockstep" ps --key "$KEY" --agents "10.79.0.[1-4]:4711"
want_exit 2 ask ctl nonsense

echo "another key is refused"
want_exit 3 on 1 "$lockstep" ps --agents "$AGENTS" --key "$TMP/wrong" --json
want_equal "hosts that answered to another key" 0 "$(jq .hosts_answered "$TMP/out")"
jq -e '[.failed[].reason | contains("another key")] | all and length == 4' "$TMP/out" >/dev/null || fail "$(cat "$TMP/out")"
want_exit 3 on 1 "$lockstep" ps --agents "$AGENTS"
chmod 644 "$TMP/wrong"
want_exit 3 on 1 "$lockstep" ps --agents "$AGENTS" --key "$TMP/wrong"
grep -q "others may read it" "$TMP/err" || fail "a key that others may read: $(cat "$TMP/err")"

echo "whoever sends nonsense, or nothing, keeps nobody else from being answered"
for size in 1 84 5000; do
  on 1 bash -c "head -c $size /dev/urandom >/dev/tcp/10.79.0.2/4711" 2>/dev/null || true
done
on 1 bash -c 'exec 3<>/dev/tcp/10.79.0.2/4711; read -r -t 60 -u 3' 2>/dev/null &
silent=$!
want_exit 0 ask ps
wait $silent || true  # closed by the agent, which waits two seconds for a hello

echo "the asker's own disk is full: it says so, and nobody's half counts"
# shellcheck disable=SC2016  # the inner shell's own variables
want_exit 3 on 1 sh -c 'mkdir -p "$1" && mount -t tmpfs -o size=16k,mode=700 none "$1" && shift && exec "$@"' sh "$TMP/small" \
  env TMPDIR="$TMP/small" "$lockstep" diagnose --live --agents "$AGENTS" --key "$KEY" --timeout 60
grep -q "$TMP/small" "$TMP/err" || fail "the full folder is not named: $(cat "$TMP/err")"

echo "a frozen agent is named when the time is over"
kill -STOP "${AGENT[2]}"
want_exit 1 ask ps --json --timeout 2
want_equal "who failed" "10.79.0.2:4711 no answer before the deadline" "$(jq -r '.failed[] | "\(.host) \(.reason)"' "$TMP/out")"
want_equal "rows of the others" 24 "$(jq '.processes | length' "$TMP/out")"
kill -CONT "${AGENT[2]}"
want_exit 0 ask ps

echo "a frozen process costs its own row"
frozen=$(find "$TMP/n4/run" -name '*.ctl' | sed 's/.*\.\([0-9]*\)\.ctl/\1/' | head -1)
kill -STOP "$frozen"
want_exit 1 ask ps --json --timeout 4
want_equal "hosts that answered" 4 "$(jq .hosts_answered "$TMP/out")"
want_equal "state of the frozen one" stopped "$(jq -r ".processes[] | select(.pid == $frozen) | .state" "$TMP/out")"
jq -e ".failed[0].reason | contains(\"process $frozen\")" "$TMP/out" >/dev/null || fail "$(jq -c .failed "$TMP/out")"

echo "an agent that is killed in the middle of an answer is named at once"
ask ctl status --timeout 200 >"$TMP/killed.out" 2>"$TMP/killed.err" &
asker=$!
answering() { [ "$(find "/proc/${AGENT[4]}/task" -mindepth 1 -maxdepth 1 | wc -l)" -gt 1 ]; }
wait_for 20 "that the agent of n4 answers" answering
kill -KILL "${AGENT[4]}"
code=0
wait $asker || code=$?
want_equal "exit code when one of four was killed" 1 $code
grep -q "10.79.0.4:4711: the connection" "$TMP/killed.err" || fail "the killed agent is not named: $(cat "$TMP/killed.err")"
want_equal "rows of the others" 24 "$(wc -l <"$TMP/killed.out")"
kill -CONT "$frozen"
# Its connections end before its last thread is gone; until then somebody seems to listen.
gone() { [ ! -e "/proc/${AGENT[4]}" ]; }
wait_for 20 "that the killed agent is gone" gone
want_exit 1 ask ps
grep -q "nobody listens there any more" "$TMP/err" || fail "a dead agent is not named: $(cat "$TMP/err")"
start_agent 4
want_exit 0 ask ps

echo "a foreign user of the host is not answered"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && getent passwd nobody >/dev/null; then
  chmod 755 "$TMP" "$TMP/n1" "$TMP/n1/run" "$TMP/n1/run/agents"
  chmod 777 "$TMP/n1/run/agents/n1.sock"
  cp "$lockstep" "$TMP/lockstep"
  # Under another name, so that it is the agent that is asked.
  on 1 env LOCKSTEP_HOST=elsewhere setpriv --reuid=nobody --clear-groups "$TMP/lockstep" ps "$TMP/n1/run" --json >"$TMP/out" 2>"$TMP/err" &&
    fail "a foreign user was answered"
  ! grep -q records_written "$TMP/out" || fail "a foreign user was told the status"
  on 1 env LOCKSTEP_HOST=elsewhere "$lockstep" ps "$TMP/n1/run" >"$TMP/out" || fail "the own user is not answered"
  want_equal "rows by the Unix socket" 9 "$(wc -l <"$TMP/out")"
fi

echo "an agent that ends takes its registration along"
[ -e "$TMP/n1/run/agents/n1.json" ] || fail "the agent is not registered"
kill -TERM "${AGENT[1]}"
unregistered() { [ ! -e "$TMP/n1/run/agents/n1.json" ]; }
wait_for 20 "that the registration goes" unregistered

echo "the jobs noticed nothing"
for n in $HOSTS; do
  wait "${JOB[$n]}" || fail "the job of n$n failed: $(cat "$TMP/job$n")"
  want_exit 0 "$lockstep" verify "$TMP/n$n/run"
  grep -q 'interval set to 500000 us by [a-z0-9_-]*@' "$TMP/out" "$TMP/err" || fail "the note does not say who asked: $(cat "$TMP/out")"
done
