#include "dumper/feeds/prometheus_metrics.h"

#include <algorithm>

namespace lockstep::dumper {
namespace {

// Of each family; 1000 series of 5 metrics are some 2 MB of text.
constexpr size_t kMostSeries = 1000;

template <typename Series>
Series* series_of(std::map<std::string, Series>* all, const std::string& labels,
                  uint64_t* left_out) {
  const auto found = all->find(labels);
  if (found != all->end()) return &found->second;
  if (all->size() < kMostSeries) return &(*all)[labels];
  ++*left_out;
  return nullptr;
}

}  // namespace

std::string message_size_label(uint64_t bytes) {
  if (bytes == 0) return "0B";
  constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit < 4) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + "-" + std::to_string(bytes + 1) + kUnits[unit];
}

std::string label(std::string_view name, std::string_view value) {
  std::string text(name);
  text += "=\"";
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
  return text + "\"";
}

void GpuMetrics::add(const DoneOperation& done, const std::string& comm_labels) {
  const std::string size = label("message_size", message_size_label(done.message_bytes));
  // The Inspector's metrics speak of kernels: what the GPU did not time stays out of the means.
  const bool timed = done.op->complete && done.timing.source == TimingSource::KernelGpu;
  WindowedMeans* means = nullptr;
  if (timed && done.op->is_p2p()) {
    means = series_of(&p2p, comm_labels + "," + label("p2p_operation", done.func) + "," + size,
                      &series_left_out);
  } else if (timed) {
    const std::string how = std::string(done.algo) + "_" + std::string(done.proto);
    means = series_of(&coll,
                      comm_labels + "," + label("collective", done.func) + "," + size + "," +
                          label("algo_proto", how),
                      &series_left_out);
  }
  if (means != nullptr) means->add(done.bandwidth.bus_gbs, done.exec_us);
  OperationTotals* totals =
      series_of(&operations, comm_labels + "," + label("operation", done.func), &series_left_out);
  if (totals == nullptr) return;
  ++totals->count;
  totals->bytes += done.message_bytes;
  if (!done.op->complete) ++totals->incomplete;
  const double seconds = static_cast<double>(done.timing.exec_ns) / 1e9;
  const auto bucket =
      std::lower_bound(kDurationBoundsSeconds.begin(), kDurationBoundsSeconds.end(), seconds);
  ++totals->durations[static_cast<size_t>(bucket - kDurationBoundsSeconds.begin())];
  totals->seconds += seconds;
}

void GpuMetrics::next_window() {
  for (auto* family : {&coll, &p2p}) {
    for (auto it = family->begin(); it != family->end();) {
      it->second.next_window();
      it = it->second.empty() ? family->erase(it) : std::next(it);
    }
  }
}

}  // namespace lockstep::dumper
