#!/usr/bin/env bash
# Inspector mode: every operation of an emulated job is in the Inspector's files, by the Inspector's grammar.
. "$(dirname "$0")/../lib.sh"
need jq jq
plugin=$BUILD/libnccl-profiler.so

# record NAME VARIABLE=VALUE... -- EMULATOR OPTION...
record() {
  local name=$1 variables=()
  shift
  while [ "$1" != -- ]; do variables+=("$1"); shift; done
  shift
  env NCCL_INSPECTOR_ENABLE=1 NCCL_INSPECTOR_DUMP_DIR="$TMP/$name" LOCKSTEP_DIR="$TMP/$name.run" "${variables[@]}" \
    "$BUILD/lockstep-emulate" --ranks 2 --channels 4 --truth "$TMP/$name.truth" "$@" "$plugin" >"$TMP/$name.out"
}

header='(.header|keys)==["comm_name","id","n_ranks","nnodes","rank"] and (.header.id|test("^0x[0-9a-f]{1,16}$"))'
metadata='(.metadata|keys)==["dump_timestamp_us","git_rev","hostname","inspector_output_format_version","pid","rec_mechanism"] and .metadata.inspector_output_format_version=="v4.2" and .metadata.rec_mechanism=="nccl_profiler_interface"'
source='(. == "kernel_gpu" or . == "kernel_cpu" or . == "collective_cpu")'
coll='(.coll_perf|([.coll,.coll_algo,.coll_proto]|all(type=="string")) and ([.coll_sn,.coll_msg_size_bytes,.coll_exec_time_us,.coll_algobw_gbs,.coll_busbw_gbs]|all(type=="number")) and (.coll_timing_source|'$source'))'
p2p='(.p2p_perf|(.p2p|type)=="string" and ([.p2p_sn,.p2p_peer,.p2p_msg_size_bytes,.p2p_exec_time_us,.p2p_algobw_gbs,.p2p_busbw_gbs]|all(type=="number")) and (.p2p_timing_source|'$source'))'

