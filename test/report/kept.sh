#!/usr/bin/env bash
# What `lockstep diagnose --live` and `lockstep stacks` found while a job ran is kept in the run: `diagnose` and the page show it
# when nothing of the job is there any more. A part takes the place of nothing, and a stranger's file is no answer.
# timeout: 200
. "$(dirname "$0")/../lib.sh"
need_page
need jq jq
export LOCKSTEP_HOST_LOAD=0 LOCKSTEP_CLOCK=0
lockstep=$BUILD/lockstep run=$TMP/run
LOCKSTEP_ENABLE=1 LOCKSTEP_DIR=$run "$BUILD/lockstep-emulate" --ranks 4 --hang-rank 1 --at 20 --iterations 1000 --rate 20 \
  --stall-us 600000000 "$BUILD/libnccl-profiler.so" >"$TMP/counts" 2>&1 &
job=$!
pids() { find "$run" -name '*.ctl' | sed 's/.*\.\([0-9]*\)\.ctl/\1/'; }
cleanup() {
  # shellcheck disable=SC2046
  kill -KILL $job $(pids) 2>/dev/null || true
  wait 2>/dev/null
  rm -rf "$TMP"
}
trap cleanup EXIT
diagnose_live() { "$lockstep" diagnose "$run" --live --timeout 60 "$@" >"$TMP/found" 2>"$TMP/err"; }
hangs() { diagnose_live --json && return 1; [ -s "$TMP/found" ] && jq -e ".findings[0].kind == \"missing_rank\"" "$TMP/found" >/dev/null 2>&1; }
for _ in $(seq 300); do hangs && break; sleep 0.2; done
hangs || fail "no hang: $(cat "$TMP/found" "$TMP/err")"

kept=$run/findings/diagnose.json
cmp "$kept" "$TMP/found" || fail "what is kept is not what was found"
jq -e '.taken_unix_ns > 1e18' "$kept" >/dev/null || fail "it does not say of when it is: $(cat "$kept")"
want_equal "who may read it" 600 "$(stat -c %a "$kept")"
taken=$(jq .taken_unix_ns "$kept")
diagnose_live --ranks 0 || true
want_equal "a part took its place" "$taken" "$(jq .taken_unix_ns "$kept")"

stacks() { "$lockstep" stacks "$run" --timeout 60 "$@" >"$TMP/stacks" 2>"$TMP/err" || [ $? = 1 ] || fail "stacks: $(cat "$TMP/err")"; }
stacks --ranks 0
[ ! -e "$run/findings/stacks.json" ] || fail "the stacks of a part are kept as those of all"
stacks
jq -e '.taken_unix_ns > 1e18 and .trees[0].kind == "main"' "$run/findings/stacks.json" >/dev/null || fail "no stacks are kept"

# shellcheck disable=SC2046
kill -KILL $job $(pids) 2>/dev/null || true
wait 2>/dev/null || true
"$lockstep" diagnose "$run" >"$TMP/later" || [ $? = 1 ] || fail "diagnose when the job is gone: $(cat "$TMP/later")"
grep -qE '^Found while it ran, 20..-..-.. ..:..:.. UTC:$' "$TMP/later" && grep -qE '^    missing_rank \(.* sure\): .*; rank 1 never called it\.' "$TMP/later" ||
  fail "what was found is not said: $(cat "$TMP/later")"
grep -qE '^Stacks of 20.* UTC are kept: ' "$TMP/later" || fail "the stacks are not mentioned: $(cat "$TMP/later")"
{ "$lockstep" diagnose "$run" --json || [ $? = 1 ]; } | jq -e --argjson taken "$taken" '.found_live.taken_unix_ns == $taken and .found_live.findings[0].kind == "missing_rank"' \
  >/dev/null || fail "not in JSON"
{ "$lockstep" diagnose "$run" --last 1s --json || [ $? = 1 ]; } | jq -e 'has("found_live") | not' >/dev/null || fail "of a part as well"
"$lockstep" report "$run" >"$TMP/head" 2>"$TMP/err" || [ $? = 1 ] || fail "report: $(cat "$TMP/err")"
node "$ROOT/test/report/kept.mjs" "file://$run/report.html" || fail "the page does not show what is kept"

echo '{"secret": 1}' >"$TMP/secret"
ln -sf "$TMP/secret" "$kept"
ln -sf "$TMP/secret" "$run/findings/stacks.json"
"$lockstep" diagnose "$run" >"$TMP/later" || [ $? = 1 ] || fail "diagnose beside a stranger's file: $(cat "$TMP/later")"
! grep -qE 'Found while it ran|Stacks of' "$TMP/later" || fail "a stranger's file is an answer: $(cat "$TMP/later")"
