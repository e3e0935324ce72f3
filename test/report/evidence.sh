#!/usr/bin/env bash
# Each line of evidence that names rows has a SELECT that finds them: as many as lines, and at least one row each, of hangs of
# several kinds, of runs that lost time and of slow links, whose operations are named too. Names of a recording are in none.
. "$(dirname "$0")/../lib.sh"
need jq jq
need zstd zstd
lockstep=$BUILD/lockstep
simulate() {  # simulate RUN OPTIONS...
  "$BUILD/lockstep-simulate" "${@:2}" --seed 1 --noise quiet --ranks 8 --gpus-per-host 4 --steps 12 "$TMP/$1" >/dev/null
}
simulate late --schedule ddp --class late-rank --rank 3
simulate missing --schedule ddp --class missing-rank
simulate dead --schedule ddp --class dead-process
simulate deadlock --schedule tp-dp --class deadlock
simulate size --schedule ddp --class mismatch-size
simulate function --schedule ddp --class mismatch-function
simulate transport --schedule ddp --class stuck-transport
mkdir "$TMP/logs"
for rank in 0 1 2 3; do
  zstd -dcq "$ROOT/test/data/runs/straggler/rank$rank.txt.zst" | sed "s|name=world|name='or'1|" >"$TMP/logs/$rank.txt"
