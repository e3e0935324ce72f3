#!/usr/bin/env bash
# docs/query.md's join of counters and operations, on recordings of four hosts of which one or two had a bad network: the
# hosts that sent again are those whose counter rose.
. "$(dirname "$0")/../lib.sh"
recordings=$ROOT/test/data/recordings/causes
need_duckdb "$recordings/network"
ask() { "$BUILD/lockstep" query "$recordings/$1" --csv "$2" | tail -n +2; }
statement=$(sed -n '/^## nic_counters/,/^## /s/^    \(SELECT .*;\)$/\1/p' "$ROOT/docs/query.md")
for run in network network_loss; do
  rose="SELECT DISTINCT host FROM nic_counters WHERE counter = 'retransmitted_segments' AND change > 0 ORDER BY 1"
  ask "$run" "$statement" >"$TMP/answer"
  want_equal "hosts that sent again in $run" "$(ask "$run" "$rose" | xargs)" "$(awk -F, '$2 == "true" { print $1 }' "$TMP/answer" | xargs)"
  want_equal "operations in $run" "$(ask "$run" "SELECT count(*) FROM ops" | xargs)" "$(awk -F, '{ n += $3 } END { print n }' "$TMP/answer")"
done
