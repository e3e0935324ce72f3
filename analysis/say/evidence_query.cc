#include "analysis/say/evidence_query.h"

#include <initializer_list>

namespace lockstep::analysis {
namespace {

// Empty where one of the rows is not known.
std::string rows_of(const std::string& table, const std::string& key,
                    std::initializer_list<uint32_t> rows) {
  std::string numbers;
  for (const uint32_t row : rows) {
    if (row == kNoRow) return "";
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(row);
  }
  const std::string equals = rows.size() == 1 ? " = " + numbers : " IN (" + numbers + ")";
  return "SELECT * FROM " + table + " WHERE " + key + equals;
}

std::string process_row(uint32_t process) { return rows_of("processes", "process", {process}); }
std::string operation_row(uint32_t operation) {
  return rows_of("operations", "operation", {operation});
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
  std::string operator()(const SlowColumn&) const { return ""; }

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
