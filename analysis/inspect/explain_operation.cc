#include "analysis/inspect/explain_operation.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <unordered_set>

#include "analysis/relate/run_clock.h"
#include "analysis/tables/operation_address.h"
#include "clocksync/record/clock_model.h"
#include "dumper/run/process_records.h"
#include "lockstep/record_fields.h"
#include "lockstep/record_shape.h"

namespace lockstep::analysis {
namespace {

// Around the operation: where its group began, and for what the model's conversion leaves out.
constexpr int64_t kAroundNs = 2'000'000'000;

bool may_be_above(EventId id) {
  switch (kind_of(id)) {
    case Kind::Group:
    case Kind::Coll:
    case Kind::P2p:
    case Kind::GroupApi:
    case Kind::CollApi:
    case Kind::P2pApi:
    case Kind::CeColl:
      return true;
    default:
      return false;
  }
}

// The events that an operation is made of: those above it (its call, its group), the launches of that
// group, and whatever is below it.
class Family {
 public:
  Family(EventId operation, EventId group) : below_{operation}, group_(group) {}

  void learn_parent(const dumper::TimedRecord& record) {
    if (is_start(record.tag()) && may_be_above(record.words[1]))
      parents_[record.words[1]] = record.words[2];
  }
  void find_above() {
    for (EventId at = *below_.begin(); parents_.count(at) != 0;) {
      at = parents_[at];
      if (at == 0 || !above_.insert(at).second) break;
    }
    if (group_ != 0) above_.insert(group_);
  }
  bool takes(const dumper::TimedRecord& record) {
    const Tag tag = record.tag();
    if (is_comm(tag) || is_mark(tag)) return false;
    const EventId id = record.words[1];
    if (is_start(tag)) {
      const EventId parent = record.words[2];
      const bool launch = kind_of(id) == Kind::KernelLaunch && above_.count(parent) != 0;
      if (launch || below_.count(parent) != 0) below_.insert(id);
    }
    return below_.count(id) != 0 || above_.count(id) != 0;
  }

 private:
  std::unordered_set<EventId> below_, above_;
  std::unordered_map<EventId, EventId> parents_;
  EventId group_;
};

std::string what_of(const dumper::TimedRecord& record) {
  const Tag tag = record.tag();
  const EventId id = record.words[1];
  std::string text = kKindNames[static_cast<size_t>(kind_of(id))];
  if (is_state(tag)) return text + " " + kStateNames[tag - kStateTag];
  if (is_stop(tag)) return text + " stop";
  text += " start";
  if (kind_of(id) == Kind::KernelCh)
    return text + ", channel " + std::to_string(KernelChRecord::read(record.words).channel);
  if (kind_of(id) == Kind::ProxyStep)
    return text + ", step " + std::to_string(ProxyStepRecord::read(record.words).step);
  if (kind_of(id) != Kind::ProxyOp) return text;
  const auto op = ProxyOpRecord::read(record.words);
  return text + (op.is_send ? ", to rank " : ", from rank ") + std::to_string(op.peer);
}

// The GPU's stamp in a record; 0 = none.
uint64_t gpu_stamp_of(const dumper::TimedRecord& record) {
  const Tag tag = record.tag();
  if (tag == start_tag(Kind::KernelCh)) return KernelChRecord::read(record.words).p_timer;
  if (tag != state_tag(kKernelChStop)) return 0;
  return record.words[2] == kNoArgument ? 0 : record.words[2];
}

class Explainer {
 public:
  Explainer(const RunTables& run, uint32_t operation)
      : run_(run),
        row_(run.operations[operation]),
        process_(run.processes[row_.process]),
        axis_(run, row_.process) {
    out_.row = &row_;
    out_.name = operation_address(run, row_);
    out_.state = kOpStateNames[static_cast<size_t>(row_.state)];
    out_.host = out_.reference = run.text(process_.host);
    if (process_.aligned == 0 || run.clock_model == nullptr) return;
    host_ = run.clock_model->find(out_.host);
    if (host_ == nullptr) return;
    out_.reference = run.clock_model->reference;
    out_.source = to_string(host_->source);
  }

