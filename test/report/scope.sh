#!/usr/bin/env bash
# summary.md says what ran, when, in which versions and what was recorded of it: of a recording of real NCCL whose ranks were
# killed, and of one of two hosts. The times of the start are those that SQL finds, and calls that are missing are counted.
. "$(dirname "$0")/../lib.sh"
need jq jq
report() { # report NAME
  cp -r "$ROOT/test/data/recordings/$1" "$TMP/$1"
  "$BUILD/lockstep" report "$TMP/$1" --force >/dev/null || [ $? = 1 ] || fail "no report of $1"
  sed -n '/^## What ran/,/^## /{ /^- / p }' "$TMP/$1/summary.md" | sed 's/^- //'
}
metric() { sed -n "s/^$2,//p" "$TMP/$1/aggregate.csv"; }

report hang_ahead >"$TMP/killed"
want_equal "of killed ranks" "Ran: 4 processes on 1 host, 5 communicators; the largest has 4 ranks.
When: 2026-11-22 00:33:15 to 2026-11-22 00:33:18 UTC, 2.63 s.
Versions: NCCL of unknown version, profiler table v6, driver not known, lockstep 0.1.0.
Recorded: Group, Coll, P2p, ProxyOp, ProxyStep, ProxyCtrl, KernelCh, NetPlugin, GroupApi, CollApi, P2pApi, KernelLaunch, CeColl, CeSync, CeBatch and KernelPhase; options events=all.
Coverage: 127208 records, no call lost; 0 of 4 processes closed their recording." "$(head -5 "$TMP/killed")"
report two_hosts >"$TMP/ended"
want_equal "of two hosts" "Ran: 2 processes on 2 hosts, 1 communicator; the largest has 2 ranks.
Coverage: 7324 records, no call lost; 2 of 2 processes closed their recording." "$(grep -E '^(Ran|Coverage)' "$TMP/ended")"
grep -q 'options events=step and host_load=0\.$' "$TMP/ended" || fail "the options: $(cat "$TMP/ended")"

# How communicators started is no matter of a part that begins later.
"$BUILD/lockstep" report "$TMP/hang_ahead" --last 300ms -o "$TMP/part" >/dev/null || [ $? = 1 ] || fail "no report of a part"
! grep -q '^## Start of communicators' "$TMP/part/summary.md" || fail "starts in a part: $(cat "$TMP/part/summary.md")"
grep -q '^- Start: not recorded' "$TMP/part/summary.md" || fail "a start in a part: $(grep '^- Start' "$TMP/part/summary.md")"

# Only one of two ranks, whose recording lost its calls: the API kinds were off.
began=$(date +%s%N)
LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=Coll,ProxyOp LOCKSTEP_DIR=$TMP/half "$BUILD/lockstep-replay" "$BUILD/libnccl-profiler.so" --virtual \
  "$ROOT/test/data/calls/one_allreduce.0.txt.zst" >/dev/null
took=$(($(date +%s%N) - began))
"$BUILD/lockstep" report "$TMP/half" >/dev/null || true
grep -q 'the largest has 2 ranks, of which 1 recorded\.' "$TMP/half/summary.md" || fail "nothing says that a rank is missing"
grep -q 'Recorded: Coll and ProxyOp; options events=Coll,ProxyOp' "$TMP/half/summary.md" || fail "$(grep Recorded "$TMP/half/summary.md")"
grep -q "init the plugin took" "$TMP/half/summary.md" || fail "nothing says what the plugin's init took"
init=$(metric half plugin_init_longest_ns)
[ "${init:-0}" -gt 1000 ] && [ "$init" -lt "$took" ] || fail "the plugin's init took '$init' ns of a process of $took ns"
want_equal "where it was not recorded" "" "$(metric hang_ahead plugin_init_longest_ns)"
grep -q '^- Strays: 1 operation without the call that made them, 0 with network work of another process, 0 called after' "$TMP/half/summary.md" ||
  fail "the strays: $(grep Strays "$TMP/half/summary.md")"
want_equal "operations whose call was not recorded" 1 "$(metric half operations_without_call)"

# A driver's version, where the hosts had one.
"$BUILD/lockstep-simulate" "$TMP/driver" --seed 1 --noise quiet --ranks 4 --gpus-per-host 4 --steps 3 >/dev/null
"$BUILD/lockstep" report "$TMP/driver" --force >/dev/null || [ $? = 1 ] || fail "no report of simulated ranks"
grep -q '^- Versions: NCCL 2\.30\.7, .*driver 580\.65\.06, lockstep ' "$TMP/driver/summary.md" || fail "$(grep Versions "$TMP/driver/summary.md")"
"$BUILD/lockstep" info "$TMP/driver" | grep -q ', driver 580\.65\.06, clock' || fail "info does not name the driver"

need_duckdb "$TMP/hang_ahead"
want_equal "drivers in SQL" 580.65.06 "$("$BUILD/lockstep" query "$TMP/driver" --csv "SELECT DISTINCT driver_version FROM processes" | tail -1)"
want_equal "drivers in SQL where none was recorded" "" \
  "$("$BUILD/lockstep" query "$TMP/hang_ahead" --csv "SELECT DISTINCT driver_version FROM processes" | tail -1 | tr -d '"' | sed 's/NULL//')"
starts=$("$BUILD/lockstep" query "$TMP/hang_ahead" --csv "SELECT max(took), quantile_disc(took, 0.5) FROM (
  SELECT min(o.api_start_ns) - (SELECT min(init_ns) FROM members m WHERE m.process = o.process) AS took
  FROM operations o GROUP BY o.process)" | tail -1)
want_equal "longest and median start" "$starts" "$(metric hang_ahead start_longest_ns),$(metric hang_ahead start_median_ns)"

# Of each communicator: the first init and how far the last is from it, and its first operation.
"$BUILD/lockstep" report "$TMP/hang_ahead" --json --force 2>/dev/null | jq -r '.starts[] | [.nranks, .recorded_ranks, .init_ns, .apart_ns,
  .until_call_median_ns, .until_call_longest_ns, .first_took_median_ns, .first_took_longest_ns] | join(",")' >"$TMP/starts"
"$BUILD/lockstep" query "$TMP/hang_ahead" --csv "WITH firsts AS (SELECT communicator, rank, min(api_start_ns) AS at_ns,
    argMin(finish_ns - api_start_ns, api_start_ns) AS took FROM operations WHERE kind <> 'assembled' GROUP BY ALL)
  SELECT any_value(nranks), count(*), min(init_ns) - (SELECT min(first_ns) FROM processes), max(init_ns) - min(init_ns),
    quantile_disc(f.at_ns - init_ns, 0.5), max(f.at_ns - init_ns), quantile_disc(took, 0.5), max(took)
  FROM members m JOIN communicators c USING (communicator) LEFT JOIN firsts f ON f.communicator = m.communicator AND f.rank = m.rank
  GROUP BY m.communicator ORDER BY min(init_ns)" | tail -n +2 >"$TMP/asked"
want_equal "communicators" 5 "$(wc -l <"$TMP/starts")"
cmp "$TMP/asked" "$TMP/starts" || fail "starts: $(paste "$TMP/asked" "$TMP/starts")"
want_equal "lines under Start of communicators" 5 "$(sed -n '/^## Start of/,/^## /p' "$TMP/hang_ahead/summary.md" | grep -c '^| \(world\|split\)')"
