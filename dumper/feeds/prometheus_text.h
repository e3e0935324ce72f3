// Two Prometheus text files per process and GPU, for node_exporter's textfile collector: the four
// metrics NVIDIA's Grafana template asks for, with its labels, and ours, which promtool accepts (it
// complains of the unit in two of the template's names). Rewritten beside and
// renamed, so that a scrape never sees half of it. They outlive the process for a while, so that its
// last values are scraped (prometheus_files.h). docs/prometheus.md lists the metrics. Dump thread only.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "dumper/drain/overhead.h"
#include "dumper/feeds/comm_gpus.h"
#include "dumper/feeds/prometheus_metrics.h"

namespace lockstep::dumper {

struct PrometheusOptions {
  std::string directory;
  std::string host, job;
  uint32_t pid = 0;
  uint64_t keep_s = 60;                // LOCKSTEP_PROMETHEUS_KEEP_S
  uint64_t window_us = 30000000;       // of the means
  const CommGpus* gpus = nullptr;      // never null; outlives this
  const Overhead* overhead = nullptr;  // likewise
};

class PrometheusText : public LiveSink {
 public:
  using Log = std::function<void(const std::string&)>;

  PrometheusText(PrometheusOptions options, Log log);
  // At the process's end, after the last round: its files stay or go.
  void close();

  void done(const DoneOperation& operation, const ChunkClock& clock) override;
  void end_round(const LiveState& state) override;

 private:
  struct Gpu {
    GpuMetrics metrics;
    std::string path, own_path;
  };

  Gpu& gpu_of(uint32_t comm);
  std::string comm_labels(const CommFacts& comm) const;
  void write_files(const LiveState& state);
  std::string template_text(const GpuMetrics& metrics) const;
  std::string own_text(const GpuMetrics& metrics) const;
  std::string process_text(const LiveState& state) const;
  // No text: no file.
  Status write_file(const std::string& path, const std::string& text) const;

  PrometheusOptions options_;
  Log log_;
  std::string process_labels_;
  std::map<std::string, Gpu> gpus_;  // by UUID, or label
  uint64_t next_write_ns_ = 0, next_removal_ns_ = 0, window_ends_ns_ = 0;
  bool failing_ = false;
};

}  // namespace lockstep::dumper
