// NCCL Inspector's JSON lines (format "v4.0"), one file per process under its own naming
// (<host>-pid<pid>.log), for tools that read those. Differences, all towards more: ids keep their
// last two digits, times are known in nanoseconds before they are cut to microseconds, operations
// below 8 KiB are written too. The Inspector has no line for an operation that did not end.
#include <algorithm>
#include <cstdio>

#include "analysis/export/export_files.h"
#include "analysis/tables/labels.h"
#include "analysis/tables/wall_time.h"
#include "base/json.h"
#include "lockstep/message_size.h"
#include "lockstep/version.h"

namespace lockstep::analysis {
namespace {

// The Inspector's message size is the call's count times the type's size: one rank's share where
// size_bytes is the whole.
uint64_t message_share(const std::string& func, const OperationRow& row, uint32_t ranks) {
  return spans_ranks(func) ? row.size_bytes / ranks : row.size_bytes;
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
  const int64_t start_ns = row.enqueue_ns != kNoTime ? row.enqueue_ns : row.api_start_ns;
  return {start_ns == kNoTime ? 0 : std::max<int64_t>(row.finish_ns - start_ns, 0),
          "collective_cpu"};
}

class Line : JsonFields {
 public:
  Line(const RunTables& run, const ProcessRow& process) : run_(run), process_(process) {}

  // Valid until the next call.
  std::string_view of(const OperationRow& row) {
    reset();
    object([&] {
      header(row);
      metadata(row);
      performance(row);
    });
    return text();
  }

 private:
  void header(const OperationRow& row) {
    const CommunicatorRow communicator = communicator_of(row);
    object("header", [&] {
      string("id", hex_text(communicator.comm_id));
      string("comm_name", communicator.name != 0 ? run_.text(communicator.name) : "unknown");
      number("rank", row.rank);
      number("n_ranks", communicator.nranks);
      number("nnodes", communicator.nnodes);
    });
  }
  void metadata(const OperationRow& row) {
    object("metadata", [&] {
      string("inspector_output_format_version", "v4.0");
      string("git_rev", std::string("lockstep-") + kVersion);
      string("rec_mechanism", "nccl_profiler_interface");
      number("dump_timestamp_us", wall_ns(process_, row.finish_ns) / 1000);
      string("hostname", run_.text(process_.host));
      number("pid", process_.pid);
    });
  }
  void performance(const OperationRow& row) {
    const bool p2p = row.kind == OpKind::PointToPoint;
    const std::string prefix = p2p ? "p2p" : "coll";
    const std::string& func = run_.text(row.func);
    const auto ranks = static_cast<uint32_t>(std::max(1, communicator_of(row).nranks));
    const Timing timing = timing_of(row);
    const double algbw =
        timing.ns > 0 ? static_cast<double>(row.size_bytes) / static_cast<double>(timing.ns) : 0;
    object(prefix + "_perf", [&] {
      string(prefix, func);
      number(prefix + "_sn", row.ordinal);
      if (p2p) number("p2p_peer", row.peer);
      number(prefix + "_msg_size_bytes", message_share(func, row, ranks));
      number(prefix + "_exec_time_us", timing.ns / 1000);
      string(prefix + "_timing_source", timing.source);
      decimal(prefix + "_algobw_gbs", algbw);
      decimal(prefix + "_busbw_gbs", algbw * busbw_factor(func, ranks));
    });
  }
  // No ranks where it is not known.
  CommunicatorRow communicator_of(const OperationRow& row) const {
    return row.communicator < run_.communicators.size() ? run_.communicators[row.communicator]
                                                        : CommunicatorRow();
  }
  void decimal(const std::string& key, double value) {  // always six decimals, as the Inspector's
    char digits[64];
    std::snprintf(digits, sizeof(digits), "%f", value);
    raw(key, digits);
  }

  const RunTables& run_;
  const ProcessRow& process_;
};

}  // namespace

Status export_inspector(const ExportInput& input, const ExportOptions& options,
                        ExportSummary* summary) {
  const RunTables& run = *input.run;
  uint64_t written = 0, unfinished = 0;
  ProcessFiles files;
  files.mark = "NCCL Inspector JSON lines, written by lockstep\n";
  files.name = [&](uint32_t process) {
    const ProcessRow& row = run.processes[process];
    return run.text(row.host) + "-pid" + std::to_string(row.pid) + ".log";
  };
  files.write = [&](uint32_t process, const std::vector<uint32_t>& rows, OutputFile* file) {
    Line line(run, run.processes[process]);
    for (const uint32_t row : rows) {
      const OperationRow& operation = run.operations[row];
      if (operation.finish_ns == kNoTime) {
        ++unfinished;
        continue;
      }
      file->write(line.of(operation));
      file->write("\n");
      ++written;
    }
  };
  Status done = write_process_files(run, options, files);
  summary->add("operations", written);
  summary->leave_out("operations of which no end is known, which the format cannot hold",
                     unfinished);
  return done;
}

}  // namespace lockstep::analysis
