// A run as tables: plain memory that load_run() (analysis/load/run.h) fills and any number of
// threads may then read. `events` and `proxy_steps` can be far larger than memory, so they are
// streamed per process to a DetailSink instead.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "analysis/tables/tables_account.h"
#include "analysis/tables/tables_process.h"

namespace lockstep::clocksync {
struct ClockModel;
}

namespace lockstep::analysis {

struct RunTables {
  StringPool strings;
  std::vector<ProcessRow> processes;
  std::vector<CommunicatorRow> communicators;
  std::vector<MemberRow> members;  // by communicator, then rank
  std::vector<OperationRow> operations;
  std::vector<ArrivalRow> arrivals;
  // In their place where only cells are wanted (LoadOptions::brief); what follows has links and waits alone then.
  std::vector<BriefOperation> brief;
  std::vector<BriefArrival> brief_arrivals;
  std::vector<MatchRow> matches;  // by start
  std::vector<ClockRow> clock;
  std::vector<LedgerRow> ledger;
  std::vector<OpenTransportRow> open_transports;
  std::vector<ChannelRow> channels;         // by process
  std::vector<ChannelEndRow> channel_ends;  // by operation
  std::vector<MarkedStepRow>
      rank_steps;                    // by process, then by time; empty where nobody marks steps
  std::vector<RangeRow> ranges;      // by process
  std::vector<CaptureRow> captures;  // by process
  // Empty until add_accounts() (analysis/account/accounts.h).
  std::vector<CriticalPathRow> critical_path;
  std::vector<PathGainRow> path_gains;
  int64_t after_set_up_ns = 0;  // the run without its set-up: what gains are shares of
  std::vector<ExpectedTimeRow> expected_times;
  std::vector<PeerTrafficRow> peer_traffic;
  std::vector<SettingRow> settings;  // by process
  // Empty until read_logs() (analysis/logs/read_logs.h): by time, and sentences about them.
  std::vector<LogRow> log_lines;
  std::vector<std::string> log_notes;
  // Empty until add_host_pressure() (analysis/hostload/host_pressure.h).
  std::vector<HostPressureRow> host_pressure;
  // What could not be read, in the reader's words: damaged chunks, a clock model that cannot be used.
  std::vector<std::string> notes;
  // Those of the notes that tell of a place that cannot be read.
  std::vector<std::string> damage;
  std::shared_ptr<const clocksync::ClockModel> clock_model;  // of the directory; may be none
  bool aligned = false;  // all hosts are on one clock (always true for a run on one host)

  const std::string& text(Text number) const { return strings.text(number); }
};

// The operations of a run, in full or brief: for what looks at either.
template <typename Row, typename Run>
auto& operations_of(Run& run) {
  if constexpr (std::is_same_v<Row, BriefOperation>)
    return run.brief;
  else
    return run.operations;
}

// Their arrivals.
template <typename Row>
using ArrivalOf = std::conditional_t<std::is_same_v<Row, BriefOperation>, BriefArrival, ArrivalRow>;
template <typename Row, typename Run>
auto& arrivals_of(Run& run) {
  if constexpr (std::is_same_v<Row, BriefOperation>)
    return run.brief_arrivals;
  else
    return run.arrivals;
}

// Receives the streamed rows of one process, in file order (roughly time order per thread).
class DetailSink {
 public:
  virtual ~DetailSink() = default;
  virtual void event(const EventRow& row) = 0;
  virtual void proxy_step(const ProxyStepRow& row) = 0;
  // A thread of the process, before its first row; again when it has another name.
  virtual void thread(uint32_t /*tid*/, const std::string& /*name*/) {}
};

}  // namespace lockstep::analysis
