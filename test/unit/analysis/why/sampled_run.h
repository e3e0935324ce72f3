// A run laid out by hand for causes: four ranks of one host and one of another, a finding that accuses
// rank 1 of being late once a second, and what the samplers saw meanwhile.
#pragma once

#include <gtest/gtest.h>

#include "analysis/why/load_samples.h"

namespace lockstep::analysis {

class SampledRun : public testing::Test {
 protected:
  static constexpr int64_t kMs = 1'000'000;
  static constexpr int64_t kTickMs = 100;
  static constexpr int64_t kExcessMs = 50;
  static constexpr int64_t kSeconds = 10;
  static constexpr uint32_t kCulprit = 1, kRanks = 5;

  SampledRun() {
    CommunicatorRow comm;
    comm.nranks = comm.members = kRanks;
    run_.communicators = {comm};
    for (uint32_t i = 0; i < kRanks; ++i) {
      ProcessRow process;
      process.host = run_.strings.intern(i < 4 ? "node7" : "node8");
      process.pid = pid_of(i);
      run_.processes.push_back(process);
      MemberRow member;
      member.communicator = 0;
      member.process = i;
      member.rank = static_cast<int32_t>(i);
      member.gpu = run_.strings.intern("GPU-" + std::to_string(i));
      run_.members.push_back(member);
      OperationRow called;
      called.process = i;
      called.tid = pid_of(i);
      run_.operations.push_back(called);
    }
    finding_.kind = FindingKind::Straggler;
    finding_.communicator = 0;
    finding_.culprits = {kCulprit};
    finding_.facts = LateFacts();
    for (int64_t second = 1; second <= kSeconds; ++second) {
      const int64_t at_ns = 1000 * second * kMs;
      windows_.push_back({kCulprit, pid_of(kCulprit), at_ns - 60 * kMs, at_ns, kExcessMs * kMs});
    }
    all_ns_ = kSeconds * kExcessMs * kMs;
  }

  static uint32_t pid_of(uint32_t process) { return 100 + process; }
  LoadSamples& samples() {
    if (!samples_) samples_ = std::make_unique<LoadSamples>(run_, windows_);
    return *samples_;
  }

  // The thread's ten samples of each second: what it waited in that in which rank 1 is late, and in the
  // others.
  void waits(uint32_t process, int64_t late_ms, int64_t else_ms, int64_t processors = 8,
             uint32_t tid = 0) {
    ThreadLoadRow row;
    row.process = process;
    row.host = run_.text(run_.processes[process].host);
    row.pid = pid_of(process);
    row.tid = tid != 0 ? tid : row.pid;
    row.interval_ns = kTickMs * kMs;
    row.run_ns = 0;
    row.processors_allowed = processors;
    for (int64_t tick = 1; tick <= kSeconds * 10; ++tick) {
      row.at_ns = tick * kTickMs * kMs;
      row.wait_ns = (tick % 10 == 0 ? late_ms : else_ms) * kMs;
      samples().thread_load(row);
    }
  }
  void everybody_else_waits(int64_t late_ms, int64_t else_ms, int64_t processors = 8) {
    for (uint32_t process = 0; process < 4; ++process) {
      if (process != kCulprit) waits(process, late_ms, else_ms, processors);
    }
  }
  // The row of each second of the whole host, or of a cgroup.
  void host(const HostLoadRow& seconds, const std::string& name = "node7") {
    HostLoadRow row = seconds;
    row.host = name;
    row.interval_ns = 1000 * kMs;
    for (int64_t second = 1; second <= kSeconds; ++second) {
      row.at_ns = 1000 * second * kMs;
      samples().host_load(row);
    }
  }
  void runnable(int64_t threads, const std::string& name = "node7") {
    HostLoadRow row;
    row.processors = 8;
    row.runnable = threads;
    host(row, name);
  }
  void gpu(uint32_t process, const char* fact, int64_t at_ms, int64_t value, int64_t change) {
    GpuStateRow row;
    const std::string name = run_.text(run_.members[process].gpu);
    row.host = run_.text(run_.processes[process].host);
    row.gpu = name;
    row.fact = fact;
    row.at_ns = at_ms * kMs;
    row.value = value;
    row.change = change;
    samples().gpu_state(row);
  }
  void counter(const char* host, const char* device, uint32_t port, const char* name,
               int64_t change) {
    NicCounterRow row;
    row.host = host;
    row.device = device;
    row.port = port;
    row.counter = name;
    row.at_ns = 1000 * kMs;
    row.value = row.change = change;
    samples().nic_counter(row);
  }

  RunTables run_;
  Finding finding_;
  std::vector<LateWindow> windows_;
  int64_t all_ns_ = 0;

 private:
  std::unique_ptr<LoadSamples> samples_;
};

}  // namespace lockstep::analysis
