#!/usr/bin/env bash
# Every export of a recorded run keeps every operation, in the form its readers expect.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/export/record.sh"
lockstep=$BUILD/lockstep
need jq jq
record straggler "$TMP/run"
operations=$(started Coll)
for format in chrome csv inspector kineto flight-recorder; do
  "$lockstep" export "$TMP/run" --to $format -o "$TMP/$format" --json >"$TMP/$format.summary"
  want_equal "$format: operations in the summary" "$operations" "$(jq .written.operations "$TMP/$format.summary")"
  want_equal "$format: left out" '{}' "$(jq -c .left_out "$TMP/$format.summary")"
done

want_equal "chrome: operations" "$operations" \
  "$(jq '[.traceEvents[] | select(.cat == "operation")] | length' "$TMP/chrome")"
want_equal "chrome: slices that overlap on one track" 0 "$(jq '[.traceEvents | map(select(.ph == "X")) |
  group_by([.pid, .tid])[] | sort_by(.ts) | [., .[1:]] | transpose[] | select(.[1] != null) |
  select(.[0].ts + .[0].dur > .[1].ts + 0.0005)] | length' "$TMP/chrome")"

want_equal "csv: operations" $((operations + 1)) "$(wc -l <"$TMP/csv/operations.csv")"
want_equal "csv: network steps" $(($(started ProxyStep) + 1)) "$(wc -l <"$TMP/csv/proxy_steps.csv")"
want_equal "csv: every line has as many fields as the header" 1 \
  "$(awk -F, '{print NF}' "$TMP/csv/operations.csv" | sort -u | wc -l)"

want_equal "inspector: files" 4 "$(find "$TMP/inspector" -name '*-pid*.log' | wc -l)"
want_equal "inspector: lines of operations" "$operations" "$(cat "$TMP"/inspector/*.log | grep -c coll_perf)"
want_equal "inspector: one dump of each process, and what it holds" "[$((operations / 4))]" \
  "$(cat "$TMP"/inspector/*.log | jq -sc '[.[] | .dump_stats.coll_records // empty] | unique')"
want_equal "inspector: keys" '["header","metadata","coll_perf"] ["header","metadata","dump_stats"]' \
  "$(jq -c keys_unsorted "$TMP"/inspector/*.log | sort -u | paste -sd' ')"
keys=coll,coll_algo,coll_proto,coll_sn,coll_msg_size_bytes,coll_exec_time_us,coll_timing_source,coll_algobw_gbs,coll_busbw_gbs
keys+=,lockstep_event_id,lockstep_start_us,lockstep_algo,lockstep_proto,lockstep_complete
want_equal "inspector: keys of coll_perf" "$keys" \
  "$(jq -r '.coll_perf // empty | keys_unsorted | join(",")' "$TMP"/inspector/*.log | sort -u)"
want_equal "inspector: one id, the whole of it" '"0xd2d4190c9e715784"' \
  "$(jq -c .header.id "$TMP"/inspector/*.log | sort -u)"
want_equal "inspector: each collective on four ranks" 4 \
  "$(jq -c 'select(.coll_perf) | [.header.id, .coll_perf.coll, .coll_perf.coll_sn]' "$TMP"/inspector/*.log | sort | uniq -c |
    awk '{print $1}' | sort -u)"

for rank in 0 1 2 3; do
  trace=$TMP/kineto/rank$rank.json
  want_equal "kineto: rank of the file" $rank "$(jq .distributedInfo.rank "$trace")"
  want_equal "kineto: kernels of rank $rank" $((operations / 4)) "$(jq '[.traceEvents[] |
    select(.cat == "kernel" and (.name | startswith("ncclDevKernel_AllReduce")))] | length' "$trace")"
  want_equal "kineto: kernels without launch and call" 0 "$(jq '[.traceEvents[] | select(.ph == "X")] |
    group_by(.args."External id") | map(select([.[].cat] | sort != ["cpu_op", "cuda_runtime", "kernel"])) | length' "$trace")"
  want_equal "kineto: what the analyzers read" '["allreduce",16384,16384,4,"Float","0","[0, 1, 2, 3]"]' \
    "$(jq -c '[.traceEvents[] | select(.cat == "kernel")][0].args | [."Collective name", ."In msg nelems",
      ."Out msg nelems", ."Group size", .dtype, ."Process Group Name", ."Process Group Ranks"]' "$trace")"
  dump=$TMP/flight-recorder/nccl_trace_rank_$rank.json
  want_equal "flight recorder: entries of rank $rank" $((operations / 4)) "$(jq '.entries | length' "$dump")"
  want_equal "flight recorder: all completed" '["completed"]' "$(jq -c '[.entries[].state] | unique' "$dump")"
  want_equal "flight recorder: sequence" "$((operations / 4))" "$(jq '.entries[-1].collective_seq_id' "$dump")"
  want_equal "flight recorder: groups" '["[0, 1, 2, 3]"]' "$(jq -c '[.pg_config[].ranks]' "$dump")"
done

record hang "$TMP/hang"
"$lockstep" export "$TMP/hang" --to flight-recorder -o "$TMP/hang-fr" >"$TMP/out"
enqueued() { jq -r '[.pg_status[].last_enqueued_collective] | max' "$TMP/hang-fr/nccl_trace_rank_$1.json"; }
[ "$(enqueued 1)" -lt "$(enqueued 0)" ] ||
  fail "flight recorder: rank 1 never entered the last collective, but $(enqueued 1) is not below $(enqueued 0)"
