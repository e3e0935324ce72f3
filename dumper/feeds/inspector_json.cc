#include "dumper/feeds/inspector_json.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "base/clock_ns.h"
#include "base/json.h"

namespace lockstep::dumper {
namespace {

constexpr size_t kMostBytesOfRound = 32u << 20;  // of lines of one round

uint64_t real_us() {
  return static_cast<uint64_t>(real_now_ns()) / 1000;
}

// Ordinals of the callbacks within the operation, by their time.
class Order {
 public:
  Order(const Operation& op, uint64_t first) : first_(first) {
    add(op.start_ticks);
    add(op.stop_ticks);
    for (const KernelSpan& span : op.kernels) {
      add(span.start_ticks);
      add(span.record_ticks);
      add(span.stop_ticks);
    }
    std::sort(ticks_.begin(), ticks_.end());
  }
  // 0 for a call that never came.
  uint64_t of(uint64_t ticks) const {
    if (ticks == 0) return 0;
    const auto at = std::lower_bound(ticks_.begin(), ticks_.end(), ticks);
    return first_ + static_cast<uint64_t>(at - ticks_.begin()) + 1;
  }

 private:
  void add(uint64_t ticks) {
    if (ticks != 0) ticks_.push_back(ticks);
  }
  uint64_t first_;
  std::vector<uint64_t> ticks_;
};

template <typename Value>
std::string trace(const Operation& op, const std::string& suffix, Value value) {
  json::StringBuffer text;
  JsonWriter writer(text);
  const std::string prefix = op.is_p2p() ? "p2p_" : "coll_";
  writer.StartObject();
  put_uint(&writer, prefix + "start_" + suffix, value(op.start_ticks));
  put_uint(&writer, prefix + "stop_" + suffix, value(op.stop_ticks));
  put_key(&writer, "kernel_events");
  writer.StartArray();
  for (const KernelSpan& span : op.kernels) {
    writer.StartObject();
    put_uint(&writer, "channel_id", span.channel);
    put_uint(&writer, "kernel_start_" + suffix, value(span.start_ticks));
    put_uint(&writer, "kernel_stop_" + suffix, value(span.stop_ticks));
    put_uint(&writer, "kernel_record_" + suffix, value(span.record_ticks));
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
  return {text.GetString(), text.GetSize()};
}

InspectorTraces traces_of(const Operation& op, const ChunkClock& clock) {
  const Order order(op, op.is_p2p() ? op.sequence : 0);
  return {trace(op, "sn", [&order](uint64_t ticks) { return order.of(ticks); }),
          trace(op, "ts",
                [&clock](uint64_t ticks) { return ticks == 0 ? 0 : clock.real_ns(ticks) / 1000; })};
}

InspectorPerf perf_of(const DoneOperation& done, const ChunkClock& clock) {
  const Operation& op = *done.op;
  InspectorPerf perf;
  perf.p2p = op.is_p2p();
  perf.func = done.func;
  perf.algo = done.algo;
  perf.proto = done.proto;
  perf.number = op.sequence;
  perf.peer = op.peer;
  perf.message_bytes = done.message_bytes;
  perf.exec_us = done.exec_us;
  perf.timing_source = kTimingSourceNames[static_cast<size_t>(done.timing.source)];
  perf.algo_gbs = done.bandwidth.algo_gbs;
  perf.bus_gbs = done.bandwidth.bus_gbs;
  perf.event_id = op.id;
  perf.start_us = clock.real_ns(op.start_ticks) / 1000;
  perf.complete = op.complete;
  return perf;
}

// Starts of operations that NCCL told us of and that are in no record, by communicator.
struct NotRecorded {
  uint64_t coll = 0, p2p = 0;
};
std::map<uint32_t, NotRecorded> not_recorded(const ArenaHeader& arena) {
  std::map<uint32_t, NotRecorded> lost;
  for (const LossEntry& entry : arena.losses) {
    const uint64_t key = entry.key.load(std::memory_order_relaxed);
    if (key == 0 || loss_call(key) != Call::Start || loss_why(key) == Loss::Filtered) continue;
    const uint64_t count = entry.count.load(std::memory_order_relaxed);
    if (loss_kind(key) == static_cast<unsigned>(Kind::Coll)) lost[loss_comm(key)].coll += count;
    if (loss_kind(key) == static_cast<unsigned>(Kind::P2p)) lost[loss_comm(key)].p2p += count;
  }
  return lost;
}

void drop_to(uint64_t total, InspectorCounts* counts) {
  counts->dropped_now = total - counts->dropped;
  counts->dropped = total;
}

}  // namespace

InspectorJson::InspectorJson(const InspectorOptions& options, ProcessName process, Log log)
    : options_(options),
      process_(std::move(process)),
      log_(std::move(log)),
      file_(options_.directory + "/" + process_.host + "-pid" + std::to_string(process_.pid) +
            ".log") {}

bool InspectorJson::left_out(const DoneOperation& done, InspectorTotals* tally) const {
  ++tally->seen;
  if (done.message_bytes < options_.min_size_bytes) {
    ++tally->below_min_size;
    return true;
  }
  if (options_.require_kernel_timing && done.timing.source != TimingSource::KernelGpu) {
    ++tally->without_kernel_timing;
    return true;
  }
  return false;
}

void InspectorJson::done(const DoneOperation& done, const ChunkClock& clock) {
  if (done.op->is_p2p() && !options_.p2p) return;
  CommTally& comm = tallies_[comm_of(done.op->id)];
  InspectorTotals& tally = done.op->is_p2p() ? comm.p2p : comm.coll;
  comm.news = true;
  if (left_out(done, &tally)) return;
  ++tally.written;
  if (!done.op->complete) ++tally.incomplete;
  std::string line = inspector_perf_line(
      context_of(*done.comm, clock.real_ns(done.op->last_ticks) / 1000), perf_of(done, clock),
      options_.verbose ? traces_of(*done.op, clock) : InspectorTraces());
  if (waiting_bytes_ + line.size() > kMostBytesOfRound) {
    ++lines_dropped_;
    return;
  }
  waiting_bytes_ += line.size();
  ++(done.op->is_p2p() ? comm.dump.p2p : comm.dump.coll).records;
  comm.lines.push_back(std::move(line));
}

InspectorContext InspectorJson::context_of(const CommFacts& comm, uint64_t timestamp_us) const {
  InspectorContext context;
  context.comm_id = comm.id;
  context.comm_name = comm.name;
  context.rank = comm.rank;
  context.ranks = comm.ranks;
  context.nodes = comm.nodes;
  context.timestamp_us = timestamp_us;
  context.host = process_.host;
  context.pid = process_.pid;
  return context;
}

// The first line of a communicator in a round, and its others. Complete: every operation whose
// start NCCL told us is in the file or was left out on request.
void InspectorJson::put_round(const CommFacts& facts, bool final, CommTally* comm) {
  InspectorDump& dump = comm->dump;
  dump.has_totals = final;
  dump.coll_totals = comm->coll;
  dump.p2p_totals = comm->p2p;
  dump.not_recorded = dump.coll.dropped + dump.p2p.dropped;
  dump.lines_dropped = lines_dropped_ + file_.dropped();
  file_.add(inspector_dump_line(context_of(facts, real_us()), dump));
  for (const std::string& line : comm->lines) file_.add(line);
  comm->lines.clear();
  dump.coll.records = dump.p2p.records = 0;
  if (final) comm->news = false;
}

void InspectorJson::end_round(const LiveState& state) {
  const bool final = state.round->final;
  if (!final && options_.at_end_only) return;
  const auto lost = not_recorded(*state.round->arena);
  for (auto& [number, comm] : tallies_) {
    if (comm.lines.empty() && !(final && comm.news)) continue;
    const auto found = lost.find(number);
    const NotRecorded total = found != lost.end() ? found->second : NotRecorded();
    drop_to(total.coll, &comm.dump.coll);
    drop_to(total.p2p, &comm.dump.p2p);
    const auto facts = state.comms->all().find(number);
    put_round(facts != state.comms->all().end() ? facts->second : CommFacts(), final, &comm);
  }
  waiting_bytes_ = 0;
  const Status status = file_.flush();
  if (!status.ok() && !failing_) log_(status.message());
  failing_ = !status.ok();
}

}  // namespace lockstep::dumper
