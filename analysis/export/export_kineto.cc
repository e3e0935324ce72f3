// What PyTorch's profiler (Kineto) would have written of the same operations, one file per rank, so
// that HTA, TraceLens and the like can read it: per operation the record_param_comms call on the
// CPU, the kernel launch and the kernel, joined by correlation, with Kineto's argument names; the
// training steps as ProfilerStep annotations.
// Kernels are timed by GPU stamps where there are any, else from the proxy's view; an operation
// without either has only its CPU events. Times are microseconds after baseTimeNanoseconds, which is
// the same in all files and the one that Kineto takes itself, so that files can be compared and
// merged, also with PyTorch's own.
#include <algorithm>
#include <numeric>

#include "analysis/export/all_to_all_v.h"
#include "analysis/export/export_files.h"
#include "analysis/export/lanes.h"
#include "analysis/export/profiler_steps.h"
#include "analysis/export/torch_names.h"
#include "analysis/export/wall_clock.h"
#include "analysis/tables/wall_time.h"
#include "base/json.h"

namespace lockstep::analysis {
namespace {

// Kineto's time zero: wall clock time rounded down to a multiple of this, some three months, within
// which a double holds microseconds to the nanosecond.
constexpr int64_t kBaseNs = int64_t{7889238} * 1000000000;

constexpr uint32_t kFirstStream = 7;  // of PyTorch's own

struct Interval {
  int64_t start_ns = kNoTime, stop_ns = kNoTime;
  bool known() const { return start_ns != kNoTime && stop_ns != kNoTime && stop_ns >= start_ns; }
};

Interval call_of(const OperationRow& row) {
  const int64_t start_ns = row.api_start_ns != kNoTime ? row.api_start_ns : row.enqueue_ns;
  const int64_t stop_ns = row.api_stop_ns != kNoTime ? row.api_stop_ns : row.enqueue_ns;
  return {start_ns, stop_ns == kNoTime ? start_ns : std::max(start_ns, stop_ns)};
}

Interval kernel_of(const OperationRow& row) {
  const Interval gpu{row.kernel_start_ns, row.over_ns()};
  if (gpu.known()) return gpu;
  for (const int64_t start_ns : {row.kernel_seen_ns, row.proxy_start_ns, row.enqueue_ns}) {
    const Interval seen{start_ns, row.finish_ns};
    if (seen.known()) return seen;
  }
  return {};
}

class KinetoFile : JsonFields {
 public:
  KinetoFile(const RunTables& run, const std::vector<TorchGroup>& groups, const WallClock& clock,
             const ProcessRow& process, ExportFile* file)
      : run_(run),
        groups_(groups),
        clock_(clock),
        process_(process),
        file_(file),
        base_ns_(clock.first_ns() / kBaseNs * kBaseNs) {}

  void begin() {
    writer().StartObject();
    number("schemaVersion", 1);
    object("distributedInfo", [this] {
      string("backend", "nccl");
      raw("rank", " " + std::to_string(process_.rank));  // HTA finds the rank by this blank
      number("world_size", world_size());
      number("pg_count", groups_.size());
      list("pg_config", groups_, [this](const TorchGroup& group) { configuration(group); });
    });
    string("displayTimeUnit", "ms");
    number("baseTimeNanoseconds", base_ns_);
    string("traceName", "lockstep");
    writer().Key("traceEvents");
    writer().StartArray();
    metadata("process_name", process_.pid, "python");
    metadata("process_labels", process_.pid, "CPU");
    metadata("process_name", device(), "python");
    metadata("process_labels", device(), "GPU " + std::to_string(device()));
    flush();
  }

  void step(const ProfilerStep& step) {
    event("user_annotation", "ProfilerStep#" + std::to_string(step.number),
          {step.start_ns, step.stop_ns}, process_.pid, step.tid);
    writer().EndObject();
    flush();
  }

  // Gives whether it has a kernel. `splits`: of an all-to-all whose parts differ, else null.
  bool operation(const OperationRow& row, int64_t correlation, const Splits* splits) {
    const Interval call = call_of(row);
    // The sends and receives of an all-to-all run as its one kernel.
    const Interval kernel = row.assembled == kNoRow ? kernel_of(row) : Interval();
    if (call.known()) {
      event("cpu_op", "record_param_comms", call, process_.pid, row.tid);
      object("args", [&] { collective(row, correlation, splits); });
      writer().EndObject();
      event("cuda_runtime", "cudaLaunchKernelExC", call, process_.pid, row.tid);
      link(correlation);
    }
    if (kernel.known()) {
      const int64_t stream = stream_of(row, kernel);
      event("kernel", kernel_name(row), kernel, device(), stream);
      object("args", [&] {
        number("correlation", correlation);
        number("device", device());
        number("stream", stream);
        collective(row, correlation, splits);
      });
      writer().EndObject();
    }
    flush();
    return kernel.known();
  }

  void end() {
    writer().EndArray();
    writer().EndObject();
    flush();
  }