done
LOCKSTEP_HOST_LOAD=0 LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$TMP/hostile "$BUILD/lockstep-replay" --virtual \
  "$BUILD/libnccl-profiler.so" "$TMP"/logs/*.txt >/dev/null
simulate link --schedule ddp --class slow-link --rank 3
simulate gpu --schedule ddp --class slow-gpu-transfer --rank 3
"$BUILD/lockstep-simulate" --events step --class slow-network-bursts --size 2 --seed 3 --ranks 12 --gpus-per-host 4 --steps 24 "$TMP/network" >/dev/null
"$BUILD/lockstep-simulate" --seed 4 --noise quiet --ranks 32 --gpus-per-host 1 --schedule 1f1b --pp 4 --tp 1 --activation-bytes 16M --class slow-link \
  --size 12 --steps 12 "$TMP/pipes" >/dev/null
for cause in network_delay network_loss; do cp -r "$ROOT/test/data/recordings/causes/$cause" "$TMP/$cause"; done
emulate() {  # emulate RUN OPTIONS...: what only network steps show
  LOCKSTEP_HOST_LOAD=0 LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=all LOCKSTEP_DIR=$TMP/$1 "$BUILD/lockstep-emulate" --ranks 4 --nodes 4 \
    --sizes 256K --iterations 20 "${@:2}" "$BUILD/libnccl-profiler.so" >/dev/null
}
emulate steps --slow-link 2 --slow-link-mbps 200
emulate proxy --slow-proxy 2 --slow-proxy-us 3000
need_duckdb "$TMP/late"
slow='link gpu network_delay network_loss steps proxy'
for run in late missing dead deadlock size function transport hostile network pipes $slow; do
  { "$lockstep" report "$TMP/$run" --json || [ $? = 1 ]; } >"$TMP/$run.json" 2>"$TMP/err" || fail "$run: $(cat "$TMP/err")"
  jq -e '[.verdicts[] | (.evidence | length) == (.evidence_sql | length)] | length > 0 and all' "$TMP/$run.json" >/dev/null || fail "$run: not one for each line"
  jq -e '[.verdicts[] | (.evidence | length) == (.evidence_places | length)] | all' "$TMP/$run.json" >/dev/null || fail "$run: not one place for each line"
  jq -r '.verdicts[].evidence_sql[] | select(. != "")' "$TMP/$run.json" | sort -u >"$TMP/queries"
  [ -s "$TMP/queries" ] || fail "$run: no line of evidence leads to a row"
  ! sed "s/'\(tcp\|out_segments\|retransmitted_segments\)'//g" "$TMP/queries" | grep "'" || fail "$run: a name is in a statement"
  while read -r query; do
    "$lockstep" query "$TMP/$run" --csv "$query" >"$TMP/rows" 2>"$TMP/err" || fail "$run: $query: $(cat "$TMP/err")"
    [ "$(wc -l <"$TMP/rows")" -gt 1 ] || fail "$run: no row: $query"
  done < <(head -12 "$TMP/queries")
done

for run in $slow; do
  echo "what is slow is told, and an operation in which it shows: $run"
  verdict=$(jq -c '[.verdicts[] | select(.kind | test("^slow_(link|proxy|gpu)$"))][0]' "$TMP/$run.json")
  jq -e '(.at_ns | length > 0) and any(.evidence[]; test("[A-Z][A-Za-z]+ #[0-9]+"))' <<<"$verdict" >/dev/null || fail "$run: no operation: $verdict"
  jq -e '.evidence[0] | test(" is usual \\(|, the other ranks |, any other host at most ")' <<<"$verdict" >/dev/null || fail "$run: against what: $verdict"
done
echo "what takes longer than expected is told against that, and the operations in which it shows"
verdict=$(jq -c '.verdicts[] | select(.kind == "slower_than_expected")' "$TMP/network.json")
jq -e '(.at_ns | length > 0) and (.evidence[1:] | all(test("^matches: AllReduce #[0-9]+, .* is usual; row ")))' <<<"$verdict" >/dev/null ||
  fail "no operation: $verdict"
jq -e '(.text | capture("takes (?<factor>[0-9.]+) times.* \\((?<took>.*) against (?<expected>[^)]*)\\), in (?<slow>[0-9]+) of (?<all>[0-9]+) ")) as $said |
  .evidence[0] | test("^expected_times: AllReduce of 32 MiB.* the slow ones, \($said.slow) of \($said.all) operations, took \($said.took) at their median where \($said.expected) is expected, \($said.factor) times as long")' \
  <<<"$verdict" >/dev/null || fail "other numbers than its own: $verdict"
echo "lines say where the plots have it: the kind of operation and how long the slow ones took, and the two ends of a link, which is drawn"
want_equal "of a slow network" '{"func":"AllReduce","nranks":12,"size_bytes":33554432,"slow_took_ns":true}' \
  "$(jq -c '.verdicts[] | select(.kind == "slower_than_expected") | .evidence_places[0] | .slow_took_ns |= (. > 6e6)' "$TMP/network.json")"
jq -e '.verdicts[0] | (.evidence[0] | capture("from rank (?<from>[0-9]+) on [^ ]+ to rank (?<to>[0-9]+) on ")) as $ends |
  .evidence_places[0] | (.from | tostring) == $ends.from and (.to | tostring) == $ends.to' "$TMP/pipes.json" >/dev/null || fail "other ranks: $(jq -c '.verdicts[0]' "$TMP/pipes.json")"
jq -e '.verdicts[0].evidence_places[0] as $place | .peers | length == 4 and any(.[]; .communicator == $place.communicator and
  any(.cells[]; .[0] == $place.from and .[1] == $place.to))' "$TMP/pipes.json" >/dev/null || fail "the slow link is not among those that are drawn: $(jq -c '.peers' "$TMP/pipes.json")"
jq -e '[.verdicts[].evidence_places[] | has("func") or has("from")] | any | not' "$TMP/late.json" >/dev/null || fail "who is late is in no plot of bandwidth"
want_equal "the slow link" "from rank 3 on node0000 to rank 4 on node0001" \
  "$(jq -r '.verdicts[0].evidence[0]' "$TMP/link.json" | sed 's/.*transfers \(.*\) take .*/\1/')"
query=$(jq -r '.verdicts[0].evidence_sql[1]' "$TMP/link.json")
line=$(jq -r '.verdicts[0].evidence[1]' "$TMP/link.json")
want_equal "rows of: $line" "$(sed -n 's/.*, \([0-9]*\) ranks$/\1/p' <<<"$line")" "$("$lockstep" query "$TMP/link" --csv "$query" | tail -n +2 | wc -l)"

echo "a late arrival's rows are those of its operation, in the order in which ranks came"
query=$(jq -r '.verdicts[0].evidence_sql[0]' "$TMP/late.json")
line=$(jq -r '.verdicts[0].evidence[0]' "$TMP/late.json")
late=$(sed -n 's/.*, rank \([0-9]*\) arrived .*/\1/p' <<<"$line")
want_equal "who came last in: $line" "$late" "$("$lockstep" query "$TMP/late" --csv "SELECT rank FROM ($query)" | tail -1)"
