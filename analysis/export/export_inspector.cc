// NCCL Inspector's JSON lines, one file per process under its own naming (<host>-pid<pid>.log), for
// tools that read those: the lines that the plugin would have written while the job ran
// (dumper/feeds/inspector_line.h), of every operation whose end is known.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "analysis/export/export_files.h"
#include "analysis/tables/wall_time.h"
#include "dumper/feeds/inspector_line.h"
#include "dumper/feeds/operation.h"
#include "lockstep/message_size.h"

namespace lockstep::analysis {
namespace {

// The Inspector's message size is the call's count times the type's size: one rank's share where
// size_bytes is the whole.
uint64_t message_share(const std::string& func, const OperationRow& row, uint32_t ranks) {
  return spans_ranks(func) ? row.size_bytes / ranks : row.size_bytes;
}

int64_t start_of(const OperationRow& row) {
  return row.enqueue_ns != kNoTime ? row.enqueue_ns : row.api_start_ns;
}

struct Timing {
  int64_t ns = 0;
  const char* source = "";
};
Timing timing_of(const OperationRow& row) {
  if (row.kernel_start_ns != kNoTime && row.kernel_stop_ns > row.kernel_start_ns)
    return {row.kernel_stop_ns - row.kernel_start_ns, "kernel_gpu"};
  if (row.kernel_seen_ns != kNoTime && row.finish_ns > row.kernel_seen_ns)
    return {row.finish_ns - row.kernel_seen_ns, "kernel_cpu"};
  const int64_t start_ns = start_of(row);
  return {start_ns == kNoTime ? 0 : std::max<int64_t>(row.finish_ns - start_ns, 0),
          "collective_cpu"};
}

// The lines of one process.
class Lines {
 public:
  Lines(const RunTables& run, const ProcessRow& process) : run_(run), process_(process) {}

  std::string of(const OperationRow& row, uint64_t number) const {
    return dumper::inspector_perf_line(context(communicator_of(row), row.rank, row.finish_ns),
                                       perf_of(row, number), {});
  }
  // `row`: any operation of the communicator.
  std::string dump_of(const OperationRow& row, const dumper::InspectorDump& dump) const {
    return dumper::inspector_dump_line(context(communicator_of(row), row.rank, process_.last_ns),
                                       dump);
  }

 private:
  dumper::InspectorContext context(const CommunicatorRow& communicator, int32_t rank,
                                   int64_t at_ns) const {
    dumper::InspectorContext context;
    context.comm_id = communicator.comm_id;
    if (communicator.name != 0) context.comm_name = run_.text(communicator.name);
    context.rank = rank;
    context.ranks = communicator.nranks;
    context.nodes = communicator.nnodes;
    context.timestamp_us = wall_us(at_ns);
    context.host = run_.text(process_.host);
    context.pid = process_.pid;
    return context;
  }
  dumper::InspectorPerf perf_of(const OperationRow& row, uint64_t number) const {
    const auto ranks = static_cast<uint32_t>(std::max(1, communicator_of(row).nranks));
    const Timing timing = timing_of(row);
    dumper::InspectorPerf perf;
    perf.p2p = row.kind == OpKind::PointToPoint;
    perf.func = run_.text(row.func);
    perf.algo = run_.text(row.algo);
    perf.proto = run_.text(row.proto);
    perf.number = number;
    perf.peer = row.peer;
    perf.message_bytes = message_share(run_.text(row.func), row, ranks);
    perf.exec_us = static_cast<uint64_t>(timing.ns / 1000);
    perf.timing_source = timing.source;
    const dumper::Bandwidth bandwidth =
        dumper::bandwidth_of(perf.func, perf.message_bytes, ranks, perf.exec_us);
    perf.algo_gbs = bandwidth.algo_gbs;
    perf.bus_gbs = bandwidth.bus_gbs;
    perf.event_id = row.event_id;
    perf.start_us = wall_us(start_of(row));
    perf.complete = row.state == OpState::Done;
    return perf;
  }
  uint64_t wall_us(int64_t at_ns) const {
    return at_ns == kNoTime ? 0 : static_cast<uint64_t>(wall_ns(process_, at_ns) / 1000);
  }
  // No ranks where it is not known.
  CommunicatorRow communicator_of(const OperationRow& row) const {
    return row.communicator < run_.communicators.size() ? run_.communicators[row.communicator]
                                                        : CommunicatorRow();
  }

