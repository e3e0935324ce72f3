#!/usr/bin/env bash
# summary/rank-N.md of runs of real NCCL: the rank that is late on purpose is far from the others in what it made them wait,
# no other rank is, and none of a healthy run; figures are those of SQL, and the operations it names are explained.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/export/record.sh"
for run in straggler healthy_alltoall; do
  record $run "$TMP/$run"
  "$BUILD/lockstep" report "$TMP/$run" >/dev/null
  want_equal "summaries of ranks of $run" "rank-0.md rank-1.md rank-2.md rank-3.md" "$(cd "$TMP/$run/summary" && echo rank-*)"
done
far() { (cd "$TMP/$1/summary" && grep -l '^| made others wait .*far from the others' ./rank-*) || true; }
want_equal "who made others wait in the straggler's run" ./rank-2.md "$(far straggler)"
want_equal "who made others wait in a healthy run" "" "$(far healthy_alltoall)"
# spread.csv has every communicator; who is far from the others there is who is marked.
spread() { awk -F, -v metric="$2" '$(NF - 7) == metric { print $NF }' "$TMP/$1/spread.csv" | xargs; }
want_equal "far in the straggler's run" 2 "$(spread straggler "made others wait")"
want_equal "far in a healthy run" "" "$(spread healthy_alltoall "made others wait")"
name=$(sed -n 's/.*Others waited longest for it in `\([^`]*\)`.*/\1/p' "$TMP/straggler/summary/rank-2.md")
"$BUILD/lockstep" explain "$TMP/straggler" "$name" >"$TMP/out" || fail "'$name' is not explained"
need_duckdb "$TMP/straggler"
record straggler_split "$TMP/split"
"$BUILD/lockstep" report "$TMP/split" >/dev/null
want_equal "least and most operations of each communicator" \
  "$("$BUILD/lockstep" query "$TMP/split" --csv "WITH counts AS (SELECT communicator, rank, count(*) AS n FROM operations
    WHERE kind <> 'assembled' GROUP BY ALL) SELECT count(*), min(n), max(n) FROM counts GROUP BY communicator" | tail -n +2 | sort)" \
  "$(awk -F, '$(NF - 7) == "operations" { print $(NF - 8) "," $(NF - 5) "," $(NF - 2) }' "$TMP/split/spread.csv" | sort)"
for rank in 0 1 2 3; do
  want_equal "operations of rank $rank" \
    "$("$BUILD/lockstep" query "$TMP/straggler" --csv "SELECT count(*) FROM operations WHERE rank = $rank" | tail -1)" \
    "$(sed -n 's/^| operations | \([0-9]*\) .*/\1/p' "$TMP/straggler/summary/rank-$rank.md")"
done
