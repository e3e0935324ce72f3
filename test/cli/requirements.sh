#!/usr/bin/env bash
# docs/requirements.md has every row that was asked for, says something in each cell, names tests that exist, and its
# commands do their work: on a recording of four hosts, and on a program that records meanwhile.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/live/libdw.sh"
page=$ROOT/docs/requirements.md
mkdir "$TMP/work"
cd "$TMP/work"
PATH=$BUILD:$PATH

grep -E '^\| [0-9]+ \|' "$page" >rows
want_equal "numbers of the rows" "$(seq -s' ' 111)" "$(sed 's/^| \([0-9]*\) .*/\1/' rows | xargs)"
# A cell is empty where only blanks stand between two bars; a bar inside backquotes ends no cell.
! sed 's/`[^`]*`/x/g' rows | awk -F'|' 'NF != 7 { print; next } { for (i = 2; i < 7; ++i) if ($i ~ /^ *$/) print }' | grep . ||
  fail "those rows lack a cell"
grep -o '`test/[^`]*`' rows | tr -d '`' | sort -u >tests
[ "$(wc -l <tests)" -gt 30 ] || fail "only $(wc -l <tests) tests are named"
while read -r test; do [ -f "$ROOT/$test" ] || fail "there is no $test"; done <tests

cp -r "$ROOT/test/data/recordings/causes/network" my-run
echo '{"events": "step"}' >options.json
echo '2026-11-22 00:33:15 step 1' >train-0.log
LOCKSTEP_DIR=job LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 LOCKSTEP_BUFFER_MB=4 LOCKSTEP_DUMP_INTERVAL_US=100000 lockstep-emulate --ranks 2 \
  --iterations 100000 --rate 50 "$BUILD/libnccl-profiler.so" >out 2>&1 &
emulator=$!
trap 'kill $emulator 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
for _ in $(seq 600); do
  [ "$(find job -name '*.lks' -size +0 2>/dev/null | wc -l)" -lt 2 ] || break
  kill -0 $emulator || fail "the emulator ended: $(cat out)"
  sleep 0.1
done

awk -F' [|] ' '{ print $4 }' rows | grep -o '`lockstep [^`]*`' | tr -d '`' | sort -u >commands
[ "$(wc -l <commands)" -gt 30 ] || fail "only $(wc -l <commands) commands are named"
database=1
lockstep query my-run "SELECT 1" >/dev/null 2>&1 || database=
while read -r line; do
  [ -n "$database" ] || [[ $line != "lockstep query"* ]] || continue
  status=0
  bash -c "$line" >log 2>&1 </dev/null || status=$?
  [ $status -le 1 ] || { cat log; fail "status $status: $line"; }
  [ -s log ] || fail "it says nothing: $line"
done <commands
