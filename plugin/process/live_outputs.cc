#include "plugin/process/live_outputs.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/launcher.h"
#include "dumper/feeds/inspector_json.h"
#include "lockstep/kind_mask.h"
#include "plugin/gpu/gpu_identity.h"

namespace lockstep::plugin {
namespace {

constexpr uint64_t kContinuousUs = 10000;  // the Inspector's interval 0
constexpr uint64_t kShortestFeedIntervalUs = 1000;
constexpr uint64_t kShortestWindowUs = 30000000;  // as in the Inspector: two scrapes at least

// NCCL_PROFILE_DUMP_FILE, and the Example's variables that only size its pools.
void read_example_options(const char* const* environment, std::string* prefix,
                          std::vector<dumper::Notice>* notices) {
  constexpr std::string_view kFile = "NCCL_PROFILE_DUMP_FILE=", kPool = "_POOL_SIZE",
                             kExample = "NCCL_PROFILE_";
  std::string pools;
  for (const char* const* entry = environment; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (text.substr(0, kFile.size()) == kFile && text.size() > kFile.size())
      *prefix = absolute_path(std::string(text.substr(kFile.size())));
    if (name.substr(0, kExample.size()) == kExample && name.size() > kPool.size() &&
        name.substr(name.size() - kPool.size()) == kPool) {
      pools += (pools.empty() ? "" : ", ") + std::string(name);
    }
  }
  if (!pools.empty())
    notices->push_back(
        {dumper::Severity::Info, pools + ": accepted and not needed, every event is kept; "
                                         "LOCKSTEP_BUFFER_MB bounds the memory"});
}

}  // namespace

std::string absolute_path(const std::string& path) {
  if (!path.empty() && path[0] == '/') return path;
  char cwd[kPathBytes];
  return getcwd(cwd, sizeof cwd) != nullptr ? std::string(cwd) + "/" + path : path;
}

void LiveOutputs::read(const char* const* environment, const dumper::Config& config,
                       std::vector<dumper::Notice>* notices) {
  prometheus_dir_given_ = config.is_set(Option::PrometheusDir);
  inspector_ = dumper::read_inspector_options(environment, notices);
  read_example_options(environment, &example_prefix_, notices);
  if (inspector_.enabled) inspector_.directory = absolute_path(inspector_.directory);
}

uint32_t LiveOutputs::needed_kinds() const {
  if (!inspector_.enabled && !prometheus_dir_given_) return 0;
  const bool p2p = inspector_.p2p || prometheus_dir_given_;
  return kind_bit(Kind::Coll) | kind_bit(Kind::KernelCh) | (p2p ? kind_bit(Kind::P2p) : 0);
}

uint64_t LiveOutputs::dump_interval_us(const dumper::Config& config) const {
  if (!inspector_.has_interval || config.is_set(Option::DumpIntervalUs))
    return config.u64(Option::DumpIntervalUs);
  if (inspector_.interval_us == 0) return kContinuousUs;
  return std::max(inspector_.interval_us, kShortestFeedIntervalUs);
}

std::string LiveOutputs::prometheus_directory(const dumper::Config& config) const {
  if (prometheus_dir_given_) return absolute_path(config.text(Option::PrometheusDir));
  return inspector_.enabled && inspector_.prometheus ? inspector_.directory : std::string();
}

void LiveOutputs::make(const dumper::Config& config, const ArenaHeader& arena, const Log& log) {
  const bool metrics = !prometheus_directory(config).empty();
  const bool lines = inspector_.enabled && !inspector_.prometheus;
  if (!example_prefix_.empty())
    example_ = std::make_unique<dumper::ExampleTrace>(example_prefix_, arena.pid, log);
  if (!metrics && !lines) return;
  view_ = std::make_unique<dumper::LiveView>();
  if (lines) {
    view_->add(std::make_unique<dumper::InspectorJson>(
        inspector_, dumper::ProcessName{arena.host, arena.pid}, log));
  }
  if (metrics) add_prometheus(config, arena, log);
}

void LiveOutputs::add_prometheus(const dumper::Config& config, const ArenaHeader& arena,
                                 const Log& log) {
  dumper::PrometheusOptions options;
  options.directory = prometheus_directory(config);
  options.host = arena.host;
  options.pid = arena.pid;
  options.job = launch_fact(LaunchFact::Job, process_variables(), Launcher::Slurm);
  if (options.job.empty()) options.job = "unknown";
  options.keep_s = config.u64(Option::PrometheusKeepS);
  options.window_us = std::max(kShortestWindowUs, inspector_.interval_us);
  options.gpus = &gpus_;
  options.overhead = &overhead_;
  auto text = std::make_unique<dumper::PrometheusText>(std::move(options), log);
  prometheus_ = text.get();
  view_->add(std::move(text));
}

void LiveOutputs::begin_comm(uint32_t comm) {
  if (prometheus_ != nullptr) gpus_.set(comm, current_gpu());
}

void LiveOutputs::close() {
  if (prometheus_ != nullptr) prometheus_->close();
}

void LiveOutputs::attach(dumper::DumpThread* dump) {
  if (view_ != nullptr) dump->add_consumer(view_.get());
  if (example_ != nullptr) dump->add_consumer(example_.get());
}

}  // namespace lockstep::plugin
