#!/usr/bin/env bash
# `lockstep capture --last`: what was recorded already is kept. It reads as a window around the same time, in tables and
# counts; a disk budget deletes the segments and not the copies; `captures list|show|rm` and the removal of the run know it.
. "$(dirname "$0")/../lib.sh"
need jq jq
lockstep=$BUILD/lockstep
run=$TMP/run job=
trap 'kill $job 2>/dev/null || true; wait; rm -rf "$TMP"' EXIT
want_exit() {  # want_exit CODE COMMAND...: its output in $TMP/out and $TMP/err
  local wanted=$1 code=0
  shift
  "$@" >"$TMP/out" 2>"$TMP/err" || code=$?
  [ $code = "$wanted" ] || fail "'$*' ended with $code, not $wanted: $(head -c 2000 "$TMP/out") $(cat "$TMP/err")"
}
start() {  # start OPTIONS...: two ranks
  LOCKSTEP_DIR=$run LOCKSTEP_CLOCK=0 LOCKSTEP_HOST_LOAD=0 LOCKSTEP_ROTATE_MB=1 "$BUILD/lockstep-emulate" --ranks 2 --sizes 1k \
    --ops allreduce --channels 1 --iterations 100000000 --stall-us 1e9 "$@" "$BUILD/libnccl-profiler.so" >"$TMP/job" 2>&1 &
  job=$!
}
wait_until() {  # wait_until WHAT COMMAND...
  local what=$1
  shift
  for _ in $(seq 600); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  fail "$what did not happen: $(cat "$TMP/job")"
}
has_calls() { [ "$("$lockstep" count "$run" --json | jq '.starts.Coll // 0')" -gt "$1" ]; }

echo "what is asked wrongly"
want_exit 2 "$lockstep" capture
want_exit 2 "$lockstep" capture "$TMP" --last never
want_exit 2 "$lockstep" capture "$TMP" --last 3s --operations 5
want_exit 3 "$lockstep" capture "$TMP/nowhere" --last 3s
want_exit 3 "$lockstep" captures list "$TMP/nowhere"

echo "the last seconds of a job are kept, and it goes on"
start --rate 100
wait_until "that there are calls" has_calls 600
want_exit 0 "$lockstep" capture "$run" --last 2s --name before --json
mv "$TMP/out" "$TMP/capture"
id=$(jq -r .id "$TMP/capture")
want_equal "its keys" "by bytes cost events_after events_before id name ranks rule spread_bound_ns spread_ns" \
  "$(jq -r 'keys | join(" ")' "$TMP/capture")"
want_equal "a rank's keys" "host pid position rank start_ns state stop_ns" "$(jq -r '.ranks[0] | keys | join(" ")' "$TMP/capture")"
want_equal "ranks and states" '[[0,"stopped"],[1,"stopped"]]' "$(jq -c '[.ranks[] | [.rank, .state]]' "$TMP/capture")"
want_equal "its length" true "$(jq '[.ranks[] | .stop_ns - .start_ns | . > 1900000000 and . <= 2000000000] | all' "$TMP/capture")"
cmp -s <(jq -S . "$TMP/capture") <(jq -S . "$run/captures/$id.json") || fail "what is printed is not what is kept"
grep -q "lockstep report $run --capture $id" "$TMP/err" || fail "it does not say what to open: $(cat "$TMP/err")"
want_equal "who may read it" "700 600" "$(stat -c %a "$run/captures" | tr '\n' ' ')$(stat -c %a "$run/captures/$id.json")"

echo "it is listed and shown"
want_exit 0 "$lockstep" captures list "$run"
grep -qE "^$id +before .* 2 +2 " "$TMP/out" || fail "$(cat "$TMP/out")"
want_exit 0 "$lockstep" captures show "$run" "$id" --json
cmp -s "$TMP/out" "$TMP/capture" || fail "what is shown is not what was captured"
want_exit 3 "$lockstep" captures show "$run" nothing
grep -q "it has $id" "$TMP/err" || fail "the captures that there are, are not named: $(cat "$TMP/err")"

