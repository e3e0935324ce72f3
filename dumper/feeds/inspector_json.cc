#include "dumper/feeds/inspector_json.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "base/clock_ns.h"
#include "base/json.h"
#include "lockstep/version.h"

namespace lockstep::dumper {
namespace {

constexpr const char* kFormatVersion = "v4.0";

uint64_t real_us() {
  return static_cast<uint64_t>(real_now_ns()) / 1000;
}

void put_double(JsonWriter* writer, const char* name, double value) {
  put_key(writer, name);
  writer->Double(value);
}

void put_header(JsonWriter* writer, const CommFacts& comm) {
  char id[24];
  std::snprintf(id, sizeof id, "0x%lx", comm.id);
  put_key(writer, "header");
  writer->StartObject();
  put_text(writer, "id", id);
  put_text(writer, "comm_name", comm.name.empty() ? "unknown" : comm.name);
  put_uint(writer, "rank", comm.rank);
  put_uint(writer, "n_ranks", comm.ranks);
  put_uint(writer, "nnodes", comm.nodes);
  writer->EndObject();
}

void put_metadata(JsonWriter* writer, const ProcessName& process) {
  put_key(writer, "metadata");
  writer->StartObject();
  put_text(writer, "inspector_output_format_version", kFormatVersion);
  put_text(writer, "git_rev", std::string("lockstep-") + kVersion);
  put_text(writer, "rec_mechanism", "nccl_profiler_interface");
  put_uint(writer, "dump_timestamp_us", real_us());
  put_text(writer, "hostname", process.host);
  put_uint(writer, "pid", process.pid);
  writer->EndObject();
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
void put_trace(JsonWriter* writer, const Operation& op, const std::string& suffix, Value value) {
  const std::string prefix = op.is_p2p() ? "p2p_" : "coll_";
  put_key(writer, "event_trace_" + suffix);
  writer->StartObject();
  put_uint(writer, prefix + "start_" + suffix, value(op.start_ticks));
  put_uint(writer, prefix + "stop_" + suffix, value(op.stop_ticks));
  put_key(writer, "kernel_events");
  writer->StartArray();
  for (const KernelSpan& span : op.kernels) {
    writer->StartObject();
    put_uint(writer, "channel_id", span.channel);
    put_uint(writer, "kernel_start_" + suffix, value(span.start_ticks));
    put_uint(writer, "kernel_stop_" + suffix, value(span.stop_ticks));
    put_uint(writer, "kernel_record_" + suffix, value(span.record_ticks));
    writer->EndObject();
  }
  writer->EndArray();
  writer->EndObject();
}

void put_traces(JsonWriter* writer, const Operation& op, const ChunkClock& clock) {
  const Order order(op, op.is_p2p() ? op.sequence : 0);
  put_trace(writer, op, "sn", [&order](uint64_t ticks) { return order.of(ticks); });
  put_trace(writer, op, "ts",
            [&clock](uint64_t ticks) { return ticks == 0 ? 0 : clock.real_ns(ticks) / 1000; });
}

void put_perf(JsonWriter* writer, const DoneOperation& done, const ChunkClock& clock,
              bool verbose) {
  const Operation& op = *done.op;
  const std::string prefix = op.is_p2p() ? "p2p" : "coll";
  put_key(writer, prefix + "_perf");
  writer->StartObject();
  put_text(writer, prefix, done.func);
  put_uint(writer, prefix + "_sn", op.sequence);
  if (op.is_p2p()) {
    put_key(writer, "p2p_peer");
    writer->Int(op.peer);
  }
  put_uint(writer, prefix + "_msg_size_bytes", done.message_bytes);
  put_uint(writer, prefix + "_exec_time_us", done.exec_us);
  put_text(writer, prefix + "_timing_source",
           kTimingSourceNames[static_cast<size_t>(done.timing.source)]);
  put_double(writer, (prefix + "_algobw_gbs").c_str(), done.bandwidth.algo_gbs);
  put_double(writer, (prefix + "_busbw_gbs").c_str(), done.bandwidth.bus_gbs);
  if (verbose) put_traces(writer, op, clock);
  put_uint(writer, "lockstep_event_id", op.id);
  put_uint(writer, "lockstep_start_us", clock.real_ns(op.start_ticks) / 1000);
  if (!op.is_p2p()) {
    put_text(writer, "lockstep_algo", done.algo);
    put_text(writer, "lockstep_proto", done.proto);
  }
  put_key(writer, "lockstep_complete");
  writer->Bool(op.complete);
  writer->EndObject();
}

}  // namespace

InspectorJson::InspectorJson(const InspectorOptions& options, ProcessName process, Log log)
    : options_(options),
      process_(std::move(process)),
      log_(std::move(log)),
      file_(options_.directory + "/" + process_.host + "-pid" + std::to_string(process_.pid) +
            ".log") {}

bool InspectorJson::left_out(const DoneOperation& done, Tally* tally) const {
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
  Tally& tally = done.op->is_p2p() ? comm.p2p : comm.coll;
  comm.news = true;
  if (left_out(done, &tally)) return;
  ++tally.written;
  if (!done.op->complete) ++tally.incomplete;
  json::StringBuffer text;
  JsonWriter writer(text);
  writer.SetMaxDecimalPlaces(6);
  writer.StartObject();
  put_header(&writer, *done.comm);
  put_metadata(&writer, process_);
  put_perf(&writer, done, clock, options_.verbose);
  writer.EndObject();
  file_.add({text.GetString(), text.GetSize()});
}

// Complete: every operation whose start NCCL told us is in the file or was left out on request.
void InspectorJson::put_stats(const CommFacts& comm, const CommTally& tally,
                              const LiveState& state) {
  json::StringBuffer text;
  JsonWriter writer(text);
  writer.StartObject();
  put_header(&writer, comm);
  put_metadata(&writer, process_);
  put_key(&writer, "dump_stats");
  writer.StartObject();
  for (const bool p2p : {false, true}) {
    const Tally& t = p2p ? tally.p2p : tally.coll;
    const std::string prefix = p2p ? "p2p_" : "coll_";
    put_uint(&writer, prefix + "seen", t.seen);
    put_uint(&writer, prefix + "written", t.written);
    put_uint(&writer, prefix + "incomplete", t.incomplete);
    put_uint(&writer, prefix + "below_min_size", t.below_min_size);
    put_uint(&writer, prefix + "without_kernel_timing", t.without_kernel_timing);
  }
  uint64_t not_recorded = 0;
  for (const LossEntry& entry : state.round->arena->losses) {
    const uint64_t key = entry.key.load(std::memory_order_relaxed);
    const bool operation = loss_kind(key) == static_cast<unsigned>(Kind::Coll) ||
                           loss_kind(key) == static_cast<unsigned>(Kind::P2p);
    if (key != 0 && operation && loss_call(key) == Call::Start && loss_comm(key) == comm.comm &&
        loss_why(key) != Loss::Filtered) {
      not_recorded += entry.count.load(std::memory_order_relaxed);
    }
  }
  put_uint(&writer, "not_recorded", not_recorded);
  put_uint(&writer, "lines_dropped", file_.dropped());
  put_key(&writer, "complete");
  writer.Bool(not_recorded == 0 && file_.dropped() == 0);
  writer.EndObject();
  writer.EndObject();
  file_.add({text.GetString(), text.GetSize()});
}

void InspectorJson::end_round(const LiveState& state) {
  if (state.round->final) {
    for (auto& [comm, tally] : tallies_) {
      if (!tally.news) continue;
      tally.news = false;
      const auto found = state.comms->all().find(comm);
      put_stats(found != state.comms->all().end() ? found->second : CommFacts(), tally, state);
    }
  } else if (options_.at_end_only) {
    return;
  }
  const Status status = file_.flush();
  if (!status.ok() && !failing_) log_(status.message());
  failing_ = !status.ok();
}

}  // namespace lockstep::dumper
