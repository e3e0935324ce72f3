#include "analysis/hostload/host_pressure.h"

#include "analysis/hostload/stream_load.h"

namespace lockstep::analysis {
namespace {

// Below that a host is busy, and nobody waits long.
constexpr double kLeastShare = 0.1;

class PressureSink final : public LoadSink {
 public:
  explicit PressureSink(RunTables* run) : run_(*run) {}

  // Of a host, or of a cgroup that is held back; one row for what it is short of most.
  void host_load(const HostLoadRow& row) override {
    if (row.interval_ns <= 0 || row.at_ns == kNoTime) return;
    const char* of = nullptr;
    int64_t most_ns = 0;
    const auto consider = [&](int64_t ns, const char* name) {
      if (ns > most_ns) most_ns = ns, of = name;
    };
    consider(row.throttled_ns, "its processor quota");
    if (row.cgroup.empty()) {
      consider(row.cpu_pressure_ns, "processors");
      consider(row.memory_pressure_ns, "memory");
      consider(row.io_pressure_ns, "disk");
    }
    const double share = static_cast<double>(most_ns) / static_cast<double>(row.interval_ns);
    if (of == nullptr || share < kLeastShare) return;
    HostPressureRow out;
    out.host = run_.strings.intern(std::string(row.host));
    out.of = run_.strings.intern(of);
    out.start_ns = row.at_ns - row.interval_ns;
    out.finish_ns = row.at_ns;
    out.share = share > 1 ? 1 : share;
    run_.host_pressure.push_back(out);
  }

 private:
  RunTables& run_;
};

}  // namespace

void add_host_pressure(const std::string& directory, RunTables* run) {
  run->host_pressure.clear();
  PressureSink sink(run);
  static_cast<void>(stream_load(directory, *run, &sink));
}

}  // namespace lockstep::analysis
