#!/usr/bin/env bash
# nccl_trace has every transfer once: a send and its receive are one row, and an all-to-all is not there beside the sends
# that it was put together from; and docs/query.md's edges are those of the network.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/export/record.sh"
lockstep=$BUILD/lockstep
emulate() {  # emulate EVENTS DIRECTORY
  LOCKSTEP_ENABLE=1 LOCKSTEP_EVENTS=$1 LOCKSTEP_DIR=$2 "$BUILD/lockstep-emulate" "$BUILD/libnccl-profiler.so" \
    --iterations 5 --ranks 4 --sendrecv --alltoall >/dev/null
}
emulate all "$TMP/run"
need_duckdb "$TMP/run"
ask() { "$lockstep" query "$1" --csv "$2" | tail -n +2 | xargs; }
rows="SELECT operation || ':' || count(*) AS n FROM nccl_trace GROUP BY operation ORDER BY n"

# Over the network, 4 ranks and 5 iterations: one edge of each send; three of each all-to-all, which sends nothing to
# its own rank; the ring of each all-reduce.
want_equal "rows" "AllReduce:20 AlltoAll:60 Send:20" "$(ask "$TMP/run" "$rows")"
for operation in AlltoAll Send AllReduce; do
  want_equal "bytes of $operation" "$(ask "$TMP/run" "SELECT sum(sent_bytes) FROM operations WHERE func = '$operation' AND assembled IS NULL")" \
    "$(ask "$TMP/run" "SELECT sum(bytes_transferred) FROM nccl_trace WHERE operation = '$operation'")"
done
sed -n '/^```sql/,/^```/{/^```/d;p}' "$ROOT/docs/query.md" | sed -n '/edge by edge/,/;$/p' >"$TMP/edges.sql"
"$lockstep" query "$TMP/run" --csv <"$TMP/edges.sql" >"$TMP/edges" || fail "the example fails"
want_equal "edges" 12 "$(tail -n +2 "$TMP/edges" | cut -d, -f2,3 | sort -u | wc -l)"
want_equal "bytes of all edges" "$(ask "$TMP/run" "SELECT sum(sent_bytes) FROM operations WHERE assembled IS NULL")" \
  "$(tail -n +2 "$TMP/edges" | awk -F, '{sum += $4} END {print sum}')"

# Nothing known of the network: a row for each operation, and for a receive only where its sender was not recorded.
emulate proxy "$TMP/calls"
want_equal "rows without steps" "AllReduce:20 AlltoAll:20 Send:20" "$(ask "$TMP/calls" "$rows")"
find "$TMP/calls" -name '*.lks' | sort | tail -1 | xargs rm
want_equal "rows without one rank" "AllReduce:15 AlltoAll:15 Recv:5 Send:15" "$(ask "$TMP/calls" "$rows")"

# Times are on the run's axis: those of two hosts whose clocks are 8,500 s apart lie within its operations.
for run in "$TMP/run" "$TMP/calls" "$ROOT/test/data/recordings/two_hosts"; do
  want_equal "rows whose times are not their duration" 0 "$(ask "$run" "SELECT count(*) FROM nccl_trace
    WHERE duration_ms IS NOT NULL AND finish_ns - start_ns IS DISTINCT FROM CAST(round(duration_ms * 1e6) AS BIGINT)")"
  want_equal "rows without a communicator" 0 "$(ask "$run" "SELECT count(*) FROM nccl_trace WHERE comm IS NULL")"
done
want_equal "transfers of two hosts outside the run's operations" 0 "$(ask "$ROOT/test/data/recordings/two_hosts" "SELECT count(*) FROM nccl_trace,
  (SELECT min(enqueue_ns) AS from_ns, max(last_progress_ns) AS to_ns FROM operations) WHERE start_ns < from_ns OR finish_ns > to_ns")"
want_equal "hosts that send in them" "0 1" "$(ask "$ROOT/test/data/recordings/two_hosts" "SELECT DISTINCT src_rank FROM nccl_trace ORDER BY 1")"
