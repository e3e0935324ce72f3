// What a recording process writes besides its segments, because the user asked in NVIDIA's or our
// own variables: Inspector lines, Prometheus metrics, the Example's trace. Read and made at the
// first enabled init; lives on the dump thread afterwards. Without such a wish it is empty and
// costs nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dumper/drain/dump_thread.h"
#include "dumper/feeds/example_trace.h"
#include "dumper/feeds/inspector_options.h"
#include "dumper/feeds/live_view.h"
#include "dumper/feeds/prometheus_text.h"
#include "dumper/options/config.h"

namespace lockstep::plugin {

class LiveOutputs {
 public:
  using Log = std::function<void(const std::string&)>;

  // Reads the environment; `notices` gets what to tell the user.
  void read(const char* const* environment, const dumper::Config& config,
            std::vector<dumper::Notice>* notices);
  // NVIDIA's own Inspector is chained behind us: it writes these files itself.
  void leave_inspector_files() { inspector_.enabled = false; }
  void leave_example_files() { example_prefix_.clear(); }
  bool inspector_files() const { return inspector_.enabled; }
  bool example_files() const { return !example_prefix_.empty(); }
  // Absolute folder of the Prometheus files; "": none are written.
  std::string prometheus_directory(const dumper::Config& config) const;
  // Kinds these outputs cannot do without.
  uint32_t needed_kinds() const;
  // The interval a user of the Inspector asked for, or the configured one.
  uint64_t dump_interval_us(const dumper::Config& config) const;
  // `log` is called from the dump thread.
  void make(const dumper::Config& config, const ArenaHeader& arena, const Log& log);
  void attach(dumper::DumpThread* dump);
  // On the thread that initialises the communicator: remembers its GPU.
  void begin_comm(uint32_t comm);
  dumper::Overhead& overhead() { return overhead_; }
  const dumper::Overhead& overhead() const { return overhead_; }
  // At the process's end, after the last drain.
  void close();
  // Any thread.
  void set_kinds(uint32_t kinds) {
    if (view_ != nullptr) view_->set_kinds(kinds);
  }

 private:
  void add_prometheus(const dumper::Config& config, const ArenaHeader& arena, const Log& log);

  dumper::InspectorOptions inspector_;
  bool prometheus_dir_given_ = false;
  std::string example_prefix_;
  std::unique_ptr<dumper::ExampleTrace> example_;
  dumper::CommGpus gpus_;
  dumper::Overhead overhead_;
  std::unique_ptr<dumper::LiveView> view_;
  dumper::PrometheusText* prometheus_ = nullptr;  // the view's
};

// As written when the user gave a path from the root, else below the current folder.
std::string absolute_path(const std::string& path);

}  // namespace lockstep::plugin
