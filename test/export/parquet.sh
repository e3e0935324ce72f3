#!/usr/bin/env bash
# The Parquet export read back by hyparquet: the same rows and sums as the run's tables, the promised columns and types.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/export/record.sh"
lockstep=$BUILD/lockstep
need jq jq
need node nodejs
[ -d "$ROOT/node_modules/hyparquet" ] || skip "hyparquet is not in node_modules (scripts/install_deps.sh)"
record straggler "$TMP/run"
"$lockstep" export "$TMP/run" --to csv -o "$TMP/csv" --json >"$TMP/csv.json"
need_duckdb "$TMP/run"
"$lockstep" export "$TMP/run" --to parquet -o "$TMP/parquet" --json >"$TMP/summary"
cp "$ROOT/test/export/count_parquet.mjs" "$TMP/" && ln -s "$ROOT/node_modules" "$TMP/node_modules"
node "$TMP/count_parquet.mjs" "$TMP/parquet" >"$TMP/read" || fail "hyparquet cannot read the export"

want_equal "rows of every table" "$(jq -cS .written "$TMP/csv.json")" "$(jq -cS .rows "$TMP/read")"
want_equal "rows in the summary" "$(jq -cS .written "$TMP/csv.json")" "$(jq -cS .written "$TMP/summary")"
column=$(head -1 "$TMP/csv/operations.csv" | tr , '\n' | grep -n '^sent_bytes$' | cut -d: -f1)
want_equal "sum of sent_bytes" "$(awk -F, -v c="$column" 'NR > 1 {sum += $c} END {print sum}' "$TMP/csv/operations.csv")" \
  "$(jq .bytes_sent "$TMP/read")"
want_equal "partitioned by host" 1 "$(jq '.hosts | length' "$TMP/read")"
want_equal "times are 64-bit integers" '["INT_64"]' \
  "$(jq -c '[.types[] | to_entries[] | select(.key | endswith("_ns")) | .value] | unique' "$TMP/read")"
want_equal "bytes are 64-bit integers" '["INT_64"]' \
  "$(jq -c '[.types[] | to_entries[] | select(.key | endswith("_bytes")) | .value] | unique' "$TMP/read")"
want_equal "bandwidths are doubles" '["DOUBLE"]' \
  "$(jq -c '[.types[] | to_entries[] | select(.key | endswith("_gbs")) | .value] | unique' "$TMP/read")"
want_equal "a hash is unsigned" UINT_64 "$(jq -r .types.communicators.comm_id "$TMP/read")"
want_equal "texts" UTF8 "$(jq -r .types.operations.func "$TMP/read")"
[ ! -e "$TMP/parquet/.spill" ] || fail "the export left its scratch folder"

# The columns of a table are those of the CSV, the host being the folder's name.
for table in operations arrivals proxy_steps matches; do
  want_equal "columns of $table" "$(head -1 "$TMP/csv/$table.csv" | tr , '\n' | grep -v '^host$' | sort | tr '\n' ' ')" \
    "$(jq -r --arg t $table '.types[$t] | keys[]' "$TMP/read" | sort | tr '\n' ' ')"
done