 private:
  void configuration(const TorchGroup& group) {
    object([&] {
      string("pg_name", group.name);
      string("pg_desc", group.description);
      string("backend_config", "cuda:nccl");
      number("pg_size", group.size);
      raw("ranks", group.ranks);
    });
  }
  int32_t world_size() const {
    int32_t most = 0;
    for (const TorchGroup& group : groups_) most = std::max(most, group.size);
    return most;
  }
  // The device of a rank is not recorded; its rank keeps devices apart.
  int64_t device() const { return std::max(process_.rank, 0); }

  // Small numbers, as viewers want them. What overlaps on one stream, as the sends and receives of a
  // group do, gets a number of its own: readers drop slices that overlap.
  int64_t stream_of(const OperationRow& row, Interval kernel) {
    return streams_.place(row.stream, kernel.start_ns, kernel.stop_ns).track;
  }

  std::string kernel_name(const OperationRow& row) const {
    const bool p2p = row.kind == OpKind::PointToPoint || row.kind == OpKind::Assembled;
    std::string name = "ncclDevKernel_" + (p2p ? "SendRecv" : run_.text(row.func));
    if (row.algo != 0) name += "_" + run_.text(row.algo);
    if (row.proto != 0) name += "_" + run_.text(row.proto);
    return name + "(ncclDevKernelArgsStorage<4096ul>)";
  }

  void event(const char* category, const std::string& name, Interval interval, int64_t pid,
             int64_t tid) {
    writer().StartObject();
    string("ph", "X");
    string("cat", category);
    string("name", name);
    number("pid", pid);
    number("tid", tid);
    microseconds("ts", clock_.ns(process_, interval.start_ns) - base_ns_);
    microseconds("dur", interval.stop_ns - interval.start_ns);
  }
  void link(int64_t correlation) {
    object("args", [&] {
      number("External id", correlation);
      number("correlation", correlation);
    });
    writer().EndObject();
  }
  void collective(const OperationRow& row, int64_t external_id, const Splits* splits) {
    ElementCounts elements = element_counts(run_, row);
    if (splits != nullptr) elements = {total(splits->in), total(splits->out)};
    number("External id", external_id);
    string("Collective name",
           splits == nullptr ? kineto_collective(run_.text(row.func)) : "all_to_allv");
    number("In msg nelems", elements.in);
    number("Out msg nelems", elements.out);
    string("dtype", torch_dtype(run_.text(row.datatype)));
    string("In split size", splits == nullptr ? "[]" : torch_list(splits->in));
    string("Out split size", splits == nullptr ? "[]" : torch_list(splits->out));
    if (row.communicator < groups_.size()) group_arguments(groups_[row.communicator]);
    number("Rank", row.kind == OpKind::PointToPoint ? row.peer : row.rank);
    if (row.position != kNoRow) number("Seq", int64_t{row.position} + 1);
  }
  static uint64_t total(const std::vector<uint64_t>& elements) {
    return std::accumulate(elements.begin(), elements.end(), uint64_t{0});
  }
  void group_arguments(const TorchGroup& group) {
    number("Group size", group.size);
    string("Process Group Name", group.name);
    string("Process Group Description", group.description);
    string("Process Group Ranks", group.some_ranks);
  }
  void metadata(const char* what, int64_t pid, const std::string& value) {
    object([&] {
      string("ph", "M");
      string("name", what);
      number("pid", pid);
      number("tid", 0);
      number("ts", 0);
      object("args",
             [&] { string(std::string(what) == "process_name" ? "name" : "labels", value); });
    });
  }
  void microseconds(const char* key, int64_t ns) { raw(key, microseconds_text(ns)); }
  void flush() {
    file_->write(text());
    file_->write("\n");  // HTA reads the first lines only
    drop();
  }

  const RunTables& run_;
  const std::vector<TorchGroup>& groups_;
  const WallClock& clock_;
  const ProcessRow& process_;
  ExportFile* file_;
  int64_t base_ns_;
  Lanes<uint64_t> streams_{kFirstStream};
};

}  // namespace

Status export_kineto(const ExportInput& input, const ExportOptions& options,
                     ExportSummary* summary) {
  const RunTables& run = *input.run;
  const std::vector<TorchGroup> groups = torch_groups(run);
  const WallClock clock(run);
  const AllToAllV all_to_all_v(run);
  uint64_t kernels = 0;
  ProcessFiles files;
  files.mark = "PyTorch profiler traces of NCCL, written by lockstep\n";
  files.name = "rank%r.json";
  files.write = [&](uint32_t process, const std::vector<uint32_t>& rows, ExportFile* file) {
    KinetoFile kineto(run, groups, clock, run.processes[process], file);
    kineto.begin();
    for (const ProfilerStep& step : profiler_steps(run, process, rows)) kineto.step(step);
    const auto splits = all_to_all_v.splits_of(rows);
    for (size_t k = 0; k < rows.size(); ++k) {
      const auto uneven = splits.find(rows[k]);
      kernels += kineto.operation(run.operations[rows[k]], static_cast<int64_t>(k) + 1,
                                  uneven == splits.end() ? nullptr : &uneven->second);
    }
    kineto.end();
  };
  Status written = write_process_files(run, options, files);
  summary->add("operations", run.operations.size());
  summary->add("kernels", kernels);
  return written;
}

}  // namespace lockstep::analysis
