// PyTorch's NCCL flight recorder dump as JSON (version 2.7), one file per rank
// (nccl_trace_rank_<rank>.json): what its analyzers need to find a rank that never came. An
// operation that has not ended is "scheduled", as PyTorch says of it unless it also times
// operations: NVIDIA's resiliency analyzer looks at these alone. The sends and receives of one NCCL
// group are one coalesced group of PyTorch's: one p2p_seq_id, closed by an entry of its own.
// PyTorch's own reader wants the same dictionary pickled; docs/export.md has the line that does it.
#include <algorithm>
#include <map>

#include "analysis/export/export_files.h"
#include "analysis/export/torch_names.h"
#include "analysis/export/wall_clock.h"
#include "base/json.h"

namespace lockstep::analysis {
namespace {

enum class Progress { Scheduled, Started, Completed };

// `later_done`: a later operation of the same communicator and rank ended, so this one did too.
Progress progress_of(const OperationRow& row, bool later_done) {
  const bool ended = row.finish_ns != kNoTime || row.state == OpState::Done ||
                     row.state == OpState::Incomplete ||
                     (row.state == OpState::Enqueued && later_done);
  if (ended) return Progress::Completed;
  const bool began = row.kernel_start_ns != kNoTime || row.kernel_seen_ns != kNoTime ||
                     row.proxy_start_ns != kNoTime;
  return began ? Progress::Started : Progress::Scheduled;
}

struct GroupState {  // of one process group while its entries are written
  int64_t collectives = 0, p2p_groups = 0, operations = 0;
  int64_t enqueued = -1, started = -1, completed = -1;
};

struct Coalesced {  // sends and receives of one NCCL group on one communicator
  OperationRow last;
  Progress progress = Progress::Completed;  // of the one that got least far
};

class Dump : JsonFields {
 public:
  Dump(const RunTables& run, const std::vector<TorchGroup>& groups, const WallClock& clock,
       const ProcessRow& process, ExportFile* file)
      : run_(run), groups_(groups), clock_(clock), process_(process), file_(file) {}

  void begin() {
    writer().StartObject();
    string("version", "2.7");
    string("nccl_version", nccl_version());
    object("pg_config", [this] {
      for (const TorchGroup& group : groups_) {
        object(group.name, [&] {
          string("name", group.name);
          string("desc", group.description);
          string("ranks", group.ranks);
        });
      }
    });
    writer().Key("entries");
    writer().StartArray();
  }

  void entry(const OperationRow& row, Progress progress) {
    close_groups_but(row.group_id);
    GroupState& state = states_[row.communicator];
    if (row.kind == OpKind::PointToPoint) {
      coalesce(&state, row, progress);
    } else {
      count(&state, progress);
    }
    begin_entry(row, profiling_name(row), progress);
    tensors(row);
    times(row, progress);
    end_entry();
  }

  void end() {
    close_groups_but(kNoGroup);
    writer().EndArray();
    object("pg_status", [this] {
      for (const auto& [communicator, state] : states_) status(communicator, state);
    });
    writer().EndObject();
    flush();
    file_->write("\n");
  }

 private:
  static constexpr uint64_t kNoGroup = 0;  // as OperationRow::group_id

  static void count(GroupState* state, Progress progress) {
    state->enqueued = ++state->collectives;
    if (progress != Progress::Scheduled) state->started = state->collectives;
    if (progress == Progress::Completed) state->completed = state->collectives;
  }

  void coalesce(GroupState* state, const OperationRow& row, Progress progress) {
    const auto [open, is_new] = coalesced_.try_emplace(row.communicator);
    if (is_new) ++state->p2p_groups;
    open->second.last = row;
    open->second.progress = std::min(open->second.progress, progress);
  }
  // An operation whose group is not known has one of its own.
  void close_groups_but(uint64_t group_id) {
    for (auto open = coalesced_.begin(); open != coalesced_.end();) {
      const Coalesced& group = open->second;
      if (group_id != kNoGroup && group.last.group_id == group_id) {
        ++open;
        continue;
      }
      begin_entry(group.last, "nccl:coalesced", group.progress);
      for (const char* list : {"input_sizes", "input_dtypes", "output_sizes", "output_dtypes"})
        strings(list, {});
      times(group.last, group.progress);
      end_entry();
      open = coalesced_.erase(open);
    }
  }

  void begin_entry(const OperationRow& row, const std::string& name, Progress progress) {
    GroupState& state = states_[row.communicator];
    writer().StartObject();
    number("record_id", record_++);
    number("pg_id", row.communicator);
    const TorchGroup& group = groups_[row.communicator];
    strings("process_group", {group.name, group.description});
    number("collective_seq_id", state.collectives);
    number("p2p_seq_id", state.p2p_groups);
    number("op_id", ++state.operations);
    string("profiling_name", name);
    string("state", progress == Progress::Completed ? "completed" : "scheduled");
    number("timeout_ms", 0);
    boolean("retired", progress == Progress::Completed);
    boolean("is_p2p", row.kind == OpKind::PointToPoint);
    string("thread_id", std::to_string(row.tid));
    string("thread_name", "");
  }
  void end_entry() {
    writer().EndObject();
    flush();
  }

