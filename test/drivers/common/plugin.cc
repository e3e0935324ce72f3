#include "test/drivers/common/plugin.h"

#include <dlfcn.h>

#include <cstdio>

namespace lockstep::driver {

std::map<std::string, int> table_names() {
  std::map<std::string, int> names;
  for (int version = 1; version <= 7; ++version) names["v" + std::to_string(version)] = version;
  return names;
}

namespace {

// A call without a handle says nothing of its kind.
unsigned counted_as(Kind kind, const void* handle) {
  return handle == nullptr ? kUnknownKind : static_cast<unsigned>(kind);
}

}  // namespace

Result<std::unique_ptr<Plugin>> Plugin::load(const PluginOptions& options, CallCounts* counts) {
  std::unique_ptr<Plugin> plugin(new Plugin(options, counts));
  const Status opened = plugin->open();
  if (!opened.ok()) return opened;
  return plugin;
}

Plugin::~Plugin() { close(); }

Status Plugin::open() {
  library_ = dlopen(options_.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    return Status::error("cannot load the plugin " + options_.path + ": " + dlerror());
  }
  for (int version = 7; version >= 1; --version) {
    if (options_.table != 0 && options_.table != version) continue;
    void* table = dlsym(library_, ("ncclProfiler_v" + std::to_string(version)).c_str());
    if (table == nullptr) continue;
    table_ = make_table_call(version, table);
    return Status();
  }
  const std::string wanted = options_.table == 0
                                 ? "any of ncclProfiler_v1 to ncclProfiler_v7"
                                 : "ncclProfiler_v" + std::to_string(options_.table);
  close();
  return Status::error(options_.path + " does not export " + wanted +
                       ": it is no profiler plugin for this run");
}

void Plugin::close() {
  if (library_ != nullptr) dlclose(library_);
  library_ = nullptr;
}

uint64_t Plugin::mask() const {
  const int64_t override = override_.load(std::memory_order_relaxed);
  if (override >= 0) return static_cast<uint64_t>(override);
  return static_cast<uint32_t>(__atomic_load_n(&mask_, __ATOMIC_RELAXED));
}

void* Plugin::init(const CommFacts& comm) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (library_ == nullptr && !open().ok()) return nullptr;
    ++references_;
  }
  void* context = nullptr;
  table_->init(&context, &mask_, comm);
  counts_->inits.fetch_add(1, std::memory_order_relaxed);
  return context;
}

void Plugin::finalize(void* context) {
  if (context != nullptr) {
    table_->finalize(context);
    counts_->finalizes.fetch_add(1, std::memory_order_relaxed);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (--references_ == 0) close();
}

void Plugin::start(Kind kind, void* context, void** handle, abi::v7::EventDescr event) {
  event.type = uint64_t{1} << static_cast<unsigned>(kind);
  if (table_->start(context, handle, event)) counts_->add(Call::Start, static_cast<unsigned>(kind));
}

void Plugin::stop(Kind kind, void* handle) {
  if (!table_delivers(version(), kind)) return;
  table_->stop(handle);
  counts_->add(Call::Stop, counted_as(kind, handle));
}

void Plugin::record(Kind kind, void* handle, abi::State state, const abi::StateArgsV4* args) {
  if (!table_delivers(version(), kind)) return;
  if (table_->record(handle, state, args)) counts_->add(Call::State, counted_as(kind, handle));
}

}  // namespace lockstep::driver
