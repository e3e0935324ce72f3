#!/usr/bin/env bash
# timeout: 240
# `lockstep capture` on four hosts, sixteen ranks (LONG=1: sixty-four) that call at different times: all begin with the same
# collective, which the emulator's own log confirms; the spread is the true one; what was recorded before is recorded after;
# ranks whose process is stopped, or killed while it is armed, or that never come there, are named.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../live/cluster.sh"
make_cluster
run=$TMP/run
each=${LONG:+16}
each=${each:-4}
world=$((4 * each))
soon=+$((2 + each / 2))s  # from now, until which all of them are armed
start_ranks() {  # `each` on every host, one job
  local n rank
  for rank in $(seq 0 $((world - 1))); do
    n=$((rank / each + 1))
    on "$n" env LOCKSTEP_DIR="$run" LOCKSTEP_EVENTS=coll LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 "$BUILD/lockstep-emulate" \
      --rank "$rank" --world "$world" --master 10.79.0.1:29500 --sizes 1k --ops allreduce --channels 1 --iterations 100000 \
      --rate 20 --late-rank 5 --late-us 20000 --stall-us 1e9 --truth "$TMP/truth.%r" "$BUILD/libnccl-profiler.so" \
      >"$TMP/rank$rank" 2>&1 &
    JOB[$rank]=$!
  done
}
pid_of() { jq -r ".ranks[] | select(.rank == $1) | .pid" "$TMP/capture"; }
states() { jq -c '[.ranks[].state] | group_by(.) | map([.[0], length])' "$1"; }
calls() { "$lockstep" progress "$run" --json | jq '[.progress[].issued.collectives] | min // 0'; }
calls_are() { [ "$(calls)" -gt "$1" ]; }
start_ranks
all_record() { [ "$(find "$run" -name '*.ctl' | wc -l)" = "$world" ]; }
wait_for 60 "that all ranks record" all_record
for n in $HOSTS; do
  on "$n" "$lockstep" agent "$run" --listen "10.79.0.$n:4711" >"$TMP/agent$n" 2>&1 &
  wait_for 20 "that the agent of n$n listens" grep -q "listens on" "$TMP/agent$n"
done
wait_for 60 "that they call" calls_are 20
"$lockstep" ctl "$run" status >"$TMP/status"
want_equal "kinds before" "$world" "$(grep -c '"events":"Group,Coll,P2p,GroupApi' "$TMP/status")"

echo "what would be sent"
want_exit 0 on 1 "$lockstep" capture "$run" --operations 10 --dry-run
want_equal "requests" "$world" "$(grep -cE '^n[1-4] process [0-9]+: capture arm .* kinds=step by=position:0x[0-9a-f]+:[0-9]+:10 ' "$TMP/out")"
want_equal "one rule for all" 1 "$(sed -n 's/.*by=\([^ ]*\).*/\1/p' "$TMP/out" | sort -u | wc -l)"
[ ! -e "$run/captures" ] || fail "a dry run leaves something"

echo "all begin with the same collective"
want_exit 0 on 1 "$lockstep" capture "$run" --operations 10 --name first --json
mv "$TMP/out" "$TMP/capture"
grep -q "^lockstep: $world of $world processes armed within " "$TMP/err" || fail "$(cat "$TMP/err")"
want_equal "a line for each host" 4 "$(grep -cE "^lockstep: n[1-4]: $each ranks stopped$" "$TMP/err")"
want_equal "states" "[[\"stopped\",$world]]" "$(states "$TMP/capture")"
want_equal "ranks" "$(seq -s, 0 $((world - 1)))" "$(jq -r '[.ranks[].rank] | join(",")' "$TMP/capture")"
want_equal "positions" 1 "$(jq '[.ranks[].position] | unique | length' "$TMP/capture")"
position=$(jq '.ranks[0].position' "$TMP/capture")
want_equal "the rule" "position:$position:10" "$(jq -r .rule "$TMP/capture" | sed 's/:0x[0-9a-f]*//')"
want_equal "kinds before and after" true "$(jq '.events_before == .events_after and (.events_before | contains("Proxy") | not)' "$TMP/capture")"

# Positions count from 1, ordinals from 0. The log has an instant before each call and one when it is done.
for rank in $(seq 0 $((world - 1))); do
  jq -s --argjson position "$position" --argjson rank "$rank" '
    (map(select(.type == "call" and .ordinal == $position - 1))[0]) as $call |
    {rank: $rank, from: $call.raw_ns, to: (map(select(.type == "done" and .id == $call.id))[0].raw_ns)}' "$TMP/truth.$rank"
done >"$TMP/truths" 2>"$TMP/err" || true
want_equal "ranks that began within that call, as the log has it" "$world" \
  "$(jq -s --slurpfile capture "$TMP/capture" '[.[] | . as $true | $capture[0].ranks[] |
     select(.rank == $true.rank and .start_ns >= $true.from and .start_ns <= $true.to)] | length' "$TMP/truths")"
# The hosts are one machine, whose clock is theirs.
jq -e '([.ranks[].start_ns] | max - min) as $true | .spread_ns >= $true - .spread_bound_ns and
  .spread_ns <= $true + .spread_bound_ns and .spread_bound_ns < 1000' "$TMP/capture" >/dev/null ||
  fail "the spread is not the true one: $(jq -c '[.spread_ns, .spread_bound_ns, ([.ranks[].start_ns] | max - min)]' "$TMP/capture")"
