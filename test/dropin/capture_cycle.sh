#!/usr/bin/env bash
# LOCKSTEP_CAPTURE_EVERY records deep events in the same windows of time on all ranks, and none outside of them.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
LOCKSTEP_DIR=$TMP/run LOCKSTEP_EVENTS=coll LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0 LOCKSTEP_CAPTURE_EVERY=1s:300ms \
  LOCKSTEP_CAPTURE_EVENTS=kernel "$BUILD/lockstep-emulate" --ranks 2 --rate 100 --iterations 420 "$BUILD/libnccl-profiler.so" \
  >"$TMP/counts" 2>&1 || fail "the job failed: $(cat "$TMP/counts")"
"$lockstep" verify "$TMP/run" >"$TMP/verify" || fail "a recording with windows does not verify: $(cat "$TMP/verify")"
sed -n 's/.*process \([0-9]*\): .*capture every-\([0-9]*\) \(started\|stopped\).*raw_ns \([0-9]*\).*/{"pid":\1,"window":\2,"\3":\4}/p' "$TMP/verify" |
  jq -s 'group_by([.pid, .window]) | map(add)' >"$TMP/windows"
[ "$(jq 'group_by(.window) | map(select(length == 2)) | length' "$TMP/windows")" -ge 2 ] ||
  fail "fewer than two windows on both ranks: $(cat "$TMP/verify")"
"$lockstep" cat "$TMP/run" --kind KernelCh | jq -s 'map(select(.call == "start"))' >"$TMP/kernels"
"$lockstep" cat "$TMP/run" --kind Coll | jq -s 'map(select(.call == "start") | {("\(.pid) \(.id)"): .raw_ns}) | add' >"$TMP/colls"
want_equal "processes with deep events" 2 "$(jq 'map(.pid) | unique | length' "$TMP/kernels")"
# NCCL had read the mask when the call began: half a second is for threads that wait for a processor.
want_equal "operations with deep events outside of the windows" '[]' \
  "$(jq -cn --slurpfile colls "$TMP/colls" --slurpfile kernels "$TMP/kernels" --slurpfile windows "$TMP/windows" '
    [$kernels[0][] | {pid, ns: $colls[0]["\(.pid) \(.parent)"]}] | unique
    | map(. as $op | select([$windows[0][] | select(.pid == $op.pid and .started <= $op.ns
                                                    and (.stopped == null or $op.ns <= .stopped + 500000000))] == []))')"
echo "it is said that kernel channels are samples, and the windows are captures"
says='Recorded in captures only, so that what rests on them is a sample: KernelCh'
want_equal "processes of which verify says so" 2 "$(grep -c "$says" "$TMP/verify")"
"$lockstep" diagnose "$TMP/run" >"$TMP/diagnosed" || true
want_equal "lines in which diagnose says so" 1 "$(grep -c "$says" "$TMP/diagnosed")"
"$lockstep" report "$TMP/run" -o "$TMP/report" >/dev/null || fail "no report"
grep -q "$says" "$TMP/report/summary.md" || fail "the report does not say so"
grep -qE '^\| every-[0-9]+ and [0-9]+ more \|  ?\| every:1s:300ms \|' "$TMP/report/summary.md" ||
  fail "the report does not list the windows: $(grep -A6 Captures "$TMP/report/summary.md")"

sed -n '/^## Captures$/,/^## /p' "$TMP/report/summary.md" | grep -q '^Covers all 2 ranks of world\.$' ||
  fail "nothing says what the captures cover: $(grep -A6 Captures "$TMP/report/summary.md")"

echo "a window, which has no file, is listed, shown and chosen as every capture is, and there is nothing of it to remove"
want_equal "windows in the list" "$(jq -c 'map(.window) | unique | map("every-\(.)")' "$TMP/windows")" \
  "$("$lockstep" captures list "$TMP/run" --json | jq -c 'map(.id)')"
window=$(jq -r 'group_by(.window) | map(select(length == 2 and all(.stopped)))[0][0].window' "$TMP/windows")
"$lockstep" captures show "$TMP/run" "every-$window" --json >"$TMP/shown" || fail "window $window is not shown"
want_equal "what is shown of it" "$(jq -c --argjson window "$window" '["every:1s:300ms", "LOCKSTEP_CAPTURE_EVERY",
    (map(select(.window == $window)) | map([.pid, .started, .stopped]) | sort)]' "$TMP/windows")" \
  "$(jq -c '[.rule, .by, (.ranks | map([.pid, .start_ns, .stop_ns]) | sort)]' "$TMP/shown")"
