#!/usr/bin/env bash
# The views ops and steps and the macro latest_step() say what the tables behind them say.
. "$(dirname "$0")/../lib.sh"
lockstep=$BUILD/lockstep
"$BUILD/lockstep-generate" "$TMP/run" --ranks 3 --operations 60
need_duckdb "$TMP/run"
value() { "$lockstep" query "$TMP/run" --csv "$1" | tail -1; }
want_equal "rows of ops" "$(value "SELECT count(*) FROM operations WHERE assembled IS NULL")" "$(value "SELECT count(*) FROM ops")"
want_equal "communicators of ops" world "$(value "SELECT DISTINCT comm FROM ops")"
want_equal "waits of ops" "$(value "SELECT sum(wait_ns) FROM arrivals")" "$(value "SELECT sum(wait_ns) FROM ops")"
want_equal "processes of ops" "10000,0 10001,1 10002,2" \
  "$("$lockstep" query "$TMP/run" --csv "SELECT DISTINCT pid, world_rank FROM ops ORDER BY pid" | tail -n +2 | xargs)"
# Four all-reduces and an all-gather are a step.
want_equal "latest step" "$(value "SELECT max(step) FROM matches")" "$(value "SELECT latest_step()")"
[ "$(value "SELECT latest_step()")" -ge 10 ] || fail "no steps: $(value "SELECT latest_step()")"
want_equal "a step" "$(value "SELECT count(*), sum(size_bytes), max(finish_ns) - min(start_ns) FROM matches WHERE step = 3")" \
  "$(value "SELECT matches, size_bytes, length_ns FROM steps WHERE step = 3")"
want_equal "operations of the latest step" "$(value "SELECT count(*) FROM operations JOIN matches m USING (match) WHERE m.step = (SELECT max(step) FROM matches)")" \
  "$(value "SELECT count(*) FROM ops WHERE step = latest_step()")"
line=$(sed -n 's/^    \(SELECT .* FROM ops WHERE .*;\)$/\1/p' "$ROOT/docs/query.md")
want_equal "ranks in the line of docs/query.md" 3 "$("$lockstep" query "$TMP/run" --csv "$line" | tail -n +2 | wc -l)"

# Real NCCL, four ranks and then two hosts: the steps that were detected.
for recording in hang_ahead two_hosts; do
  ask() { "$lockstep" query "$ROOT/test/data/recordings/$recording" --csv "$1" | tail -n +2; }
  want_equal "steps of $recording" "$(ask "SELECT count(DISTINCT step), max(step) FROM matches")" "$(ask "SELECT count(*), latest_step() FROM steps")"
  want_equal "operations of the latest step of $recording" \
    "$(ask "SELECT count(*) FROM operations o JOIN matches m USING (match) WHERE o.assembled IS NULL AND m.step = (SELECT max(step) FROM matches)")" \
    "$(ask "SELECT count(*) FROM ops WHERE step = latest_step()")"
done
