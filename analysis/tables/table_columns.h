// The columns of every table as SQL, CSV and Parquet show them: name, type and how to read it from
// a row. One list for all three, so they cannot differ; docs/schema.md says what each means. Every
// table begins with its own row number under the name by which other tables refer to it, so that
// tables join by equal names (`JOIN processes USING (process)`). Units are in the names (_ns,
// _bytes, _gbs). Reading is const and may be done by any thread.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

enum class ColumnType : uint8_t { BigInt, UBigInt, Integer, Double, Varchar };
constexpr const char* kColumnTypeNames[] = {"BIGINT", "UBIGINT", "INTEGER", "DOUBLE", "VARCHAR"};

struct Value {
  bool known = false;     // false = NULL
  int64_t number = 0;     // BigInt, Integer; UBigInt by its bits
  double real = 0;        // Double
  std::string_view text;  // Varchar; lives as long as the run
};

template <class Row>
struct Column {
  const char* name;
  ColumnType type;
  Value (*get)(const RunTables& run, const Row& row, uint64_t number);
};
template <class Row>
const std::vector<Column<Row>>& columns_of();

template <>
const std::vector<Column<ProcessRow>>& columns_of<ProcessRow>();
template <>
const std::vector<Column<CommunicatorRow>>& columns_of<CommunicatorRow>();
template <>
const std::vector<Column<MemberRow>>& columns_of<MemberRow>();
template <>
const std::vector<Column<OperationRow>>& columns_of<OperationRow>();
template <>
const std::vector<Column<ArrivalRow>>& columns_of<ArrivalRow>();
template <>
const std::vector<Column<MatchRow>>& columns_of<MatchRow>();
template <>
const std::vector<Column<ClockRow>>& columns_of<ClockRow>();
template <>
const std::vector<Column<LedgerRow>>& columns_of<LedgerRow>();
template <>
const std::vector<Column<OpenTransportRow>>& columns_of<OpenTransportRow>();
template <>
const std::vector<Column<ChannelRow>>& columns_of<ChannelRow>();
template <>
const std::vector<Column<MarkedStepRow>>& columns_of<MarkedStepRow>();
template <>
const std::vector<Column<RangeRow>>& columns_of<RangeRow>();
template <>
const std::vector<Column<CaptureRow>>& columns_of<CaptureRow>();
template <>
const std::vector<Column<CriticalPathRow>>& columns_of<CriticalPathRow>();
template <>
const std::vector<Column<PathGainRow>>& columns_of<PathGainRow>();
template <>
const std::vector<Column<ExpectedTimeRow>>& columns_of<ExpectedTimeRow>();
template <>
const std::vector<Column<PeerTrafficRow>>& columns_of<PeerTrafficRow>();
template <>
const std::vector<Column<EventRow>>& columns_of<EventRow>();
template <>
const std::vector<Column<ProxyStepRow>>& columns_of<ProxyStepRow>();

constexpr const char* kEventsTable = "events";
constexpr const char* kProxyStepsTable = "proxy_steps";
// Those that add_accounts() fills.
constexpr const char* kAccountTables[] = {"critical_path", "path_gains", "expected_times",
                                          "peer_traffic"};

// Calls visit(name, rows) for every table that is held in memory.
template <class Visit>
void for_each_table(const RunTables& run, Visit visit) {
  visit("processes", run.processes);
  visit("communicators", run.communicators);
  visit("members", run.members);
  visit("operations", run.operations);
  visit("arrivals", run.arrivals);
  visit("matches", run.matches);
  visit("clock", run.clock);
  visit("ledger", run.ledger);
  visit("open_transports", run.open_transports);
  visit("channels", run.channels);
  visit("rank_steps", run.rank_steps);
  visit("ranges", run.ranges);
  visit("captures", run.captures);
  visit(kAccountTables[0], run.critical_path);
  visit(kAccountTables[1], run.path_gains);
  visit(kAccountTables[2], run.expected_times);
  visit(kAccountTables[3], run.peer_traffic);
}

}  // namespace lockstep::analysis