want_equal "its ranks, and the spread of one host's clock" "[[0,1],true]" \
  "$(jq -c '[[.ranks[].rank], .spread_ns == ([.ranks[].start_ns] | max - min)]' "$TMP/shown")"
want_equal "collectives called in it, by --capture and by the clock" \
  "$("$lockstep" count "$TMP/run" --capture "every-$window" --json | jq '.starts.Coll')" \
  "$("$lockstep" cat "$TMP/run" --kind Coll | jq -s --slurpfile shown "$TMP/shown" 'map(select(.call == "start") | . as $op
    | select($shown[0].ranks[] | .pid == $op.pid and .start_ns <= $op.raw_ns and $op.raw_ns <= .stop_ns)) | length')"
mkdir -p "$TMP/run/captures"
jq '.id = "early" | .ranks[].start_ns -= 60000000000' "$TMP/shown" >"$TMP/run/captures/early.json"
want_equal "collectives of one that began before anything was recorded" \
  "$("$lockstep" cat "$TMP/run" --kind Coll | jq -s --slurpfile shown "$TMP/shown" 'map(select(.call == "start") | . as $op
    | select($shown[0].ranks[] | .pid == $op.pid and $op.raw_ns <= .stop_ns)) | length')" \
  "$("$lockstep" count "$TMP/run" --capture early --json | jq '.starts.Coll')"
rm "$TMP/run/captures/early.json"
"$lockstep" report "$TMP/run" --capture "every-$window" -o "$TMP/window" >/dev/null || fail "no report of a window"
code=0
"$lockstep" captures rm "$TMP/run" "every-$window" >"$TMP/removed" 2>&1 || code=$?
want_equal "exit code of removing it" 3 $code
grep -q "every-$window: there is nothing to remove" "$TMP/removed" || fail "$(cat "$TMP/removed")"
"$lockstep" captures show "$TMP/run" every-1 >"$TMP/shown" 2>&1 && fail "a window that was not is shown"
grep -q "there is no capture 'every-1'; it has every-$(jq 'map(.window) | min' "$TMP/windows")" "$TMP/shown" || fail "$(cat "$TMP/shown")"

if "$lockstep" query "$TMP/run" "SELECT 1" >/dev/null 2>&1; then
  "$lockstep" query "$TMP/run" --csv "SELECT pid, replace(capture, 'every-', '') AS w, start_ns, stop_ns FROM captures
    WHERE asked_by = 'LOCKSTEP_CAPTURE_EVERY' AND state = 'stopped' ORDER BY ALL" | tail -n +2 >"$TMP/rows"
  want_equal "windows in the table" "$(jq -r 'map(select(.stopped)) | sort_by(.pid, .window)[] | "\(.pid),\(.window),\(.started),\(.stopped)"' "$TMP/windows" | sort)" \
    "$(sort "$TMP/rows")"
  "$lockstep" query "$TMP/run" --csv "SELECT count(*) > 0, count(*) FILTER (kernels > 0) > 0 FROM operations WHERE capture LIKE 'every-%'" |
    tail -1 >"$TMP/rows"
  "$lockstep" query "$TMP/run" --capture "every-$window" --csv "SELECT count(*) > 0, count(*) FILTER (capture <> 'every-$window') FROM operations" |
    tail -1 >>"$TMP/rows"
  want_equal "operations of the windows, with kernels, and of one of them" "true,true true,0" "$(xargs <"$TMP/rows")"
fi
want_equal "what is wrong with a cycle is said" 1 "$(LOCKSTEP_DIR=$TMP/wrong LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0 \
  LOCKSTEP_CAPTURE_EVERY=2s:60s "$BUILD/lockstep-emulate" --ranks 1 --iterations 2 "$BUILD/libnccl-profiler.so" 2>&1 |
  grep -c 'LOCKSTEP_CAPTURE_EVERY=2s:60s is no PERIOD:WINDOW')"