# A rank's window ends where its copy does, so ranks end some microseconds apart.
echo "it counts what a window around it counts"
wait_until "that the job goes on" has_calls 1000
want_exit 0 "$lockstep" count "$run" --capture "$id" --json
captured=$(jq .starts.Coll "$TMP/out")
[ "$captured" -gt 300 ] || fail "the capture has $captured operations of 2 s at 100 a second on two ranks"
kill $job
wait $job 2>/dev/null || true
"$lockstep" recover "$run" >/dev/null 2>&1 || true
"$lockstep" cat "$run" --kind Coll >"$TMP/all"
want_equal "operations that were called in it" "$captured" \
  "$(jq -s --slurpfile capture "$TMP/capture" '($capture[0].ranks | map({key: "\(.rank)", value: .}) | from_entries) as $of
    | map(select(.call == "start" and .raw_ns >= $of["\(.rank)"].start_ns and .raw_ns <= $of["\(.rank)"].stop_ns)) | length' "$TMP/all")"

echo "a disk budget deletes segments and not the copies"
rm -rf "$run"
LOCKSTEP_MAX_DISK_MB=2 LOCKSTEP_EVENTS=all start
gone_from() { [ ! -e "$1" ]; }
wait_until "that there is a full segment" compgen -G "$run/*.1.lks"
# Before the second segment is full, so that the first is still there.
want_exit 0 "$lockstep" capture "$run" --last 60s --json
id=$(jq -r .id "$TMP/out")
want_exit 0 "$lockstep" count "$run" --capture "$id" --json
mv "$TMP/out" "$TMP/before"
old=$(find "$run" -maxdepth 1 -name '*.lks' | sort)
all_gone() { for path in $old; do gone_from "$path" || return 1; done; }
wait_until "that the budget deletes all of its segments" all_gone
want_exit 0 "$lockstep" count "$run" --capture "$id" --json
cmp -s "$TMP/out" "$TMP/before" || fail "the copies changed when the segments went: $(diff "$TMP/out" "$TMP/before")"
[ "$(jq .starts.Coll "$TMP/before")" -gt 0 ] || fail "the capture is empty"

echo "it is removed by its id, and with the run"
want_exit 0 "$lockstep" captures rm "$run" "$id"
want_equal "what is left of it" "" "$(ls "$run/captures")"
want_exit 3 "$lockstep" count "$run" --capture "$id"
want_exit 0 "$lockstep" capture "$run" --last 1s
kill $job
wait $job 2>/dev/null || true
"$lockstep" recover "$run" >/dev/null 2>&1 || true
want_exit 0 "$lockstep" runs rm "$run" --yes
gone_from "$run" || fail "the run stays: $(ls -R "$run")"

echo "the same in SQL"
start --rate 100
wait_until "that there are calls" has_calls 600
want_exit 0 "$lockstep" capture "$run" --last 2s --json
id=$(jq -r .id "$TMP/out")
wait_until "that the job goes on" has_calls 1000
kill $job
wait $job 2>/dev/null || true
"$lockstep" recover "$run" >/dev/null 2>&1 || true
need_duckdb "$run"
# Kernel times rest on what the host saw of the GPU ten seconds behind, which the copies do not have.
# A rank's last operation may have ended after the copy was made.
columns="rank, func, ordinal, state, event_id, api_start_ns, enqueue_ns, size_bytes"
rows() { echo "SELECT $columns FROM operations WHERE capture = '$id' $1 ORDER BY ALL"; }
want_exit 0 "$lockstep" query "$run" --capture "$id" --csv "$(rows "AND state <> 'done'")"
[ "$(wc -l <"$TMP/out")" -le 3 ] || fail "more than one operation of a rank was open: $(cat "$TMP/out")"
open=$(sed 1d "$TMP/out" | cut -d, -f5 | paste -sd,)
ended=$(rows "AND event_id NOT IN (${open:-0})")
want_exit 0 "$lockstep" query "$run" --csv "$ended"
mv "$TMP/out" "$TMP/whole"
[ "$(wc -l <"$TMP/whole")" -gt 300 ] || fail "the capture has few rows: $(cat "$TMP/whole")"
want_exit 0 "$lockstep" query "$run" --capture "$id" --csv "$ended"
cmp -s "$TMP/out" "$TMP/whole" || fail "the copies differ from the run: $(diff "$TMP/out" "$TMP/whole" | head -5)"
want_exit 0 "$lockstep" query "$run" --csv "SELECT rank, state, rule FROM captures WHERE capture = '$id' ORDER BY rank"
want_equal "the table of captures" "rank,state,rule 0,stopped,last:2000000000 1,stopped,last:2000000000" "$(xargs <"$TMP/out")"
