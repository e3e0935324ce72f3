#!/usr/bin/env bash
# timeout: 600
# Two hosts without a shared folder, and a link between them so slow that a large operation stands still: without network
# steps only its host is known; `diagnose --escalate` has them recorded for a time and then names the link. Whoever
# asked is in the notes, an asker that is killed leaves nothing switched on, and afterwards everything is as it was.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/cluster.sh"
HOSTS="1 2"
export AGENTS=10.79.0.1:4711,10.79.0.2:4711
make_cluster
# Between small operations a large one, of which each of three steps takes rank 1 ten seconds to send: 2^19 bytes at
# 0.42 Mbit/s. For five of them nothing moves long enough to be called stuck, and in one step of the three ranks 0 and 1 are
# suspected.
start_rank() {  # start_rank HOST RANK
  # shellcheck disable=SC2046
  on "$1" env LOCKSTEP_DIR="$TMP/n$1/run" LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 LOCKSTEP_EVENTS=proxy "$BUILD/lockstep-emulate" \
    --rank "$2" --world 4 --master 10.79.0.1:4712 --sizes $(printf '16 %.0s' $(seq 30)) 512K --ops allgather --channels 1 \
    --iterations 1000000 --slow-link 1 --slow-link-mbps 0.42 --stall-us 600000000 "$BUILD/libnccl-profiler.so" >"$TMP/job$2" 2>&1 &
  JOB[$2]=$!
}
for rank in 0 1 2 3; do start_rank $((rank / 2 + 1)) $rank; done
for n in $HOSTS; do wait_for 60 "that n$n records" sockets_are "$n" 2; done
for n in $HOSTS; do start_agent "$n"; done

recorded() {  # what each process records now, and what is added for a time
  ask ctl status --json | jq -c '[.processes[] | .answer | [.events, .lent]] | unique'
}
before=$(recorded)
[[ $before == *ProxyOp* && $before != *ProxyStep* ]] || fail "they record $before"
verdict() { jq -r '.findings[0] | "\(.kind) \(.culprits) \(.one_of)"' "$TMP/verdict"; }
stands_still() {
  ask diagnose --live --json >"$TMP/verdict" 2>"$TMP/err" || true
  [ "$(verdict)" = "stuck_in_transport [0,1] true" ]
}

echo "who is killed meanwhile leaves nothing switched on"
steps_are_on() { [[ $(recorded) == *ProxyStep* ]]; }
has_asked() { steps_are_on || ! kill -0 "$asker" 2>/dev/null; }
# The operation that stood still may end before the question arrives; then the next one is asked about.
switched_on() {
  wait_for 150 "that a large operation stands still" stands_still
  ask diagnose --live --escalate=20 >"$TMP/killed" 2>&1 &
  asker=$!
  wait_for 60 "that the question is asked" has_asked
  steps_are_on
}
switched_on || switched_on || switched_on || fail "no network steps are switched on: $(cat "$TMP/killed")"
kill -KILL "$asker"
wait "$asker" 2>/dev/null || true
as_before() { [ "$(recorded)" = "$before" ]; }
wait_for 60 "that the killed asker's steps are taken back" as_before

echo "with network steps the rank is named whose data does not arrive"
escalated() {
  wait_for 150 "that a large operation stands still again" stands_still
  code=0
  ask diagnose --live --escalate=30 --json >"$TMP/verdict" 2>"$TMP/err" || code=$?
  grep -q "what they wait for is not known" "$TMP/err"
}
escalated || escalated || escalated || fail "nobody says what it waits for: $(cat "$TMP/err")"
want_equal "exit code" 1 $code
want_equal "processes that recorded steps" 4 "$(jq .escalation.processes "$TMP/verdict")"
# Between two of its steps the link is slow, and stuck in each.
[[ $(verdict) =~ ^(stuck_in_transport|slow_link)\ \[1\]\ (false|null)$ ]] || fail "the link is not named: $(verdict)"
wait_for 60 "that what was recorded before is recorded again" as_before

want_exit 0 ask ctl flush
for rank in 0 1 2 3; do kill "${JOB[$rank]}"; done
wait "${JOB[@]}" 2>/dev/null || true
for n in $HOSTS; do
  "$BUILD/lockstep" verify "$TMP/n$n/run" >"$TMP/verified" 2>&1 || true
  for seconds in 20 30; do
    want_equal "n$n: notes of who asked for $seconds s" 2 \
      "$(grep -cE "events set to .*ProxyStep.* for $seconds s by [a-z0-9_.-]+@" "$TMP/verified")"
  done
  want_equal "n$n: notes that the kinds were set back" 4 "$(grep -c 'again, as before that; recorded from here on' "$TMP/verified")"
done
