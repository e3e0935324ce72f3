#!/usr/bin/env bash
# Bandwidths of a run of real NCCL over sockets are those that docs/schema.md defines, worked out again in SQL from the
# times of each rank, and none is higher than sockets are. A rank's own end would give a Reduce 18 GB/s here.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/test/export/record.sh"
query() { "$BUILD/lockstep" query "$TMP/$1" --csv "$2" | tail -n +2; }
for run in healthy_split_mix straggler_groups; do
  record $run "$TMP/$run"
  need_duckdb "$TMP/$run"
  answer=$(query $run "
    WITH groups AS (SELECT process, group_id, count(*) AS members FROM operations GROUP BY ALL),
      times AS (
        SELECT a.match, c.nranks, m.func, min(a.arrival_ns) AS first_ns, max(a.arrival_ns) AS last_ns,
          max(a.finish_ns) AS end_ns, max(o.size_bytes) AS bytes, min(a.busbw_gbs) AS low, max(a.busbw_gbs) AS high,
          bool_and(o.state = 'done') AND count(a.finish_ns) = m.expected AS ended, max(g.members) > 1 AS grouped
        FROM arrivals a JOIN operations o USING (operation) JOIN matches m ON m.match = a.match
          JOIN communicators c ON c.communicator = m.communicator
          JOIN groups g ON g.process = o.process AND g.group_id = o.group_id
        GROUP BY a.match, c.nranks, m.func, m.expected),
      wanted AS (
        SELECT *, bytes * CASE func WHEN 'AllReduce' THEN 2.0 * (nranks - 1) / nranks WHEN 'AllGather' THEN
            (nranks - 1.0) / nranks WHEN 'ReduceScatter' THEN (nranks - 1.0) / nranks ELSE 1 END
          / (end_ns - CASE WHEN func LIKE 'A%' AND nranks > 2 AND NOT grouped THEN last_ns ELSE first_ns END) AS busbw
        FROM times)
    SELECT count(*) FILTER (ended) > 100,
      count(*) FILTER (ended AND (low IS NULL OR low <> high OR abs(low / busbw - 1) > 1e-9)),
      count(*) FILTER (NOT ended AND high IS NOT NULL) FROM wanted")
  want_equal "$run: enough operations ended, those with another bandwidth, those with one and no end" true,0,0 "$answer"
done
want_equal "operations over sockets faster than 2 GB/s" 0 \
  "$(query healthy_split_mix "SELECT count(*) FROM arrivals WHERE busbw_gbs > 2")"
want_equal "broadcasts, whose end NCCL does not tell, with a bandwidth" "0 of 84" \
  "$(query healthy_split_mix "SELECT count(busbw_gbs) || ' of ' || count(*) FROM ops WHERE func = 'Broadcast'")"