  Result<OperationExplained> explain(const dumper::ProcessEntry& entry) {
    Family family(row_.event_id, row_.group_id);
    const dumper::RawSpan span = span_around();
    dumper::TimedRecord record;
    for (dumper::ProcessRecords records(entry, span); records.next(&record);)
      family.learn_parent(record);
    family.find_above();
    dumper::ProcessRecords records(entry, span);
    while (records.next(&record)) {
      if (family.takes(record)) add(record);
    }
    for (const std::string& sentence : records.reader().damage_sentences())
      out_.notes.push_back(sentence);
    name_columns();
    add_gpu_times();
    add_offset();
    if ((row_.flags & kForeignChildren) != 0)
      out_.notes.emplace_back("network operations that another process ran for it are not shown");
    if (out_.stamps.empty())
      out_.notes.emplace_back("none of its records can be read any more; were segments removed?");
    return std::move(out_);
  }

 private:
  int64_t raw_of(int64_t run_ns) {
    int64_t raw_ns = run_ns - process_.raw_offset_ns;
    for (int i = 0; i < 3; ++i) raw_ns += run_ns - axis_.to_run_ns(raw_ns);
    return raw_ns;
  }
  dumper::RawSpan span_around() {
    int64_t first_ns = kNoTime, last_ns = kNoTime;
    for (const int64_t ns : {row_.api_start_ns, row_.enqueue_ns, row_.last_progress_ns,
                             row_.finish_ns, row_.api_stop_ns, row_.launch_ns}) {
      if (ns == kNoTime) continue;
      first_ns = first_ns == kNoTime ? ns : std::min(first_ns, ns);
      last_ns = std::max(last_ns, ns);
    }
    if (first_ns == kNoTime) return dumper::RawSpan();
    return {static_cast<uint64_t>(std::max<int64_t>(0, raw_of(first_ns) - kAroundNs)),
            static_cast<uint64_t>(std::max<int64_t>(0, raw_of(last_ns) + kAroundNs))};
  }

  void add(const dumper::TimedRecord& record) {
    OperationStamp stamp;
    stamp.what = what_of(record);
    stamp.event_id = record.words[1];
    stamp.tid = record.tid;
    if (record.thread_name != nullptr) stamp.thread = *record.thread_name;
    stamp.stored = ticks_of(record.words[0]);
    stamp.raw_ns = static_cast<int64_t>(record.raw_ns);
    stamp.run_ns = axis_.to_run_ns(stamp.raw_ns);
    stamp.early_ns = stamp.late_ns = 0;
    if (host_ != nullptr) {
      if (const auto time = run_.clock_model->to_global(*host_, stamp.raw_ns)) {
        stamp.early_ns = time->ns - time->lo_ns;
        stamp.late_ns = time->hi_ns - time->ns;
      }
    }
    add_stretch(stamp.stored, record.clock->anchors());
    const uint64_t gpu = gpu_stamp_of(record);
    const OperationStamp host_stamp = stamp;
    out_.stamps.push_back(std::move(stamp));
    if (gpu == 0) return;
    OperationStamp of_gpu;
    of_gpu.what = host_stamp.what + ": the GPU's";
    of_gpu.event_id = host_stamp.event_id;
    of_gpu.of_gpu = true;
    of_gpu.stored = gpu;
    out_.stamps.push_back(std::move(of_gpu));
  }

  void add_stretch(uint64_t ticks, const std::vector<Anchor>& anchors) {
    if (anchors.size() < 2) return;
    const auto after =
        std::upper_bound(anchors.begin() + 1, anchors.end() - 1, ticks,
                         [](uint64_t tick, const Anchor& anchor) { return tick < anchor.ticks; });
    const auto to = static_cast<size_t>(after - anchors.begin()), from = to - 1;
    TickStretch stretch;
    stretch.from_ticks = anchors[from].ticks;
    stretch.to_ticks = anchors[to].ticks;
    if (!out_.stretches.empty() && out_.stretches.back().from_ticks == stretch.from_ticks) return;
    stretch.from_raw_ns = static_cast<int64_t>(anchors[from].raw_ns);
    stretch.to_raw_ns = static_cast<int64_t>(anchors[to].raw_ns);
    for (const size_t at : {from, to}) {
      if (at == 0 || at + 1 == anchors.size()) continue;
      const int64_t off_ns = off_the_line(anchors[at - 1], anchors[at], anchors[at + 1]);
      stretch.error_ns = std::max(stretch.error_ns.value_or(0), off_ns);
    }
    out_.stretches.push_back(stretch);
  }
  static int64_t off_the_line(const Anchor& left, const Anchor& middle, const Anchor& right) {
    const double share = static_cast<double>(middle.ticks - left.ticks) /
                         static_cast<double>(right.ticks - left.ticks);
    const double line_ns = static_cast<double>(right.raw_ns - left.raw_ns) * share;
    return std::llabs(static_cast<int64_t>(middle.raw_ns - left.raw_ns) -
                      static_cast<int64_t>(line_ns));
  }

