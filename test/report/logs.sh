#!/usr/bin/env bash
# `report --logs` and RUN/logs: lines of job logs in the forms that programs on clusters write are placed where `date` says that their times
# lie in the run, in the page's data, the summary and the Perfetto trace; what lies elsewhere is counted, and a wrong zone is said.
. "$(dirname "$0")/../lib.sh"
need jq jq
cp -r "$ROOT/test/data/recordings/hang_ahead" "$TMP/run"
cat >"$TMP/torch.log" <<'END'
[rank2]:[E1122 00:33:16.500000000 ProcessGroupNCCL.cpp:632] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9)
[2026-11-22 00:33:16,750] [INFO] [engine.py:12] step 3
Traceback (most recent call last):
2026-11-21 00:33:16,750 WARNING of the day before
END
cat >"$TMP/slurm-41.out" <<'END'
2026-11-22T00:33:16.250Z srun: error: vm: task 2: Killed
slurmstepd: error: *** STEP 41.0 ON vm CANCELLED AT 2026-11-22T00:33:17 ***
Nov 22 00:33:17 vm kernel: NVRM: Xid (PCI:0000:01:00): 79, <b>GPU has fallen off the bus</b>
[Sun Nov 22 00:33:18 2026] mce: CPU0
1795307595.875 loss 1.0
END
report() { "$BUILD/lockstep" report "$TMP/run" --force "$@" >"$TMP/head" 2>"$TMP/err" || [ $? = 1 ] || fail "report $*: $(cat "$TMP/err")"; }
report --json --logs "$TMP/torch.log" --logs "$TMP/slurm*" --logs-zone UTC
ns() { date -u -d "2026-11-22 $1" +%s%N; }
{
  echo "$(ns 00:33:15.875) slurm-41.out:5 unknown null"
  echo "$(ns 00:33:16.25) slurm-41.out:1 error null"
  echo "$(ns 00:33:16.5) torch.log:1 error 2"
  echo "$(ns 00:33:16.75) torch.log:2 info null"
  echo "$(ns 00:33:17) slurm-41.out:2 error null"
  echo "$(ns 00:33:17) slurm-41.out:3 unknown null"
  echo "$(ns 00:33:18) slurm-41.out:4 unknown null"
} >"$TMP/expected"
# In microseconds: jq reads numbers as doubles.
jq -r '. as $r | .logs[] | "\((($r.origin_unix_ns + .at_ns) / 1000 + 0.5) | floor)000 \(.file | split("/") | last):\(.line) \(.level) \(.rank // "null")"' \
  "$TMP/head" | sort -s -k1,1 -k2,2 >"$TMP/placed"
diff <(sort -s -k1,1 -k2,2 "$TMP/expected") "$TMP/placed" || fail "lines are not where their times lie"
sed -n '/^## Job logs/,/^## /p' "$TMP/run/summary.md" >"$TMP/section"
grep -q '2 files, 7 lines in the time of the run, 1 at other times, 1 without a time\. Times without a zone are taken for UTC+00:00\.' "$TMP/section" ||
  fail "what was read: $(cat "$TMP/section")"
grep -q 'torch\.log:1 | after .* | error | 2 | .*Watchdog caught' "$TMP/section" || fail "no error: $(cat "$TMP/section")"
! grep -q '<b>GPU has fallen' "$TMP/run/report.html" || fail "a log's text is markup on the page"

"$BUILD/lockstep" export "$TMP/run" --to perfetto -o "$TMP/trace" --logs "$TMP/torch.log" --logs-zone UTC >/dev/null
grep -aq 'Watchdog caught collective operation timeout' "$TMP/trace" || fail "the trace has no line of the log"

# Two hours east of the machine that reads: nothing lies in the run, and the zone that would place them is named.
sed 's/ 00:33/ 02:33/' "$TMP/torch.log" | grep engine >"$TMP/east.log"
report --logs "$TMP/east.log" --logs-zone UTC
grep -q 'none of its 1 line with a time lies in the run; with --logs-zone +02:00 1 would' "$TMP/run/summary.md" || fail "no other zone is named"
report --logs "$TMP/east.log" --logs-zone +02:00
grep -q '1 file, 1 line in the time of the run' "$TMP/run/summary.md" || fail "the zone is not used"

# The run's own folder needs no option; runs rm takes it along.
mkdir "$TMP/run/logs"
cp "$TMP/slurm-41.out" "$TMP/run/logs"
TZ=UTC report
grep -q '1 file, 5 lines in the time of the run' "$TMP/run/summary.md" || fail "RUN/logs is not read: $(grep -A2 '^## Job logs' "$TMP/run/summary.md")"
want_equal "summary/final leads to" "../../report.html" "$(readlink "$TMP/run/summary/final/report.html")"
cmp -s "$TMP/run/summary.md" "$TMP/run/summary/final/summary.md" || fail "summary/final/summary.md is another one"

status() { local rc=0; "$BUILD/lockstep" report "$TMP/run" --force "$@" >"$TMP/out" 2>"$TMP/err" || rc=$?; echo "$rc"; }
want_equal "exit code, no such log" 3 "$(status --logs "$TMP/nowhere*")"
grep -q -- "--logs $TMP/nowhere\*: no file of this name" "$TMP/err" || fail "no sentence: $(cat "$TMP/err")"
want_equal "exit code, no such zone" 2 "$(status --logs-zone Mars)"
grep -q 'Mars: UTC, or hours east' "$TMP/err" || fail "no sentence: $(cat "$TMP/err")"
"$BUILD/lockstep" runs rm --yes "$TMP/run" >/dev/null || fail "runs rm"
[ ! -e "$TMP/run" ] || fail "runs rm leaves $(ls "$TMP/run")"
