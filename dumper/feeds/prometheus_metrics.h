// The numbers behind one GPU's Prometheus file: what the Inspector's Grafana template asks for
// (means over the last window) and ours (totals that only grow). How many series there can be is
// bounded; operations beyond are counted under one series each that says so. Dump thread only.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <string>

#include "dumper/feeds/live_sink.h"

namespace lockstep::dumper {

// Upper bounds of the duration histogram in seconds; one more bucket holds the rest.
constexpr std::array<double, 10> kDurationBoundsSeconds = {1e-5, 3e-5, 1e-4, 3e-4, 1e-3,
                                                           3e-3, 1e-2, 1e-1, 1,    10};

// Means over the window under way and the one before, so that every scrape sees one in full.
class WindowedMeans {
 public:
  void add(double bandwidth_gbs, uint64_t exec_us) {
    ++current_.count;
    current_.exec_us += static_cast<double>(exec_us);
    if (bandwidth_gbs <= 0) return;  // no bandwidth is defined: not part of a geometric mean
    ++current_.bandwidths;
    current_.log_bandwidth += std::log(static_cast<long double>(bandwidth_gbs));
  }
  void next_window() {
    previous_ = current_;
    current_ = {};
  }
  bool empty() const { return current_.count + previous_.count == 0; }
  double mean_exec_us() const {
    return (current_.exec_us + previous_.exec_us) /
           static_cast<double>(current_.count + previous_.count);
  }
  double mean_bandwidth_gbs() const {
    const auto count = static_cast<double>(current_.bandwidths + previous_.bandwidths);
    const long double sum = current_.log_bandwidth + previous_.log_bandwidth;
    return count == 0 ? 0 : static_cast<double>(std::exp(sum / count));
  }

 private:
  struct Window {
    uint64_t count = 0, bandwidths = 0;
    double exec_us = 0;
    long double log_bandwidth = 0;  // long: those of double need glibc 2.29
  };
  Window current_, previous_;
};

struct OperationTotals {
  uint64_t count = 0, incomplete = 0, bytes = 0;
  std::array<uint64_t, kDurationBoundsSeconds.size() + 1> durations{};
  double seconds = 0;
};

// Keys are label lists without braces, `name="value",...`, already escaped.
struct GpuMetrics {
  std::map<std::string, WindowedMeans> coll, p2p;
  std::map<std::string, OperationTotals> operations;
  uint64_t series_left_out = 0;  // operations of label lists beyond the bound

  void add(const DoneOperation& done, const std::string& comm_labels);
  void next_window();
};

// Of the labels the Inspector uses.
std::string message_size_label(uint64_t bytes);
// name="value", the value escaped as the text format wants it.
std::string label(std::string_view name, std::string_view value);

}  // namespace lockstep::dumper
