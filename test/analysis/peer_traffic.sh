#!/usr/bin/env bash
# Who sends how much to whom: the table has what a count over the records has, and one over the operations in SQL. An expert
# that gets half as many tokens again shows in the report as what receives most.
. "$(dirname "$0")/../lib.sh"
need python3 python3

simulate() { "$BUILD/lockstep-simulate" "$TMP/$1" --seed 3 --ranks 8 --gpus-per-host 4 --steps 3 "${@:2}"; }
simulate experts --schedule moe --class heavy-expert
simulate stages --schedule 1f1b
for run in experts stages; do
  "$BUILD/lockstep" export "$TMP/$run" --to csv -o "$TMP/$run.tables" >"$TMP/out"
  python3 -B "$ROOT/test/analysis/peer_traffic.py" "$BUILD/lockstep" "$TMP/$run" "$TMP/$run.tables" >"$TMP/different" ||
    fail "the traffic of $run: $(cat "$TMP/different")"
done

# Of two experts' tokens, 1.5 to 1: the heavy one receives 1.5 / 1.25 of the mean on the way there, and sends as much back.
"$BUILD/lockstep" report "$TMP/experts" -o "$TMP/report" >"$TMP/head"
"$BUILD/lockstep" report "$TMP/stages" -o "$TMP/stages.report" >"$TMP/head"
of_ep=$(sed -n '/^## Traffic between ranks/,/^## Pairs/p' "$TMP/report/summary.md" | grep -c '^| ep .*(1.2 times the mean)') || true
want_equal "uneven groups of experts" 4 "$of_ep"
grep -q '^| pp .*(1.0 times the mean)' "$TMP/stages.report/summary.md" || fail "even stages: $(cat "$TMP/stages.report/summary.md")"

need_duckdb "$TMP/experts"
"$BUILD/lockstep" query "$TMP/experts" --csv "SELECT * FROM (SELECT communicator, rank, peer, sends, receives, sent_bytes,
    received_bytes FROM peer_traffic) FULL JOIN (SELECT communicator, rank, peer, count(*) FILTER (func = 'Send') AS sends,
    count(*) FILTER (func = 'Recv') AS receives, coalesce(sum(size_bytes) FILTER (func = 'Send'), 0) AS sent_bytes,
    coalesce(sum(size_bytes) FILTER (func = 'Recv'), 0) AS received_bytes
    FROM operations WHERE func IN ('Send', 'Recv') GROUP BY ALL) AS recounted
  USING (communicator, rank, peer, sends, receives, sent_bytes, received_bytes)" >"$TMP/joined"
want_equal "pairs, and those that both counts have" "$(tail -n +2 "$TMP/experts.tables/peer_traffic.csv" | wc -l)" \
  "$(tail -n +2 "$TMP/joined" | wc -l)"
