#!/usr/bin/env bash
# The critical path of a simulated job runs through its late rank, by as much as the truth says; its pieces are the run
# without a gap; and what each could win is what a brute-force replay of the whole run gains.
. "$(dirname "$0")/../lib.sh"
need python3 python3
need jq jq

"$BUILD/lockstep-simulate" "$TMP/run" --class late-rank --rank 3 --seed 7 --ranks 8 --gpus-per-host 4 --steps 16
"$BUILD/lockstep" export "$TMP/run" --to csv -o "$TMP/tables" >"$TMP/out"
python3 -B "$ROOT/test/analysis/critical_path.py" "$TMP/tables" "$TMP/run/truth.json" 3 >"$TMP/problems" ||
  fail "the critical path: $(cat "$TMP/problems")"

# The report's steps are sums of those pieces, and name who held them up.
"$BUILD/lockstep" report "$TMP/run" -o "$TMP/report" >"$TMP/head"
sum_of() { awk -F, -v column="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } { sum += $at[column] } END { print sum }' "$1"; }
want_equal "time of the steps" "$(sum_of "$TMP/tables/critical_path.csv" duration_ns)" "$(sum_of "$TMP/report/steps.csv" duration_ns)"
want_equal "excess of the steps" "$(sum_of "$TMP/tables/critical_path.csv" excess_ns)" "$(sum_of "$TMP/report/steps.csv" excess_ns)"
want_equal "who held the longest steps up" "rank 3" \
  "$(tail -n +2 "$TMP/report/steps.csv" | sort -t, -k6,6nr | head -4 | cut -d, -f8 | sort -u)"
grep -q "^Critical path: .* Most to win: rank 3, " "$TMP/head" || fail "the head of the report: $(cat "$TMP/head")"
for part in summary.md report.html; do
  grep -q "What could be won" "$TMP/report/$part" || fail "$part does not say what could be won"
  grep -q "Training steps" "$TMP/report/$part" || fail "$part has no training steps"
done

# An SQL statement that names a table of the path fills it.
need_duckdb "$TMP/run"
sed -n '/^SELECT step, rank, host/p' "$ROOT/docs/schema.md" >"$TMP/example.sql"
want_equal "docs/schema.md: who makes which steps long" "3 3 3 3" \
  "$("$BUILD/lockstep" query "$TMP/run" --csv <"$TMP/example.sql" | sed -n 2,5p | cut -d, -f2 | xargs)"
want_equal "pieces in SQL" "$(($(wc -l <"$TMP/tables/critical_path.csv") - 1))" \
  "$("$BUILD/lockstep" query "$TMP/run" --csv "SELECT count(*) FROM critical_path" | tail -1)"
