#!/usr/bin/env bash
# Marked steps and ranges are tables: each rank's steps with their times, each operation's step, ranges with their depth.
# Detected steps stand in where nobody marks any, and `steps` says which they are.
. "$(dirname "$0")/lib.sh"
record() {  # record RUN OPTION...: two ranks
  LOCKSTEP_DIR=$1 "$BUILD/lockstep-marks" "$PLUGIN" --ranks 2 --rank 0 --steps 20 --threads 2 --ranges 3 "${@:2}" >/dev/null &
  LOCKSTEP_DIR=$1 "$BUILD/lockstep-marks" "$PLUGIN" --ranks 2 --rank 1 --steps 20 --threads 2 --ranges 3 "${@:2}" >/dev/null
  wait $!
}
record "$TMP/run"
need_duckdb "$TMP/run"
ask() { "$LOCKSTEP" query "$TMP/run" --csv "$1" | tail -n +2; }
want_equal "steps of each rank" "0,21,21
1,21,21" "$(ask "SELECT rank, count(*), count(finish_ns) FROM rank_steps GROUP BY rank ORDER BY rank")"
want_equal "steps and who says so" "21,marked,2" "$(ask "SELECT count(*), min(source), min(ranks) FROM steps")"
want_equal "operations outside their steps" 0 "$(ask "SELECT count(*) FROM operations o JOIN rank_steps s USING (process) WHERE s.step = o.step
  AND (o.api_start_ns < s.start_ns OR o.api_start_ns > s.finish_ns)")"
# An all-reduce of 1 Ki elements and one of 2 Ki in each step of each rank, in the order of their numbers.
want_equal "operations and their steps" "80,0" "$(ask "SELECT count(*), sum(abs(step - ordinal // 2)) FROM operations")"
want_equal "steps of matches" "40,0" "$(ask "SELECT count(*), sum(abs(step - ordinal // 2)) FROM matches")"
want_equal "ranges by text and depth" "exchange,0,40
optimizer,1,40
outside,0,2
thread 1,0,120" "$(ask "SELECT text, depth, count(*) FROM ranges WHERE kind = 'pushed' GROUP BY text, depth ORDER BY text")"
want_equal "ranges without an end" 0 "$(ask "SELECT count(*) FROM ranges WHERE finish_ns IS NULL OR start_ns IS NULL OR finish_ns < start_ns")"
want_equal "the optimizer outside its exchange" 0 "$(ask "SELECT count(*) FROM ranges i WHERE text = 'optimizer' AND NOT EXISTS
  (SELECT 1 FROM ranges o WHERE o.text = 'exchange' AND o.tid = i.tid AND o.start_ns <= i.start_ns AND o.finish_ns >= i.finish_ns)")"
"$LOCKSTEP" report "$TMP/run" -o "$TMP/report" >/dev/null || [ $? = 1 ] || fail "report"
"$LOCKSTEP" export "$TMP/run" --to chrome -o "$TMP/trace.json" >/dev/null || fail "export"
# 101 pushed ranges, a text and a capture's two ends of each rank.
want_equal "slices of the viewer" "42 208" "$(jq -r '[.traceEvents[] | select(.ph == "X") | .cat] | "\(map(select(. == "step")) | length) \(map(select(. == "range")) | length)"' "$TMP/trace.json")"

record "$TMP/captured" --capture
want_equal "captures that the program began" "0,program-1,the program,program,stopped
1,program-1,the program,program,stopped" "$("$LOCKSTEP" query "$TMP/captured" --csv "SELECT rank, capture, asked_by, rule, state FROM captures ORDER BY rank" | tail -n +2)"
want_equal "operations of these captures, and their steps" "0,10,5,9
1,10,5,9" "$("$LOCKSTEP" query "$TMP/captured" --csv "SELECT rank, count(*), min(step), max(step) FROM operations WHERE capture = 'program-1' GROUP BY rank ORDER BY rank" | tail -n +2)"
want_equal "operations of them by --capture" "0,10
1,10" "$("$LOCKSTEP" query "$TMP/captured" --capture program-1 --csv "SELECT rank, count(*) FROM operations GROUP BY rank ORDER BY rank" | tail -n +2)"
want_equal "the list of captures" "program-1 the program 0 1" "$("$LOCKSTEP" captures list "$TMP/captured" --json | jq -r '.[] | [.id, .by, .ranks[].rank] | join(" ")')"

record "$TMP/begun" --unended
run_step_ends() { "$LOCKSTEP" query "$TMP/begun" --csv "SELECT count(*) FROM rank_steps a JOIN rank_steps b ON a.process = b.process AND b.step = a.step + 1 WHERE a.finish_ns = b.start_ns" | tail -1; }
want_equal "steps that end where the next begins" 38 "$(run_step_ends)"

"$BUILD/lockstep-generate" "$TMP/unmarked" --ranks 3 --operations 60
want_equal "steps without marks" "detected,true" "$("$LOCKSTEP" query "$TMP/unmarked" --csv "SELECT DISTINCT source, ranks IS NULL FROM steps" | tail -1)"
