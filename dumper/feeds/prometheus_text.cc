#include "dumper/feeds/prometheus_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/json.h"
#include "base/output_file.h"
#include "dumper/feeds/line_file.h"
#include "dumper/feeds/prometheus_files.h"

namespace lockstep::dumper {
namespace {

constexpr uint64_t kShortestPauseNs = 1000000000;  // between two versions of a file
constexpr uint64_t kRemovalPauseNs = 60000000000;  // between two looks for files of the dead
constexpr const char* kVersion = "v5.1";           // of the Inspector whose labels these are

// Independent of the locale.
std::string number(double value) {
  json::StringBuffer text;
  JsonWriter(text).Double(value);
  return text.GetString();
}

void head(std::string* text, const char* name, const char* type, const char* help) {
  *text += std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

void sample(std::string* text, const std::string& name, const std::string& labels,
            const std::string& value) {
  *text += name + "{" + labels + "} " + value + "\n";
}

// A family is left out when it has no sample.
template <typename Map, typename Value>
void family(std::string* text, const char* name, const char* type, const char* help,
            const Map& series, Value value) {
  if (series.empty()) return;
  head(text, name, type, help);
  for (const auto& [labels, entry] : series) sample(text, name, labels, number(value(entry)));
}

void histogram(std::string* text, const std::map<std::string, OperationTotals>& series) {
  const std::string name = "lockstep_operation_seconds";
  if (series.empty()) return;
  head(text, name.c_str(), "histogram",
       "Duration of operations, by the GPU where it is known, else as seen by the host.");
  for (const auto& [labels, totals] : series) {
    uint64_t below = 0;
    for (size_t i = 0; i < kDurationBoundsSeconds.size(); ++i) {
      below += totals.durations[i];
      sample(text, name + "_bucket", labels + "," + label("le", number(kDurationBoundsSeconds[i])),
             std::to_string(below));
    }
    sample(text, name + "_bucket", labels + ",le=\"+Inf\"", std::to_string(totals.count));
    sample(text, name + "_sum", labels, number(totals.seconds));
    sample(text, name + "_count", labels, std::to_string(totals.count));
  }
}

}  // namespace

PrometheusText::PrometheusText(PrometheusOptions options, Log log)
    : options_(std::move(options)), log_(std::move(log)) {
  process_labels_ = label("slurm_job_id", options_.job) + "," + label("node", options_.host) + "," +
                    label("pid", std::to_string(options_.pid));
}

PrometheusText::Gpu& PrometheusText::gpu_of(uint32_t comm) {
  const GpuName name = options_.gpus->get(comm);
  Gpu& gpu = gpus_[name.uuid.empty() ? name.label : name.uuid];
  if (gpu.path.empty()) {
    const std::string of_gpu = name.uuid.empty() ? options_.host + "-" + name.label : name.uuid;
    const std::string folder = options_.directory + "/";
    gpu.path = folder + prometheus_file_name(kInspectorMetrics, of_gpu, options_.pid);
    gpu.own_path = folder + prometheus_file_name(kOwnMetrics, of_gpu, options_.pid);
  }
  return gpu;
}

// The Inspector's, and what keeps two processes apart that count their GPUs from 0 each.
std::string PrometheusText::comm_labels(const CommFacts& comm) const {
  return label("version", kVersion) + "," + process_labels_ + "," +
         label("gpu", options_.gpus->get(comm.comm).label) + "," +
         label("comm_name", comm.name.empty() ? "unknown" : comm.name) + "," +
         label("n_nodes", std::to_string(comm.nodes)) + "," +
         label("nranks", std::to_string(comm.ranks)) + "," +
         label("rank", std::to_string(comm.rank));
}

void PrometheusText::done(const DoneOperation& operation, const ChunkClock&) {
  gpu_of(operation.comm->comm).metrics.add(operation, comm_labels(*operation.comm));
}

void PrometheusText::end_round(const LiveState& state) {
  const uint64_t now_ns = state.round->now.mono_ns;
  if (window_ends_ns_ == 0) window_ends_ns_ = now_ns + options_.window_us * 1000;
  if (now_ns >= window_ends_ns_) {
    for (auto& [key, gpu] : gpus_) gpu.metrics.next_window();
    window_ends_ns_ = now_ns + options_.window_us * 1000;
  }
  if (now_ns < next_write_ns_ && !state.round->final) return;
  next_write_ns_ = now_ns + kShortestPauseNs;
  write_files(state);
  if (now_ns >= next_removal_ns_) {
    remove_dead_prometheus_files(options_.directory, options_.host, options_.keep_s);
    next_removal_ns_ = now_ns + kRemovalPauseNs;
  }
}

std::string PrometheusText::template_text(const GpuMetrics& metrics) const {
  std::string text;
  family(&text, "nccl_bus_bandwidth_gbs", "gauge",
         "Geometric mean of the bus bandwidth of collectives over the last window, in GB/s.",
         metrics.coll, [](const WindowedMeans& m) { return m.mean_bandwidth_gbs(); });
  family(&text, "nccl_collective_exec_time_microseconds", "gauge",
         "Mean execution time of collectives over the last window, in microseconds.", metrics.coll,
         [](const WindowedMeans& m) { return m.mean_exec_us(); });
  family(&text, "nccl_p2p_bus_bandwidth_gbs", "gauge",
         "Geometric mean of the bandwidth of sends and receives over the last window, in GB/s.",
         metrics.p2p, [](const WindowedMeans& m) { return m.mean_bandwidth_gbs(); });
  family(&text, "nccl_p2p_exec_time_microseconds", "gauge",
         "Mean execution time of sends and receives over the last window, in microseconds.",
         metrics.p2p, [](const WindowedMeans& m) { return m.mean_exec_us(); });
  return text;
}

std::string PrometheusText::own_text(const GpuMetrics& metrics) const {
  std::string text;
  family(&text, "lockstep_operations_total", "counter", "Operations that ended.",
         metrics.operations, [](const OperationTotals& t) { return static_cast<double>(t.count); });
  family(&text, "lockstep_operations_incomplete_total", "counter",
         "Operations closed before all their channels had ended.", metrics.operations,
         [](const OperationTotals& t) { return static_cast<double>(t.incomplete); });
  family(&text, "lockstep_operation_bytes_total", "counter",
         "Message bytes of operations that ended.", metrics.operations,
         [](const OperationTotals& t) { return static_cast<double>(t.bytes); });
  histogram(&text, metrics.operations);
  return text;
}

std::string PrometheusText::process_text(const LiveState& state) const {
  std::string text;
  std::map<std::string, double> in_flight;
  for (const auto& [number, comm] : state.comms->all()) {
    if (comm.finalize_ticks != 0) continue;
    const auto found = state.in_flight.find(number);
    // Communicators of one name add up: their label lists are the same.
    in_flight[comm_labels(comm)] +=
        found != state.in_flight.end() ? static_cast<double>(found->second) : 0;
  }
  const auto as_is = [](double value) { return value; };
  family(&text, "lockstep_operations_in_flight", "gauge",
         "Operations that began and have not ended.", in_flight, as_is);

  std::map<std::string, double> shed;
  for (const LossEntry& entry : state.round->arena->losses) {
    const uint64_t key = entry.key.load(std::memory_order_relaxed);
    if (key == 0 || loss_kind(key) > kKinds || static_cast<unsigned>(loss_why(key)) >= kLosses)
      continue;
    shed[process_labels_ + "," + label("kind", kKindNames[loss_kind(key)]) + "," +
         label("reason", kLossNames[static_cast<size_t>(loss_why(key))])] +=
        static_cast<double>(entry.count.load(std::memory_order_relaxed));
  }
  family(&text, "lockstep_calls_not_recorded_total", "counter",
         "Calls of NCCL that were counted and not recorded, by reason.", shed, as_is);

  const bool idle = state.oldest_start_ticks == ~uint64_t{0};
  const double oldest_ns =
      idle ? 0
           : static_cast<double>(state.round->now.raw_ns) -
                 static_cast<double>(state.clock->raw_ns(state.oldest_start_ticks));
  const auto one = [&](const char* name, const char* type, const char* help, double value) {
    family(&text, name, type, help, std::map<std::string, double>{{process_labels_, value}}, as_is);
  };
  one("lockstep_oldest_in_flight_seconds", "gauge",
      "Age of the oldest operation that has not ended; 0 when there is none.", oldest_ns / 1e9);
  one("lockstep_send_wait_seconds_total", "counter",
      "Time sends waited for their peer, summed over recorded network steps.",
      state.send_wait_ns / 1e9);
  one("lockstep_receive_wait_seconds_total", "counter",
      "Time receives waited for their peer, summed over recorded network steps.",
      state.receive_wait_ns / 1e9);
  const auto seconds = [](const std::atomic<uint64_t>& ns) {
    return static_cast<double>(ns.load(std::memory_order_relaxed)) / 1e9;
  };
  one("lockstep_callback_seconds_total", "counter",
      "Time NCCL's threads spent in lockstep, from sampled calls.",
      seconds(options_.overhead->callbacks_ns));
  one("lockstep_thread_cpu_seconds_total", "counter", "Processor time of lockstep's own threads.",
      seconds(options_.overhead->threads_ns));
  one("lockstep_series_left_out_total", "counter",
      "Operations missing above because there are too many label values.",
      static_cast<double>(state.series_left_out));
  return text;
}

void PrometheusText::write_files(const LiveState& state) {
  LiveState with_totals = state;
  for (const auto& [key, gpu] : gpus_) with_totals.series_left_out += gpu.metrics.series_left_out;
  Status status;
  bool first = true;
  for (const auto& [number, comm] : state.comms->all()) gpu_of(number);
  for (const auto& [key, gpu] : gpus_) {
    // What belongs to the process stands in one of its files only.
    std::string own = own_text(gpu.metrics);
    if (first) own += process_text(with_totals);
    first = false;
    for (const Status& written :
         {write_file(gpu.path, template_text(gpu.metrics)), write_file(gpu.own_path, own)}) {
      if (!written.ok()) status = written;
    }
  }
  if (!status.ok() && !failing_) log_(status.message());
  failing_ = !status.ok();
}

Status PrometheusText::write_file(const std::string& path, const std::string& text) const {
  if (text.empty()) {
    unlink(path.c_str());
    return Status();
  }
  if (Status made = make_folders(options_.directory); !made.ok()) return made;
  return lockstep::write_file(path, text, IfExists::Replace);
}

void PrometheusText::close() {
  if (options_.keep_s != 0) return;
  for (const auto& [key, gpu] : gpus_) {
    unlink(gpu.path.c_str());
    unlink(gpu.own_path.c_str());
  }
}

}  // namespace lockstep::dumper