  void status(uint32_t communicator, const GroupState& state) {
    object(std::to_string(communicator), [&] {
      number("last_enqueued_collective", state.enqueued);
      number("last_started_collective", state.started);
      number("last_completed_collective", state.completed);
    });
  }

  std::string nccl_version() const {
    const unsigned code = process_.nccl_version;  // 23102 is 2.31.2
    if (code == 0) return "unknown";
    return std::to_string(code / 10000) + "." + std::to_string(code / 100 % 100) + "." +
           std::to_string(code % 100);
  }

  std::string profiling_name(const OperationRow& row) const {
    const std::string func = recorder_collective(run_.text(row.func));
    const std::string rank = std::to_string(row.rank), peer = std::to_string(row.peer);
    if (func == "send") return "nccl:send " + rank + "->" + peer;
    if (func == "recv") return "nccl:recv " + rank + "<-" + peer;
    return "nccl:" + func;
  }

  void tensors(const OperationRow& row) {
    const ElementCounts elements = element_counts(run_, row);
    const bool p2p = row.kind == OpKind::PointToPoint;
    tensor("input", p2p ? row.count : elements.in, row);
    tensor("output", p2p ? row.count : elements.out, row);
  }
  void tensor(const std::string& which, uint64_t elements, const OperationRow& row) {
    raw(which + "_sizes", "[[" + std::to_string(elements) + "]]");
    strings(which + "_dtypes", {torch_dtype(run_.text(row.datatype))});
  }

  void times(const OperationRow& row, Progress progress) {
    const auto first_known = [](std::initializer_list<int64_t> times) {
      for (const int64_t ns : times) {
        if (ns != kNoTime) return ns;
      }
      return kNoTime;
    };
    const int64_t start_ns =
        first_known({row.kernel_start_ns, row.kernel_seen_ns, row.proxy_start_ns, row.enqueue_ns});
    const int64_t stop_ns = first_known({row.finish_ns, row.last_progress_ns});
    wall("time_created_ns", first_known({row.api_start_ns, row.enqueue_ns, start_ns}));
    wall("time_discovered_started_ns", progress == Progress::Scheduled ? kNoTime : start_ns);
    wall("time_discovered_completed_ns", progress == Progress::Completed ? stop_ns : kNoTime);
    if (progress != Progress::Completed || start_ns == kNoTime || row.finish_ns == kNoTime) return;
    const int64_t duration_ns = std::max<int64_t>(row.finish_ns - start_ns, 0);
    number("duration_ms", static_cast<double>(duration_ns) / 1e6);
  }
  void wall(const char* key, int64_t ns) {
    if (ns == kNoTime) {
      raw(key, "null");
    } else {
      number(key, clock_.ns(process_, ns));
    }
  }
  void flush() {
    file_->write(text());
    drop();
  }

  const RunTables& run_;
  const std::vector<TorchGroup>& groups_;
  const WallClock& clock_;
  const ProcessRow& process_;
  ExportFile* file_;
  int64_t record_ = 0;
  std::map<uint32_t, GroupState> states_;    // by communicator
  std::map<uint32_t, Coalesced> coalesced_;  // by communicator; those that may still grow
};

// Whether a later operation of the same communicator ended, for every row of `rows`.
std::vector<bool> later_done(const RunTables& run, const std::vector<uint32_t>& rows) {
  std::vector<bool> result(rows.size());
  std::map<uint32_t, bool> done;  // by communicator
  for (size_t i = rows.size(); i-- > 0;) {
    const OperationRow& row = run.operations[rows[i]];
    bool& later = done[row.communicator];
    result[i] = later;
    later = later || row.state == OpState::Done;
  }
  return result;
}

}  // namespace

Status export_flight_recorder(const ExportInput& input, const ExportOptions& options,
                              ExportSummary* summary) {
  const RunTables& run = *input.run;
  const std::vector<TorchGroup> groups = torch_groups(run);
  const WallClock clock(run);
  uint64_t entries = 0, parts = 0, captured = 0, of_nobody = 0;
  ProcessFiles files;
  files.mark = "PyTorch NCCL flight recorder dumps, written by lockstep\n";
  files.name = "nccl_trace_rank_%r.json";
  files.write = [&](uint32_t process, const std::vector<uint32_t>& rows, ExportFile* file) {
    Dump dump(run, groups, clock, run.processes[process], file);
    const std::vector<bool> later = later_done(run, rows);
    dump.begin();
    for (size_t k = 0; k < rows.size(); ++k) {
      const OperationRow& row = run.operations[rows[k]];
      const bool part = row.assembled != kNoRow, capture = row.state == OpState::Captured;
      const bool nobodys = row.communicator >= groups.size();
      parts += part;
      captured += !part && capture;
      of_nobody += !part && !capture && nobodys;
      if (part || capture || nobodys) continue;
      dump.entry(row, progress_of(row, later[k]));
      ++entries;
    }
    dump.end();
  };
  Status written = write_process_files(run, options, files);
  summary->add("operations", entries);
  summary->leave_out("sends and receives that stand as one all-to-all, gather or scatter", parts);
  summary->leave_out("calls captured into a graph, which its replays execute", captured);
  summary->leave_out("operations whose communicator was not recorded", of_nobody);
  return written;
}

}  // namespace lockstep::analysis
