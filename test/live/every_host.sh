#!/usr/bin/env bash
# timeout: 900
# Four hosts without a shared folder, eight ranks and an agent each: `top`, `ras` and `diagnose --escalate` over all of them,
# as agents.sh asks the other questions. Thirty ranks stand in an operation that a link holds up for ever; two on the
# fourth host are a job of their own, whose rank 1 does not call, and nobody's network steps tell anything of that.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
. "$(dirname "$0")/screen.sh"
lockstep=$BUILD/lockstep
need python3 python3
make_cluster
declare -A RAS
# shellcheck disable=SC2317  # by the trap
cleanup() {
  terminal kill-server 2>/dev/null || true
  kill "${RAS[@]}" 2>/dev/null || true
  stop_cluster
}
trap cleanup EXIT

# start_rank HOST RANK WORLD MASTER EVENTS OPTIONS...: beside a library that says that NCCL is one whose RAS may be asked
start_rank() {
  local n=$1 rank=$2 world=$3 master=$4 events=$5
  shift 5
  on "$n" env LOCKSTEP_DIR="$TMP/n$n/run" LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 LOCKSTEP_EVENTS="$events" \
    LD_PRELOAD="$BUILD/test/libhost_nccl.so" HOST_VERSION=22902 "$BUILD/lockstep-emulate" \
    --rank "$rank" --world "$world" --master "$master" --sizes 1k --ops allreduce --channels 1 --iterations 1000000 --rate 20 \
    --at 20 --stall-us 600000000 "$@" "$BUILD/libnccl-profiler.so" >"$TMP/job.$world.$rank" 2>&1 &
  # shellcheck disable=SC2034  # stop_cluster ends them
  JOB[$world.$rank]=$!
}
# What is recorded differs from host to host, so that whoever sets it back must know whose it is.
EVENTS=("proxy" "coll,ProxyOp" "proxy,ProxyCtrl" "coll,ProxyOp,ProxyCtrl")
for rank in $(seq 0 29); do start_rank $((rank / 8 + 1)) "$rank" 30 10.79.0.1:4712 "${EVENTS[rank / 8]}" --stuck-transport 13; done
for rank in 0 1; do start_rank 4 $rank 2 10.79.0.4:4712 coll,KernelCh --hang-rank 1; done
for n in $HOSTS; do wait_for 120 "that eight ranks record on n$n" sockets_are "$n" 8; done
for n in $HOSTS; do start_agent "$n"; done
ordinals() {  # where those stand who have called: of the thirty, and of the two
  ask progress --json --timeout 60 >"$TMP/progress"
  jq -r '[.progress | group_by(.ranks)[] | map(.waiting.ordinal) | unique | map(tostring) | join(",")] | join(" ")' "$TMP/progress"
}
all_stand() { [ "$(ordinals)" = "null,20 20" ]; }
wait_for 120 "that both jobs stand still" all_stand

echo "top, a line of JSON for each look"
looks() {  # looks OPTIONS...: the first look, in $TMP/look
  { ask top --json "$@" 2>"$TMP/err" || true; } | head -1 >"$TMP/look"
}
looks --timeout 60
want_equal "hosts asked, answered, failed" "4 4 0" "$(jq -r '"\(.hosts_asked) \(.hosts_answered) \(.failed | length)"' "$TMP/look")"
want_equal "ranks, by host" "n1 8 n2 8 n3 8 n4 8" \
  "$(jq -r '[.progress | group_by(.host)[] | "\(.[0].host) \(map([.ranks, .rank]) | unique | length)"] | join(" ")' "$TMP/look")"

