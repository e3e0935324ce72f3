#include "analysis/say/evidence_query.h"

namespace lockstep::analysis {
namespace {

// Empty where one of the rows is not known, or there is none.
std::string rows_of(const std::string& table, const std::string& key,
                    const std::vector<uint32_t>& rows) {
  std::string numbers;
  for (const uint32_t row : rows) {
    if (row == kNoRow) return "";
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(row);
  }
  if (rows.empty()) return "";
  const std::string equals = rows.size() == 1 ? " = " + numbers : " IN (" + numbers + ")";
  return "SELECT * FROM " + table + " WHERE " + key + equals;
}

std::string process_row(uint32_t process) { return rows_of("processes", "process", {process}); }
std::string operation_row(uint32_t operation) {
  return rows_of("operations", "operation", {operation});
}

// Of the host that a process runs on; empty where it is not known.
std::string rows_of_host(const std::string& table, uint32_t process) {
  if (process == kNoRow) return "";
  return "SELECT * FROM " + table +
         " WHERE host = (SELECT host FROM processes WHERE process = " + std::to_string(process) +
         ")";
}

class Query {
 public:
  Query(const RunTables& run, uint32_t communicator) : run_(run), communicator_(communicator) {}

  std::string operator()(const DeathSeen& seen) const { return process_row(seen.process); }
  std::string operator()(const SilenceSeen& seen) const { return process_row(seen.process); }
  std::string operator()(const HaltSeen& seen) const { return process_row(seen.process); }
  std::string operator()(const RasSeen& seen) const { return process_row(seen.process); }
  std::string operator()(const KilledWhileWaiting& seen) const {
    if (communicator_ == kNoRow || seen.ranks.empty()) return "";
    std::string ranks;
    for (const int32_t rank : seen.ranks)
      ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
    return "SELECT members.rank, processes.* FROM members JOIN processes USING (process) WHERE "
           "members.communicator = " +
           std::to_string(communicator_) + " AND members.rank IN (" + ranks + ")";
  }
  std::string operator()(const OtherCall& seen) const {
    return rows_of("operations", "operation", {seen.operation, seen.expected});
  }
  std::string operator()(const ValuesPassed& seen) const { return operation_row(seen.operation); }
  std::string operator()(const UsualCall&) const { return ""; }
  // A row that is not there shows by those before it.
  std::string operator()(const NeverCalled& seen) const {
    if (communicator_ == kNoRow) return "";
    return "SELECT * FROM operations WHERE communicator = " + std::to_string(communicator_) +
           " AND rank = " + std::to_string(seen.rank) + " ORDER BY operation DESC LIMIT 10";
  }
  std::string operator()(const EarlyFinalize&) const {
    const std::string members = rows_of("members", "communicator", {communicator_});
    return members.empty() ? "" : members + " ORDER BY finalize_ns";
  }
  std::string operator()(const OpenTransport& seen) const {
    if (seen.row >= run_.open_transports.size()) return "";
    const OpenTransportRow& row = run_.open_transports[seen.row];
    const std::string all = rows_of("open_transports", "operation", {row.operation});
    return all.empty() ? ""
                       : all + " AND channel = " + std::to_string(row.channel) +
                             " AND is_send = " + std::to_string(row.is_send) +
                             " AND peer = " + std::to_string(row.peer);
  }
  std::string operator()(const LastProgress& seen) const { return operation_row(seen.operation); }
  // With who arrived when.
  std::string operator()(const LateArrival& seen) const {
    const std::string row =
        rows_of("matches JOIN arrivals USING (match)", "match", {seen.late.match});
    return row.empty() ? "" : row + " ORDER BY arrival_ns";
  }
  std::string operator()(const LateElsewhere& seen) const {
    return rows_of("communicators", "communicator", {seen.rank.communicator});
  }
  std::string operator()(const SlowColumn& seen) const {
    if (seen.operation == kNoRow) return "";
    if (seen.name == SlowColumn::Name::Flush)
      return "SELECT rank, quantile_cont(flush_ns, 0.25) AS flush_ns, count(*) AS operations FROM "
             "(SELECT rank, operation_id, avg(flush_ns) AS flush_ns FROM proxy_steps WHERE "
             "communicator = (SELECT communicator FROM operations WHERE operation = " +
             std::to_string(seen.operation) +
             ") AND is_send = 0 GROUP BY rank, operation_id) GROUP BY rank ORDER BY rank";
    const char* const columns[] = {
        "quantile_cont(network_ns, 0.25) AS network_ns",
        "quantile_cont(proxy_lag_ns, 0.25) AS proxy_lag_ns",
        "median(gpu_wait_ns + receive_wait_ns + peer_wait_ns + network_ns) AS waits_ns"};
    return "SELECT rank, " + std::string(columns[static_cast<unsigned>(seen.name)]) +
           ", count(*) AS operations FROM operations WHERE (communicator, func) = (SELECT "
           "(communicator, func) FROM operations WHERE operation = " +
           std::to_string(seen.operation) + ") AND proxy_ops > 0 GROUP BY rank ORDER BY rank";
  }
  std::string operator()(const SlowOperation& seen) const { return operation_row(seen.operation); }
  // All of this function and size, the slowest first.
  std::string operator()(const TransfersSeen& seen) const {
    if (seen.match == kNoRow) return "";
    return "SELECT * FROM matches WHERE (communicator, func, size_bytes) = (SELECT (communicator, "
           "func, size_bytes) FROM matches WHERE match = " +
           std::to_string(seen.match) + ") ORDER BY transfer_ns DESC";
  }
  // With when its ranks were done.
  std::string operator()(const TransferSeen& seen) const {
    const std::string row = rows_of("matches JOIN arrivals USING (match)", "match", {seen.match});
    return row.empty() ? "" : row + " ORDER BY arrivals.finish_ns";
  }
  // The kind's rows, one for each algorithm and protocol.
  std::string operator()(const KindSlower& seen) const {
    if (seen.kind.match == kNoRow) return "";
    return "SELECT * FROM expected_times WHERE (communicator, func, size_bytes) = (SELECT "
           "(communicator, func, size_bytes) FROM matches WHERE match = " +
           std::to_string(seen.kind.match) + ")";
  }
  std::string operator()(const HostCrowded& seen) const {
    const std::string rows = rows_of_host("host_load", seen.process);
    return rows.empty() ? "" : rows + " AND cgroup IS NULL ORDER BY at_ns";
  }
  std::string operator()(const QuotaUsedUp& seen) const {
    const std::string rows = rows_of_host("host_load", seen.process);
    return rows.empty() ? "" : rows + " AND throttled_ns > 0 ORDER BY at_ns";
  }
  // The threads' longest waits.
  std::string operator()(const ProcessorWaited& seen) const {
    const std::string rows = rows_of("thread_load", "process", seen.processes);
    return rows.empty() ? "" : rows + " AND wait_ns > 0 ORDER BY wait_ns DESC LIMIT 100";
  }
  std::string operator()(const SentAgain&) const {
    return "SELECT host, counter, sum(change) AS segments FROM nic_counters WHERE device = 'tcp' "
           "AND counter IN ('out_segments', 'retransmitted_segments') GROUP BY ALL ORDER BY "
           "counter, segments DESC";
  }
  std::string operator()(const SentAgainWhile& seen) const {
    const std::string rows = rows_of_host("nic_counters", seen.process);
    return rows.empty()
               ? ""
               : rows + " AND device = 'tcp' AND at_ns BETWEEN " + std::to_string(seen.from_ns) +
                     " AND " + std::to_string(seen.to_ns) + " ORDER BY at_ns";
  }

 private:
  const RunTables& run_;
  const uint32_t communicator_;
};

}  // namespace

std::vector<std::string> evidence_queries(const RunTables& run, const Finding& finding) {
  std::vector<std::string> queries;
  for (const Evidence& evidence : finding.evidence)
    queries.push_back(std::visit(Query(run, finding.communicator), evidence));
  return queries;
}

}  // namespace lockstep::analysis