  void name_columns() {
    const std::pair<const char*, int64_t> columns[] = {{"api_start_ns", row_.api_start_ns},
                                                       {"api_stop_ns", row_.api_stop_ns},
                                                       {"enqueue_ns", row_.enqueue_ns},
                                                       {"launch_ns", row_.launch_ns},
                                                       {"kernel_seen_ns", row_.kernel_seen_ns},
                                                       {"proxy_start_ns", row_.proxy_start_ns},
                                                       {"finish_ns", row_.finish_ns}};
    for (OperationStamp& stamp : out_.stamps) {
      for (const auto& [name, ns] : columns) {
        if (stamp.of_gpu || ns == kNoTime || stamp.run_ns != ns) continue;
        stamp.column += (stamp.column.empty() ? "" : ", ") + std::string(name);
      }
    }
  }

  // The join converts the first start and the last stop of the kernel's channels.
  void add_gpu_times() {
    OperationStamp *first = nullptr, *last = nullptr;
    for (OperationStamp& stamp : out_.stamps) {
      if (!stamp.of_gpu) continue;
      const bool starts = stamp.what.find(" start") != std::string::npos;
      if (starts && (first == nullptr || stamp.stored < first->stored)) first = &stamp;
      if (!starts && (last == nullptr || stamp.stored > last->stored)) last = &stamp;
    }
    add_gpu_time(first, row_.kernel_start_ns, "kernel_start_ns");
    add_gpu_time(last, row_.kernel_stop_ns, "kernel_stop_ns");
    if ((row_.flags & kSuspectGpuTime) != 0)
      out_.notes.emplace_back("its GPU stamps contradict the host's: they are not used");
  }
  void add_gpu_time(OperationStamp* stamp, int64_t run_ns, const char* column) {
    if (stamp == nullptr || run_ns == kNoTime) return;
    stamp->run_ns = run_ns;
    stamp->raw_ns = raw_of(run_ns);
    stamp->column = column;
    if (row_.kernel_early_ns == kNoTime) return;
    stamp->early_ns = row_.kernel_early_ns;
    stamp->late_ns = row_.kernel_late_ns;
    if (host_ == nullptr) return;
    if (const auto time = run_.clock_model->to_global(*host_, stamp->raw_ns)) {
      stamp->early_ns += time->ns - time->lo_ns;
      stamp->late_ns += time->hi_ns - time->ns;
    }
  }

  void add_offset() {
    if (host_ == nullptr || out_.stamps.empty()) return;
    const int64_t at_ns = out_.stamps.front().raw_ns;
    const auto time = run_.clock_model->to_global(*host_, at_ns);
    if (!time) return;
    out_.offset_ns = at_ns - time->ns;
    out_.offset_lo_ns = at_ns - time->hi_ns;
    out_.offset_hi_ns = at_ns - time->lo_ns;
  }

  const RunTables& run_;
  const OperationRow& row_;
  const ProcessRow& process_;
  HostAxis axis_;
  const clocksync::HostModel* host_ = nullptr;
  OperationExplained out_;
};

}  // namespace

Result<OperationExplained> explain_operation(const std::string& directory, const RunTables& run,
                                             uint32_t operation) {
  const auto opened = dumper::RunDirectory::open(directory);
  if (!opened.ok()) return opened.status();
  const ProcessRow& process = run.processes[run.operations[operation].process];
  for (const dumper::ProcessEntry& entry : opened.value().processes) {
    if (entry.uid == process.uid) return Explainer(run, operation).explain(entry);
  }
  return Status::error(directory + ": the segments of process " + std::to_string(process.pid) +
                       " are gone");
}

}  // namespace lockstep::analysis