  const RunTables& run_;
  const ProcessRow& process_;
};

// The Inspector has lines of these two events only.
bool is_told(const OperationRow& row) {
  return kind_of(row.event_id) == Kind::Coll || kind_of(row.event_id) == Kind::P2p;
}

// The n-th send or receive of its communicator in this process, from 1, as the live lines count.
std::unordered_map<uint32_t, uint64_t> numbers_of_p2p(const RunTables& run,
                                                      const std::vector<uint32_t>& rows) {
  std::vector<uint32_t> sends;
  for (const uint32_t row : rows) {
    if (run.operations[row].kind == OpKind::PointToPoint) sends.push_back(row);
  }
  std::sort(sends.begin(), sends.end(), [&run](uint32_t a, uint32_t b) {
    const OperationRow &x = run.operations[a], &y = run.operations[b];
    return std::make_pair(x.enqueue_ns, x.event_id) < std::make_pair(y.enqueue_ns, y.event_id);
  });
  std::unordered_map<uint32_t, uint64_t> numbers, next;
  for (const uint32_t row : sends) numbers[row] = ++next[run.operations[row].communicator];
  return numbers;
}

struct Counts {
  uint64_t written = 0, unfinished = 0, not_told = 0;
};

// As the live lines: of each communicator first what there is of it, then its operations.
Counts write_lines(const RunTables& run, uint32_t process, const std::vector<uint32_t>& rows,
                   ExportFile* file) {
  Counts counts;
  std::map<uint32_t, std::vector<uint32_t>> by_communicator;
  for (const uint32_t row : rows) {
    const OperationRow& operation = run.operations[row];
    if (operation.kind == OpKind::Assembled) continue;  // its sends and receives are there
    if (!is_told(operation)) {
      ++counts.not_told;
      continue;
    }
    if (operation.finish_ns == kNoTime) {
      ++counts.unfinished;
      continue;
    }
    by_communicator[operation.communicator].push_back(row);
  }
  const auto numbers = numbers_of_p2p(run, rows);
  const Lines lines(run, run.processes[process]);
  for (const auto& [communicator, own] : by_communicator) {
    dumper::InspectorDump dump;
    for (const uint32_t row : own) {
      const bool p2p = run.operations[row].kind == OpKind::PointToPoint;
      ++(p2p ? dump.p2p : dump.coll).records;
    }
    file->write(lines.dump_of(run.operations[own.front()], dump));
    file->write("\n");
    for (const uint32_t row : own) {
      const OperationRow& operation = run.operations[row];
      const auto p2p = numbers.find(row);
      const uint64_t number =
          p2p != numbers.end() ? p2p->second : static_cast<uint64_t>(operation.seq_number);
      file->write(lines.of(operation, number));
      file->write("\n");
      ++counts.written;
    }
  }
  return counts;
}

}  // namespace

Status export_inspector(const ExportInput& input, const ExportOptions& options,
                        ExportSummary* summary) {
  const RunTables& run = *input.run;
  uint64_t written = 0, unfinished = 0, not_told = 0;
  ProcessFiles files;
  files.mark = "NCCL Inspector JSON lines, written by lockstep\n";
  files.name = "%h-pid%p.log";
  files.write = [&](uint32_t process, const std::vector<uint32_t>& rows, ExportFile* file) {
    const Counts counts = write_lines(run, process, rows, file);
    written += counts.written;
    unfinished += counts.unfinished;
    not_told += counts.not_told;
  };
  Status done = write_process_files(run, options, files);
  summary->add("operations", written);
  summary->leave_out("operations of which no end is known, which the format cannot hold",
                     unfinished);
  summary->leave_out("operations without a Coll or P2p event, which the format does not know",
                     not_told);
  return done;
}

}  // namespace lockstep::analysis