if command -v tmux >/dev/null; then
  echo "top on a screen: all hosts, one of them frozen, all again"
  on 1 env -i PATH="$PATH" tmux -S "$TMP/tmux" -f /dev/null new-session -d -s top -x 150 -y 60 -- \
    env -i PATH="$PATH" TERM=screen LOCKSTEP_HOST=n1 PS1='shell> ' bash --norc --noprofile
  sees "no shell" '^shell>'
  type "$lockstep top --agents $AGENTS --key $KEY --timeout 3; echo ended with \$?" Enter
  sees "the title" '^lockstep top .* 4 of 4 hosts +q quits'
  sees "the processes of all hosts" '^32 processes, .*, 0 calls not kept$'
  sees "that a rank holds the other up" ': rank 0 in AllReduce #20 for .*; rank 1 has not called it$'
  sees "that nobody is missing among the thirty" ': ranks 0-29 in AllReduce #20 for .*; all have called it$'
  sees "the thirty" '^world .*, 30 ranks: '
  sees "the two" '^world .*, 2 ranks: '
  kill -STOP "${AGENT[3]}"
  sees "that a host does not answer" '^lockstep top .* 3 of 4 hosts '
  sees "which one, and why" '^host 10.79.0.3:4711: no answer before the deadline$'
  sees "whose ranks these are" '^no answer for ranks 16-23$'
  sees "what the others say" ': ranks 0-15,24-29 in AllReduce #20 for .*; not all ranks answered$'
  kill -CONT "${AGENT[3]}"
  sees "all hosts again" '^lockstep top .* 4 of 4 hosts '
  type q
  sees "how it ended" '^ended with 0'
else
  echo "not on a screen: tmux is not installed"
fi

echo "a frozen agent is named in a look's JSON"
kill -STOP "${AGENT[3]}"
looks --timeout 2
kill -CONT "${AGENT[3]}"
want_equal "hosts and who failed" "4 3 10.79.0.3:4711" "$(jq -r '"\(.hosts_asked) \(.hosts_answered) \(.failed[].host)"' "$TMP/look")"
want_equal "ranks of the others" 24 "$(jq '.progress | length' "$TMP/look")"

echo "ras: each host's service speaks for the job, but one's, which nobody serves"
# NCCL on every host says the same of all thirty ranks; rank 21 does not answer it.
jq '[.progress[] | select(.ranks == 30)] | sort_by(.rank) | {nccl_version: "2.29.2", timestamp: "now", communicators: [{hash: .[0].id, size: 30,
    ranks: (map(select(.rank != 21)) | map({rank, pid, host: "10.79.0.\(.host[1:])", status: {async_error: 0}, collective_counts: {AllReduce: 21}})),
    missing_ranks: (map(select(.rank == 21)) | map({rank, pid, host: "10.79.0.\(.host[1:])", status: {unresponsive: true, considered_dead: true}}))}],
  ras: {timeouts_count: 1}}' "$TMP/progress" >"$TMP/report.json"
for n in 1 2 3; do
  on "$n" python3 "$ROOT/test/live/ras_server.py" ok "$TMP/report.json" 0.0.0.0:28028 >"$TMP/ras.$n" 2>"$TMP/requests.$n" &
  RAS[$n]=$!
  wait_for 20 "that RAS of n$n listens" test -s "$TMP/ras.$n"
done
cat >"$TMP/wanted" <<END
NCCL 2.29.2, now
$(jq -r '.communicators[0].hash' "$TMP/report.json"), 30 ranks, 29 answered
  ranks 0-20,22-29: AllReduce 21
  rank 21, pid $(jq '.communicators[0].missing_ranks[0].pid' "$TMP/report.json") on 10.79.0.3: considered dead
1 process did not answer RAS in time.
END
for n in 1 2 3; do
  want_exit 1 on "$n" "$lockstep" ras
  diff "$TMP/wanted" "$TMP/out" || fail "the report of n$n is wrong"
  want_exit 1 on 1 "$lockstep" ras "10.79.0.$n:28028" --json
  want_equal "n$n: who answers the first host" "10.79.0.$n:28028 29 21" \
    "$(jq -r '"\(.address) \(.report.communicators[0] | "\(.ranks | length) \(.missing_ranks[0].rank)")"' "$TMP/out")"
  want_equal "n$n: how often it was asked" 2 "$(grep -c '^STATUS$' "$TMP/requests.$n")"
done
for who in 4 1; do
  want_exit 3 on $who "$lockstep" ras 10.79.0.4:28028
  grep -q NCCL_RAS_ENABLE "$TMP/err" || fail "that nobody listens on n4 is not said: $(cat "$TMP/err")"
done