record plain -- --ops allreduce allgather reducescatter --sizes 64 1M --iterations 30 --sendrecv --comms 2
cat "$TMP"/plain/*-pid*.log >"$TMP/lines"
stats='(.dump_stats|[.coll_records,.coll_dropped_total,.coll_dropped_since_last_dump,.p2p_records,.p2p_dropped_total,.p2p_dropped_since_last_dump]|all(type=="number"))'
jq -e -s "all(.[]; ($header) and ($metadata) and (if has(\"coll_perf\") then $coll elif has(\"p2p_perf\") then $p2p else $stats end))" \
  "$TMP/lines" >/dev/null || fail "a line breaks the Inspector's grammar"
# Every key of ours must be free in the exporter's merged row.
jq -e -s 'all(.[]|select(.coll_perf); ((.header|keys)+(.metadata|keys)+(.coll_perf|keys)+["comm_type"])|length==(unique|length))' \
  "$TMP/lines" >/dev/null || fail "two objects of a line share a key"
for function in AllReduce AllGather ReduceScatter Send Recv; do
  want_equal "$function lines" \
    "$(cat "$TMP"/plain.truth.* | jq -s "[.[]|select(.type==\"call\" and .function==\"$function\")]|length")" \
    "$(jq -s "[.[]|select((.coll_perf.coll//.p2p_perf.p2p)==\"$function\")]|length" "$TMP/lines")"
done
want_equal "communicators" "$(cat "$TMP"/plain.truth.* | jq -r 'select(.type=="comm")|.comm_id' | sort -u)" \
  "$(jq -r '.header.id' "$TMP/lines" | sed 's/^0x//' | sort -u)"
# Each dump says first what it holds: its count of a communicator's lines is that of the lines that follow.
want_equal "dumps whose counts are not those of their lines" 0 "$(for file in "$TMP"/plain/*.log; do
  jq -c 'if .dump_stats then [.dump_stats.coll_records, .dump_stats.p2p_records] else if .coll_perf then "coll" else "p2p" end end' "$file"; done |
  awk '/^\[/ { bad += coll != 0 || p2p != 0; gsub(/[][]/, ""); split($0, n, ","); coll = n[1]; p2p = n[2]; next }
    /coll/ { --coll } /p2p/ { --p2p } END { print bad + (coll != 0 || p2p != 0) }')"
want_equal "complete" true "$(jq -s '[.[]|select(.dump_stats.complete!=null)|.dump_stats.complete]|all and length==4' "$TMP/lines")"
want_equal "operations with the GPU's own time" true \
  "$(jq -s '[.[]|.coll_perf//.p2p_perf//empty|.coll_timing_source//.p2p_timing_source]|all(.=="kernel_gpu")' "$TMP/lines")"
# (id, sn) agree across ranks: each collective has one line per rank.
want_equal "lines per collective" '[2]' \
  "$(jq -sc '[.[]|select(.coll_perf)]|group_by([.header.id,.coll_perf.coll,.coll_perf.coll_sn])|map(length)|unique' "$TMP/lines")"
# What the export makes of the same recording says the same of each operation, under the same keys. What a rank sends to
# itself has no end that a recording could tell, so the export has no lines of it.
"$BUILD/lockstep" export "$TMP/plain.run" --to inspector -o "$TMP/exported" >/dev/null
same='select((.dump_stats|not) and .p2p_perf.p2p_peer != .header.rank) | [.header, .metadata.hostname, .metadata.pid, ((.coll_perf//.p2p_perf) |
  [.coll, .p2p, .coll_algo, .coll_proto, .coll_sn, .p2p_sn, .p2p_peer, .coll_msg_size_bytes, .p2p_msg_size_bytes, .lockstep_event_id, keys])]'
want_equal "lines that differ from the export's" "" \
  "$(diff <(jq -c "$same" "$TMP/lines" | sort) <(cat "$TMP"/exported/*.log | jq -c "$same" | sort) | head -4)"
record alltoall -- --ops none --iterations 10 --alltoall --sendrecv
"$BUILD/lockstep" export "$TMP/alltoall.run" --to inspector -o "$TMP/exported-alltoall" >/dev/null
want_equal "lines of all-to-alls that differ from the export's" "" \
  "$(diff <(cat "$TMP"/alltoall/*.log | jq -c "$same" | sort) <(cat "$TMP"/exported-alltoall/*.log | jq -c "$same" | sort) | head -4)"
want_equal "files of the run that end in .log or .jsonl" "" "$(find "$TMP/plain.run" -name '*.log' -o -name '*.jsonl')"
[ -n "$(find "$TMP/plain.run" -name '*.lks')" ] || fail "no segment beside the Inspector's files"

record verbose NCCL_INSPECTOR_DUMP_VERBOSE=1 -- --iterations 2 --sendrecv
cat "$TMP"/verbose/*.log | jq -e -s 'all(.[]|select(.coll_perf).coll_perf;
    (.event_trace_sn|keys)==["coll_start_sn","coll_stop_sn","kernel_events"] and
    (.event_trace_ts.kernel_events|length)==4 and (.event_trace_ts.coll_start_ts > 1600000000000000) and
    ([.event_trace_sn.kernel_events[]|.kernel_start_sn<.kernel_record_sn and .kernel_record_sn<=.kernel_stop_sn]|all))' \
  >/dev/null || fail "verbose traces break the Inspector's grammar"

record minimum NCCL_INSPECTOR_DUMP_MIN_SIZE_BYTES=8192 NCCL_INSPECTOR_ENABLE_P2P=0 NCCL_INSPECTOR_COLL_POOL_SIZE=10 -- \
  --ops allreduce --sizes 64 64K --iterations 10 --sendrecv
want_equal "lines from 8192 bytes on, without p2p" 10 "$(cat "$TMP"/minimum/*.log | jq -s '[.[]|select(has("dump_stats")|not)]|length')"
want_equal "left out and said so" '[5,5]' "$(cat "$TMP"/minimum/*.log | jq -sc '[.[]|.dump_stats.coll_below_min_size//empty]')"

record exit -- --ops allreduce --iterations 10 --end exit
want_equal "lines of a process that destroys nothing" 20 "$(cat "$TMP"/exit/*.log | jq -s '[.[]|select(.coll_perf)]|length')"

NCCL_INSPECTOR_ENABLE=1 NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS=1000000 NCCL_INSPECTOR_DUMP_DIR=$TMP/storm \
  LOCKSTEP_DIR=$TMP/storm.run "$BUILD/lockstep-storm" "$plugin" --threads 1 --operations 20000 --steps 0 >/dev/null
want_equal "of 20000 operations back to back" 20000 "$(grep -c coll_perf "$TMP"/storm/*.log)"
