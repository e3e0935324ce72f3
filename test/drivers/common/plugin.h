// A profiler plugin as NCCL sees it: dlopen(RTLD_NOW|RTLD_LOCAL), the newest table the library
// exports (or one asked for), one init per communicator, dlclose when the last communicator is
// gone. The drivers describe events once, in the v7 layout; an older table gets them through the
// same losses as in NCCL (fields, kinds and states it lacks). init and finalize may be called from
// any thread; start, stop and record from any number of threads at once. Every call that reached
// the plugin is counted after it returned, in counts that may live in shared memory.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "lockstep/event.h"
#include "lockstep/nccl_profiler_abi.h"
#include "lockstep/status.h"
#include "test/drivers/common/counts.h"

namespace lockstep::driver {

struct CommFacts {
  std::string name;
  uint64_t id;
  int32_t nodes;
  int32_t ranks;
  int32_t rank;
};

// One ABI version's way to make the four calls. Implemented once per table in table_call.cc.
class TableCall {
 public:
  virtual ~TableCall() = default;
  virtual int version() const = 0;
  virtual abi::ResultCode init(void** context, int32_t* mask, const CommFacts& comm) = 0;
  // Both answer whether the plugin was called at all.
  virtual bool start(void* context, void** handle, const abi::v7::EventDescr& event) = 0;
  virtual bool record(void* handle, abi::State state, const abi::StateArgsV4* args) = 0;
  virtual void stop(void* handle) = 0;
  virtual void finalize(void* context) = 0;
};
std::unique_ptr<TableCall> make_table_call(int version, void* table);
// What NCCL 2.30 delivers through a table of this version.
bool table_delivers(int version, Kind kind);
bool table_delivers(int version, abi::State state);

// "v1" to "v7", for command lines.
std::map<std::string, int> table_names();

struct PluginOptions {
  std::string path;
  int table = 0;  // 0: the newest the library exports
};

class Plugin {
 public:
  // Loads once, to see that it can be done; counts must outlive the plugin.
  static Result<std::unique_ptr<Plugin>> load(const PluginOptions& options, CallCounts* counts);
  ~Plugin();

  int version() const { return table_->version(); }
  // The live activation mask: the plugin may change it at any time.
  uint64_t mask() const;
  // From now on whatever the plugin wants, as RAS's CONTROL PROFILER_MASK does it.
  void override_mask(uint32_t kinds) { override_.store(kinds); }

  void* init(const CommFacts& comm);
  void finalize(void* context);
  void start(Kind kind, void* context, void** handle, abi::v7::EventDescr event);
  void stop(Kind kind, void* handle);
  void record(Kind kind, void* handle, abi::State state, const abi::StateArgsV4* args);

 private:
  Plugin(PluginOptions options, CallCounts* counts)
      : options_(std::move(options)), counts_(counts) {}
  Status open();
  void close();

  PluginOptions options_;
  CallCounts* counts_;
  std::mutex mutex_;  // open, close and references_, as NCCL's profiler mutex
  void* library_ = nullptr;
  int references_ = 0;
  std::unique_ptr<TableCall> table_;
  int32_t mask_ = 0;
  std::atomic<int64_t> override_{-1};  // -1: none
};

}  // namespace lockstep::driver
