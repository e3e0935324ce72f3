#!/usr/bin/env bash
# The flight recorder's dumps of a hang, as PyTorch 2.11 wrote them in the job itself and as lockstep exports its recording of
# the same run: the same collectives, and a call is recorded within 0.2 ms of when PyTorch says it made it.
. "$(dirname "$0")/../lib.sh"
need jq jq
need zstdcat zstd
cp -r "$ROOT/test/data/recordings/gpu/pytorch_hang" "$TMP/run"
"$BUILD/lockstep" export "$TMP/run" --to flight-recorder -o "$TMP/ours" >"$TMP/out" || fail "no export: $(cat "$TMP/out")"
# PyTorch calls a gather to a list by another name, and a tensor of one number has no dimension.
entries() {
  jq -c '.entries[] | [.collective_seq_id, .p2p_seq_id, .op_id, .is_p2p, .state,
      (.profiling_name | sub("_all_gather_base"; "all_gather")), .input_dtypes, .output_dtypes,
      (.input_sizes, .output_sizes | map(reduce .[] as $n (1; . * $n)))]' "$1"
}
times() { jq -c '.entries[].time_created_ns' "$1"; }
for rank in 0 1 2 3; do
  zstdcat "$ROOT/test/data/gpu/flight_recorder_$rank.json.zst" >"$TMP/theirs.json"
  ours=$TMP/ours/nccl_trace_rank_$rank.json
  diff <(entries "$TMP/theirs.json") <(entries "$ours") >"$TMP/difference" ||
    fail "rank $rank: PyTorch's dump (<) and ours (>) differ: $(head -6 "$TMP/difference")"
  # The collective that the GPUs hang in is the one after the last that ended; PyTorch says nothing of starts.
  for key in last_enqueued_collective last_completed_collective; do
    want_equal "rank $rank: $key" "$(jq ".pg_status[].$key" "$TMP/theirs.json")" "$(jq ".pg_status[].$key" "$ours")"
  done
  paste -d' ' <(times "$TMP/theirs.json") <(times "$ours") |
    awk '{ late = $2 - $1; if (late < 0 || late > 200000) print "entry " NR ": " late " ns" }' >"$TMP/off"
  [ ! -s "$TMP/off" ] || fail "rank $rank: called when PyTorch says, but for $(head -3 "$TMP/off")"
done
want_equal "collectives of rank 0 and of rank 1, which stopped" "99 83" \
  "$(for rank in 0 1; do jq '.entries | length' "$TMP/ours/nccl_trace_rank_$rank.json"; done | paste -sd' ')"
