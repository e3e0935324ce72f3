#include "analysis/clock/clock_input.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/text.h"
#include "clocksync/record/clock_files.h"
#include "dumper/run/run_files.h"

namespace lockstep::analysis {
namespace {

bool is_directory(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

class FileReader {
 public:
  explicit FileReader(ClockInput* input) : input_(*input) {}

  Status read(const std::string& path) {
    Result<clocksync::ClockRecordReader> opened = clocksync::ClockRecordReader::open(path);
    if (!opened.ok()) return opened.status();
    const size_t slash = path.find_last_of('/');
    name_ = path.substr(slash + 1, path.size() - slash - 1 - std::strlen(kClockFileSuffix));
    host_ = &input_.hosts[name_];
    host_->has_file = true;
    clocksync::ClockRecordReader& reader = opened.value();
    while (const std::optional<ClockRecord> record = reader.next()) {
      std::visit([this](const auto& r) { take(r); }, *record);
    }
    const clocksync::ClockReadReport& report = reader.report();
    // A file of one process's GPU readings alone is no host's file.
    if (gpu_snapshots_ > 0 && gpu_snapshots_ == report.records) input_.hosts.erase(name_);
    for (const std::string& complaint : report.complaints) input_.add_damage(complaint);
    if (report.damaged_lines > report.complaints.size()) {
      input_.notes.push_back(path + ": " + std::to_string(report.damaged_lines) +
                             " damaged lines in all");
    }
    return Status();
  }

 private:
  void take(const ClockHello& hello) {
    if (!host_->boot_id.empty() && host_->boot_id != hello.boot_id) {
      input_.notes.push_back(name_ + " was restarted during the run: its clock started again");
    }
    host_->boot_id = hello.boot_id;
    host_->clock_namespace = hello.clock_namespace;
    host_->first_interface = hello.nic_name;
    for (const ClockSetting& setting : hello.config) {
      // The option's own name, as in every recorded configuration.
      if (setting.name == "clock_d_ns_s2") raise(setting, &input_.d_ns_s2);
      if (setting.name == "clock_rho_ppm") raise(setting, &input_.rho_ppm);
      if (setting.name == "clock_asym_ns" && !setting.value.empty()) {
        const int64_t ns = std::strtoll(setting.value.c_str(), nullptr, 10);
        input_.asymmetry_ns = std::max(input_.asymmetry_ns.value_or(ns), ns);
      }
    }
  }
  void take(const ClockSnapshot& snapshot) {
    if (!host_->real_minus_raw_ns) host_->real_minus_raw_ns = snapshot.real_ns - snapshot.raw_ns;
  }
  void take(const HullBin& bin) {
    input_.hosts[bin.peer];
    HeardOfPeer& heard = input_.heard[{name_, bin.peer, bin.interface}];
    heard.received += bin.received;
    heard.lost += bin.lost;
    if (bin.received != 0) heard.seconds.insert(bin.bin * kHullBinNs / 1'000'000'000);
    const bool peer_first = bin.peer < name_;
    clocksync::EdgeBounds& edge =
        input_.edges[peer_first ? ProbedPath{bin.peer, name_, bin.interface}
                                : ProbedPath{name_, bin.peer, bin.interface}];
    for (const HullPoint& point : bin.points) {
      peer_first ? edge.add_a_to_b(point) : edge.add_b_to_a(point);
    }
  }
  void take(const ClockFault& fault) { host_->faults.push_back(fault); }
  void take(const GpuSnapshot&) { ++gpu_snapshots_; }
  void take(const WindowStats& window) {
    HeardOfPeer& heard = input_.heard[{name_, window.peer, window.interface}];
    ++heard.windows;
    heard.ok_windows += window.status == "ok";
  }
  void take(const EdgeState&) {}

  static void raise(const ClockSetting& setting, double* value) {
    *value = std::max(*value, std::strtod(setting.value.c_str(), nullptr));
  }

  ClockInput& input_;
  std::string name_;
  uint64_t gpu_snapshots_ = 0;
  ClockHost* host_ = nullptr;
};

}  // namespace

Result<ClockInput> read_clock_files(const std::string& directory) {
  if (!is_directory(directory)) {
    return Status::error(directory + ": is not a directory; name the run directory");
  }
  ClockInput input;
  const auto files = dumper::run_files(directory);
  if (!files.ok()) return files.status();
  // Sorted, so that the same directory always gives the same model.
  for (const std::string& path : files.value()) {
    if (!has_ending(path, kClockFileSuffix)) continue;
    const Status status = FileReader(&input).read(path);
    if (!status.ok()) input.add_damage(status.message());
  }
  return input;
}

}  // namespace lockstep::analysis
