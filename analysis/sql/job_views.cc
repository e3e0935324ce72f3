#include "analysis/sql/job_views.h"

namespace lockstep::analysis {

const char* const kJobViews =
    "CREATE VIEW ops AS SELECT o.operation, o.process, p.host AS host, p.pid, p.rank AS "
    "world_rank, "
    "c.name AS comm, c.role, c.reach, o.rank, o.func, o.algo, o.proto, o.kind, o.state, o.ordinal, "
    "o.peer, o.count, o.datatype, "
    "o.size_bytes, o.size_class, o.step, coalesce(o.api_start_ns, o.enqueue_ns) AS called_ns, "
    "a.arrival_ns, "
    "a.wait_ns, a.transfer_ns, o.finish_ns, a.last, a.algbw_gbs, a.busbw_gbs "
    "FROM operations o LEFT JOIN processes p USING (process) "
    "LEFT JOIN communicators c ON c.communicator = o.communicator "
    "LEFT JOIN matches m ON m.match = o.match LEFT JOIN arrivals a ON a.operation = o.operation "
    "WHERE o.assembled IS NULL;"
    "CREATE VIEW steps AS WITH done AS (SELECT step, min(start_ns) AS start_ns, "
    "max(finish_ns) AS finish_ns, count(*) AS matches, "
    "CAST(sum(size_bytes) AS BIGINT) AS size_bytes, max(spread_ns) AS spread_ns "
    "FROM matches WHERE step IS NOT NULL GROUP BY step), "
    "marked AS (SELECT step, min(start_ns) AS start_ns, max(finish_ns) AS finish_ns, "
    "count(DISTINCT process) AS ranks FROM rank_steps GROUP BY step), "
    "known AS (SELECT step, coalesce(k.start_ns, d.start_ns) AS start_ns, "
    "coalesce(k.finish_ns, d.finish_ns) AS finish_ns, coalesce(d.matches, 0) AS matches, "
    "coalesce(d.size_bytes, 0) AS size_bytes, d.spread_ns, "
    "CASE WHEN k.ranks IS NULL THEN 'detected' ELSE 'marked' END AS source, k.ranks "
    "FROM done d FULL JOIN marked k USING (step)) "
    "SELECT step, start_ns, finish_ns, finish_ns - start_ns AS length_ns, matches, size_bytes, "
    "spread_ns, source, ranks FROM known ORDER BY step;"
    "CREATE VIEW kernel_phases AS SELECT e.event_id, e.process, e.host, c.name AS comm, e.rank, "
    "e.channel, e.name AS phase, e.start_ns, e.gpu_ns FROM events e "
    "LEFT JOIN communicators c ON c.communicator = e.communicator WHERE e.kind = 'KernelPhase';"
    "CREATE VIEW capabilities AS SELECT c.communicator, c.name AS comm, c.nranks, "
    "c.members AS recorded_ranks, count(o.operation) AS operations, "
    "count(o.finish_ns) AS with_end, count(*) FILTER (WHERE o.kernels > 0) AS with_kernels, "
    "count(o.kernel_start_ns) AS with_gpu_times, "
    "count(*) FILTER (WHERE o.proxy_ops > 0) AS with_network, "
    "count(*) FILTER (WHERE m.arrivals = m.expected) AS with_all_ranks, "
    "count(*) FILTER (WHERE m.comparable = 1) AS with_one_clock "
    "FROM communicators c LEFT JOIN operations o ON o.communicator = c.communicator "
    "AND o.assembled IS NULL LEFT JOIN matches m ON m.match = o.match GROUP BY ALL;"
    "CREATE MACRO latest_step() AS (SELECT max(step) FROM steps);";

void add_tables_of_views(std::set<std::string>* words) {
  if (words->count("ops") != 0)
    words->insert({"operations", "processes", "communicators", "matches", "arrivals"});
  if (words->count("steps") != 0 || words->count("latest_step") != 0)
    words->insert({"matches", "rank_steps"});
  if (words->count("capabilities") != 0) words->insert({"communicators", "operations", "matches"});
  if (words->count("kernel_phases") != 0) words->insert({"events", "communicators"});
}

}  // namespace lockstep::analysis