recorded() {  # of each process: what it records now, and what is lent to it for a time
  ask ctl status --timeout 60 --json >"$TMP/status"
  jq -c '[.processes[] | [.host, .pid, .answer.events, .answer.lent]] | sort' "$TMP/status"
}
before=$(recorded)
want_equal "kinds that are recorded, and processes" "5 32" "$(jq -r '"\([.[][2]] | unique | length) \(length)"' <<<"$before")"
[[ $before != *ProxyStep* ]] || fail "network steps are recorded already: $before"
as_before() { [ "$(recorded)" = "$before" ]; }
bystanders=$(jq -r '[.progress[] | select(.ranks == 2) | .pid] | sort | join(" ")' "$TMP/progress")
escalate() {  # escalate SECONDS OPTIONS...: into $TMP/verdict
  want_exit 1 ask diagnose --live --escalate="$1" --json "${@:2}"
  mv "$TMP/out" "$TMP/verdict"
}

echo "diagnose --escalate: network steps in the thirty for a time, and then what was recorded before"
# A hang is called one when it has lasted some seconds.
judged() {
  ask diagnose --live --json --timeout 60 >"$TMP/verdict" 2>"$TMP/err" || true
  want_equal "hosts of the verdict" "4 4" "$(jq -r '"\(.hosts_asked) \(.hosts_answered)"' "$TMP/verdict")"
  [ "$(jq -r '[.findings[] | "\(.kind) \(.culprits)"] | sort | join(" ")' "$TMP/verdict")" = "missing_rank [1] stuck_in_transport []" ]
}
wait_for 120 "that both hangs are found" judged
escalate 9 --timeout 60
grep -q "what they wait for is not known; network steps are recorded for 9 s, then it is judged again" "$TMP/err" ||
  fail "it does not say what it does: $(cat "$TMP/err")"
want_equal "hosts of the second verdict" "4 4 0" "$(jq -r '"\(.hosts_asked) \(.hosts_answered) \(.failed | length)"' "$TMP/verdict")"
want_equal "how long, and how many recorded steps" '{"seconds":9,"processes":30}' "$(jq -c .escalation "$TMP/verdict")"
want_equal "what is found afterwards" "missing_rank [1] stuck_in_transport []" \
  "$(jq -r '[.findings[] | "\(.kind) \(.culprits)"] | sort | join(" ")' "$TMP/verdict")"
jq -e '.not_known | map(startswith("What stands still was called before")) | any' "$TMP/verdict" >/dev/null ||
  fail "it does not say that steps of what stands came too late: $(jq .not_known "$TMP/verdict")"
wait_for 60 "that each records what it did before" as_before

echo "with a host that does not answer nobody knows that all have called: nothing is switched on"
kill -STOP "${AGENT[3]}"
escalate 4 --timeout 5
kill -CONT "${AGENT[3]}"
want_equal "hosts, and processes that recorded steps" "4 3 null" "$(jq -r '"\(.hosts_asked) \(.hosts_answered) \(.escalation)"' "$TMP/verdict")"
jq -e '.not_known | map(contains("10.79.0.3:4711")) | any' "$TMP/verdict" >/dev/null || fail "the frozen host is not named: $(jq .not_known "$TMP/verdict")"
want_equal "what each records" "$before" "$(recorded)"

echo "a capture needs a folder of its own"
want_exit 2 ask capture --operations 2
grep -q "a capture is kept in the run's folder: give RUN or --job, not --agents" "$TMP/err" || fail "$(cat "$TMP/err")"

echo "each change is a note in the segments"
want_exit 0 ask ctl flush --timeout 60
noted() { grep -c "$1" "$TMP/verified" || true; }
for n in $HOSTS; do
  "$lockstep" verify "$TMP/n$n/run" >"$TMP/verified" 2>&1 || true
  concerned=$([ "$n" = 4 ] && echo 6 || echo 8)
  want_equal "n$n: notes of who asked for nine seconds" "$concerned" "$(noted 'events set to .*ProxyStep.* for 9 s by [a-z0-9_.-]*@')"
  want_equal "n$n: notes of changes in all" $((2 * concerned)) "$(noted 'events set to ')"
  want_equal "n$n: notes that it is as before" "$concerned" "$(noted 'again, as before that; recorded from here on')"
done
for pid in $bystanders; do
  grep -q "^note: n4 process $pid: " "$TMP/verified" || fail "process $pid is not in what verify says of n4: $(cat "$TMP/verified")"
  ! grep "^note: n4 process $pid: .*events set" "$TMP/verified" || fail "process $pid recorded steps that nobody needed"
done