jq -e '.spread_ns > 10000000' "$TMP/capture" >/dev/null || fail "a rank that is 20 ms late is not seen: $(jq .spread_ns "$TMP/capture")"
"$lockstep" ctl "$run" status >"$TMP/after"
want_equal "kinds as before" "$(jq -c '[.pid, .events]' "$TMP/status" | sort)" "$(jq -c '[.pid, .events]' "$TMP/after" | sort)"

echo "some ranks only, by the clock"
want_exit 0 on 1 "$lockstep" capture "$run" --at "$soon" --duration 500ms --ranks 0-1 --json
want_equal "ranks and states" '[[0,"stopped"],[1,"stopped"]]' "$(jq -c '[.ranks[] | [.rank, .state]]' "$TMP/out")"
want_equal "no position" "[null]" "$(jq -c '[.ranks[].position] | unique' "$TMP/out")"
# The instant is of the wall clock, what happened of the raw one: how far they are apart shows the reading that was
# interrupted least. A busy machine wakes a thread late, never early.
apart=$(python3 -c 'import time
def reading():
    before, real = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW), time.time_ns()
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) - before, real - before
print(min(reading() for _ in range(100))[1])')
want_equal "from the instant on, and for half a second after it" true "$(jq --argjson apart "$apart" '(.rule | split(":")[1] | tonumber - $apart) as $from |
  [.ranks[] | .start_ns >= $from - 1000000 and .stop_ns >= $from + 499000000] | all' "$TMP/out")"

want_exit 3 on 1 "$lockstep" capture "$run" --at +1ms --duration 500ms --ranks 0-1 --json
grep -q "nobody is armed, so nothing was captured; its beginning had passed: give a later --at$" "$TMP/err" || fail "$(cat "$TMP/err")"

echo "a stopped process is deaf, and those that wait for it never come there"
stopped=$(pid_of 2)
kill -STOP "$stopped"
want_exit 3 on 1 "$lockstep" capture "$run" --operations 5 --limit 3s --timeout 2 --json
want_equal "states" "[[\"armed\",$((world - 1))],[\"deaf\",1]]" "$(states "$TMP/out")"
want_equal "who is deaf" 2 "$(jq '.ranks[] | select(.state == "deaf") | .rank' "$TMP/out")"
grep -qE "^lockstep: rank 0 of n1, process [0-9]+, did not reach position [0-9]+$" "$TMP/err" || fail "$(cat "$TMP/err")"
grep -q "^lockstep: rank 2 of n1, process $stopped, did not answer$" "$TMP/err" || fail "$(cat "$TMP/err")"
want_exit 1 on 1 "$lockstep" capture "$run" --at "$soon" --duration 200ms --timeout 2 --json
want_equal "states by the clock" "[[\"deaf\",1],[\"stopped\",$((world - 1))]]" "$(states "$TMP/out")"
kill -CONT "$stopped"
now=$(calls)
wait_for 60 "that the job goes on" calls_are "$now"

echo "a process that is killed while it is armed is dead"
on 1 "$lockstep" capture "$run" --at "$soon" --duration 200ms --json >"$TMP/out" 2>"$TMP/err" &
asker=$!
wait_for 20 "that all are armed" grep -q " armed within " "$TMP/err"
killed=$(pid_of 7)
kill -KILL "$killed"
code=0
wait $asker || code=$?
want_equal "exit code" 1 $code
want_equal "states" "[[\"dead\",1],[\"stopped\",$((world - 1))]]" "$(states "$TMP/out")"
grep -qE "^lockstep: rank 7 of n[1-4], process $killed, has ended$" "$TMP/err" || fail "$(cat "$TMP/err")"
want_equal "captures of the run" 5 "$("$lockstep" captures list "$run" --json | jq length)"

echo "the tables have it"
for pid in "${JOB[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
for pid in "${JOB[@]}"; do wait "$pid" 2>/dev/null || true; done
"$lockstep" recover "$run" >/dev/null 2>&1 || true
id=$(jq -r .id "$TMP/capture")
want_exit 0 on 1 "$lockstep" report "$run" --capture "$id" -o "$TMP/report"
want_exit 0 "$lockstep" report "$run" -o "$TMP/whole"
grep -E "^\\| $id \\| first \\| position:0x[0-9a-f]+:$position:10 \\| after .* \\| $world stopped \\|" "$TMP/whole/summary.md" >/dev/null ||
  fail "the report does not list it: $(grep -A8 Captures "$TMP/whole/summary.md")"
need_duckdb "$run"
sql="SELECT count(*) AS ranks, min(n) AS fewest, max(n) AS most, min(f) AS f, max(t) AS t, min(deep) AS deep FROM (SELECT rank,
  count(*) AS n, min(position) AS f, max(position) AS t, count(*) FILTER (steps > 0) AS deep FROM operations WHERE capture = '$id' GROUP BY rank)"
want_exit 0 "$lockstep" query "$run" --csv "$sql"
want_equal "operations of the capture" "$world,10,10,$((position - 1)),$((position + 8)),10" "$(tail -1 "$TMP/out")"
want_exit 0 "$lockstep" query "$run" --csv "SELECT count(*) FROM operations WHERE capture IS NULL AND steps > 0"
want_equal "operations outside of all captures with network steps" 0 "$(tail -1 "$TMP/out")"
