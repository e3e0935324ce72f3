#!/usr/bin/env bash
# Every example of docs/query.md and docs/schema.md is answered, and the tables have exactly the columns schema.md names.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/export/record.sh"
lockstep=$BUILD/lockstep
need jq jq
record straggler "$TMP/run"
need_duckdb "$TMP/run"
sed -n '/^```sql/,/^```/{/^```/d;p}' "$ROOT/docs/query.md" >"$TMP/examples.sql"
[ "$(grep -c ';$' "$TMP/examples.sql")" = 5 ] || fail "docs/query.md should have five examples"
"$lockstep" query "$TMP/run" --csv <"$TMP/examples.sql" >"$TMP/answers" 2>"$TMP/err" || fail "an example fails: $(cat "$TMP/err")"
grep -q '^AllReduce,RING,SIMPLE,240,' "$TMP/answers" || fail "the first example's answer: $(head -3 "$TMP/answers")"
grep -q '^world,0,1,5898240,' "$TMP/answers" || fail "the third example's answer: $(cat "$TMP/answers")"
# The second example names the rank that `diagnose` names, also where all calls are made in groups.
awk 'BEGIN { RS = ";" } NR == 2' "$TMP/examples.sql" >"$TMP/late.sql"
record straggler_groups "$TMP/groups"
for run in run groups; do
  want_equal "who is late in $run" \
    "$("$lockstep" diagnose "$TMP/$run" --json | jq -r '[.findings[] | select(.kind == "straggler")][0].culprits[0]')" \
    "$("$lockstep" query "$TMP/$run" --csv <"$TMP/late.sql" | sed -n 2p | cut -d, -f1)"
done

# The words of each section of schema.md, and of its paragraph on row numbers, against the real columns.
for table in operations arrivals matches communicators members processes clock ledger open_transports channels rank_steps ranges events proxy_steps critical_path path_gains expected_times peer_traffic \
  thread_load host_load nic_counters gpu_state; do
  sed -n -e '/^\*\*In SQL/,/^$/p' -e "/^## .*$table/,/^## /p" "$ROOT/docs/schema.md" | tr -c 'a-z_0-9' '\n' | sort -u >"$TMP/words"
  "$lockstep" query "$TMP/run" --csv "SELECT column_name FROM (DESCRIBE $table)" | tail -n +2 | sort -u >"$TMP/columns"
  missing=$(comm -13 "$TMP/words" "$TMP/columns" | { grep -vx host || true; } | xargs)
  want_equal "columns of $table that docs/schema.md does not name" "" "$missing"
done
types() { "$lockstep" query "$TMP/run" --csv "SELECT DISTINCT data_type FROM information_schema.columns
  WHERE table_schema = 'main' AND ends_with(column_name, '$1') AND table_name <> 'nccl_trace'" | tail -n +2 | xargs; }
want_equal "times" BIGINT "$(types _ns)"
want_equal "bytes" BIGINT "$(types _bytes)"
want_equal "bandwidths" DOUBLE "$(types _gbs)"
