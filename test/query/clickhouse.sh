#!/usr/bin/env bash
# The Parquet export in ClickHouse's engine, by the lines of docs/schema.md: the same counts, and the examples of
# docs/query.md answered as they are. The engine is an npm package of 550 MB, so only with LONG=1.
# timeout: 600
. "$(dirname "$0")/../lib.sh"
[ -n "${LONG:-}" ] || skip "ClickHouse's engine is 550 MB: LONG=1 test/run query/clickhouse"
. "$ROOT/test/export/record.sh"
lockstep=$BUILD/lockstep
need jq jq
need npm npm
record straggler "$TMP/run"
need_duckdb "$TMP/run"
"$lockstep" export "$TMP/run" --to parquet -o "$TMP/tables" --json >"$TMP/summary"
mkdir "$TMP/engine" && cd "$TMP/engine"
timeout 240 npm install --no-save --ignore-scripts chdb@3.4.0 >"$TMP/npm" 2>&1 ||
  skip "npm cannot install chdb here within 240 s: $(tail -1 "$TMP/npm")"
node "$ROOT/test/query/clickhouse.mjs" "$TMP/tables" "$ROOT/docs/schema.md" "$ROOT/docs/query.md" >"$TMP/answers" ||
  fail "a statement of the documents fails: $(cat "$TMP/answers")"
for table in operations arrivals matches proxy_steps events; do
  want_equal "rows of $table" "$(jq ".written.$table" "$TMP/summary")" \
    "$(jq -r --arg table "$table" 'select(.[0] == $table)[1]' "$TMP/answers")"
done
want_equal "hosts" 1 "$(jq -r 'select(.[0] == "hosts")[1]' "$TMP/answers")"
want_equal "examples" 5 "$(jq -c 'select(.[0] == "example")' "$TMP/answers" | wc -l)"
grep -q 'AllReduce.*RING.*SIMPLE.*240' "$TMP/answers" || fail "the first example's answer: $(cat "$TMP/answers")"
grep -q '0,1,5898240' "$TMP/answers" || fail "the third example's answer: $(cat "$TMP/answers")"
