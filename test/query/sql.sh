#!/usr/bin/env bash
# `lockstep query`: answers, formats, the shell, the sandbox, and what it says when something is wrong.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/export/record.sh"
lockstep=$BUILD/lockstep
need jq jq
record straggler "$TMP/run"
query() { "$lockstep" query "$TMP/run" "$@"; }

LOCKSTEP_DUCKDB=$TMP/none want_equal "without DuckDB" 3 "$(LOCKSTEP_DUCKDB=$TMP/none exit_code query "SELECT 1")"
sentence "without DuckDB" LOCKSTEP_DUCKDB
need_duckdb "$TMP/run"

value() { query --csv "$1" | tail -1; }
want_equal "operations" "$(started Coll)" "$(value "SELECT count(*) FROM operations")"
want_equal "network steps" "$(started ProxyStep)" "$(value "SELECT count(*) FROM proxy_steps")"
for kind in ProxyOp KernelCh GroupApi; do
  want_equal "events of kind $kind" "$(started $kind)" "$(value "SELECT count(*) FROM events WHERE kind = '$kind'")"
done
want_equal "rows join by equal names" "$(started Coll)" "$(value "SELECT count(*) FROM operations
  JOIN processes USING (process) JOIN communicators USING (communicator) JOIN matches USING (match)
  JOIN arrivals USING (operation) WHERE communicators.name = 'world'")"
want_equal "a step belongs to its operation" 0 "$(value "SELECT count(*) FROM proxy_steps s
  LEFT JOIN operations o ON o.process = s.process AND o.event_id = s.operation_id WHERE o.operation IS NULL")"
# A straggler's causes cost a replay of the run, which waits until a table that has them is named.
for before in "" "SELECT count(*) FROM operations;"; do
  want_equal "causes${before:+ after $before}" host_late \
    "$(value "$before SELECT cause FROM arrivals WHERE cause <> 'none' GROUP BY cause ORDER BY count(*) DESC LIMIT 1")"
done
want_equal "sizes are in bytes" 65536 "$(value "SELECT DISTINCT size_bytes FROM operations")"
want_equal "nccl_trace: bytes" "$(value "SELECT sum(sent_bytes) FROM operations")" \
  "$(value "SELECT sum(bytes_transferred) FROM nccl_trace")"
want_equal "nccl_trace: columns" "operation,src_rank,dst_rank,bytes_transferred,duration_ms,step,start_ns,finish_ns,comm" \
  "$(query --csv "SELECT * FROM nccl_trace LIMIT 0")"
want_equal "the ring" "0->1 1->2 2->3 3->0" \
  "$(query --csv "SELECT DISTINCT src_rank || '->' || dst_rank AS e FROM nccl_trace ORDER BY e" | tail -n +2 | xargs)"

want_equal "JSON" '[{"n":1,"s":"a\"b","x":null,"f":true,"l":"[1, 2]","d":2.50}]' \
  "$(query --json "SELECT 1 AS n, 'a\"b' AS s, NULL AS x, true AS f, [1, 2] AS l, 2.5::DECIMAL(9, 2) AS d")"
want_equal "CSV" 'a,b "1,2",' "$(query --csv "SELECT '1,2' AS a, NULL AS b" | xargs -d '\n')"
want_equal "several statements" "a 1 b 2" "$(query --csv "SELECT 1 AS a; SELECT ';' <> '' AND true; SELECT 2 AS b" |
  grep -v -e true -e '<>' -e AND | xargs)"
want_equal "the shell" "n 240" "$(printf 'SELECT count(*) AS n\nFROM operations -- all; of them\n;\n' | query --csv | xargs)"
want_equal "a script stops at its first mistake" 2 "$(printf 'SELECT frob;\nSELECT 1;\n' | exit_code query)"
want_equal "one's own tables" "3" "$(printf 'CREATE TABLE t AS SELECT 3 AS a;\nSELECT a FROM t' | query --csv | tail -1)"

want_equal "a mistake" 2 "$(exit_code query "SELECT frob FROM operations")"
sentence "a mistake" frob
for forbidden in "SELECT * FROM read_csv('/etc/passwd')" "COPY operations TO '$TMP/stolen'" "ATTACH '$TMP/other.db'" \
  "INSTALL httpfs" "SET enable_external_access = true" "EXPORT DATABASE '$TMP/stolen'"; do
  want_equal "forbidden: $forbidden" 2 "$(exit_code query "$forbidden")"
done
[ ! -e "$TMP/stolen" ] || fail "a statement wrote a file"

mkdir "$TMP/empty"
for bad in none empty; do
  want_equal "a directory that is $bad" 3 "$(exit_code "$lockstep" query "$TMP/$bad" "SELECT 1")"
  sentence "a directory that is $bad" "$TMP/$bad"
done
want_equal "two formats" 2 "$(exit_code query --json --csv "SELECT 1")"
find "$TMP/run" -name '*.lks' | sort | tail -1 | xargs truncate -s 9000
want_equal "a truncated run" 1 "$(exit_code query --csv "SELECT count(*) FROM events")"
[ -s "$TMP/err" ] || fail "nothing was said about the truncated file"
