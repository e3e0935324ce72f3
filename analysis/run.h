// A run directory as tables. load_run() reads every segment once, hosts' files in parallel, joins,
// matches and aligns; the result is plain memory that any number of threads may read. `events` and
// `proxy_steps` can be far larger than memory, so they are streamed per process instead:
// stream_process() may be called from several threads for different processes. Nothing here prints
// or exits; what could not be read is in RunTables::notes, one sentence each.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/tables_process.h"
#include "lockstep/status.h"

namespace lockstep::clocksync {
struct ClockModel;
}

namespace lockstep::analysis {

struct Blame;

enum class PartRows { All, NoOperations };  // NoOperations: enough for stream_process()

struct RunTables {
  StringPool strings;
  std::vector<ProcessRow> processes;
  std::vector<CommunicatorRow> communicators;
  std::vector<MemberRow> members;  // by communicator, then rank
  std::vector<OperationRow> operations;
  std::vector<ArrivalRow> arrivals;
  std::vector<MatchRow> matches;  // by start
  std::vector<ClockRow> clock;
  std::vector<LedgerRow> ledger;
  std::vector<OpenTransportRow> open_transports;
  std::vector<std::string>
      notes;  // for people: damaged chunks, missing ranks, times that cannot be compared
  std::shared_ptr<const clocksync::ClockModel> clock_model;  // of the directory; may be none
  std::shared_ptr<const Blame> blame;  // what the causes in the rows rest on (blame.h)
  bool aligned = false;  // all hosts are on one clock (always true for a run on one host)

  const std::string& text(Text number) const { return strings.text(number); }
};

struct LoadOptions {
  unsigned threads = 0;  // 0 = as many as the machine has
  bool use_clock_model = true;
  std::function<void(double)> progress;  // 0..1, called from one thread at a time; may be empty
  // Folder with all processes, already read and joined by share_of_processes() (node_share.h);
  // empty: they are read from the directory.
  std::string parts;
  PartRows part_rows = PartRows::All;
};

// The error names the directory and what is wrong with it. A run that is still being written loads
// as far as it is.
Result<std::unique_ptr<RunTables>> load_run(const std::string& directory,
                                            const LoadOptions& options);

// Receives the streamed rows of one process, in file order (roughly time order per thread).
class DetailSink {
 public:
  virtual ~DetailSink() = default;
  virtual void event(const EventRow& row) = 0;
  virtual void proxy_step(const ProxyStepRow& row) = 0;
};
// `run` must be what load_run() made of the same directory; `process` is a row of its `processes`.
// Texts of the rows are numbers of run.strings.
Status stream_process(const std::string& directory, const RunTables& run, uint32_t process,
                      DetailSink* sink);

}  // namespace lockstep::analysis
