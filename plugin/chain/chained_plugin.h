// One profiler plugin loaded behind ours: its library, the newest of its tables that the table NCCL
// bound can serve, its activation mask and its contexts. Loaded at the first init, never unloaded.
// Calls its functions exactly as NCCL would; knows nothing of our recording.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "lockstep/event.h"
#include "lockstep/status.h"
#include "plugin/record/comm_facts.h"

namespace lockstep::plugin {

class ChainedPlugin {
 public:
  // `bound_version`: of the table through which NCCL calls us.
  static Result<std::unique_ptr<ChainedPlugin>> load(const std::string& path, int bound_version);

  int version() const { return version_; }
  // What the plugin calls itself.
  std::string name() const { return table_->name != nullptr ? table_->name : ""; }
  uint32_t mask() const { return static_cast<uint32_t>(__atomic_load_n(&mask_, __ATOMIC_RELAXED)); }
  // Whether NCCL would call it for an event of this kind, while its mask is `mask`, and for this state.
  bool wants(Kind kind, uint32_t mask) const;
  bool wants_state(unsigned state) const;

  void init(uint32_t comm, const CommFacts& facts);
  void finalize(uint32_t comm);
  // NULL where its init failed or the communicator is unknown.
  void* context(uint32_t comm) const { return contexts_[comm].load(std::memory_order_acquire); }

  // `descr` in the layout of version().
  void start(void* context, void** handle, void* descr) const {
    table_->start_event(context, handle, descr);
  }
  void stop(void* handle) const { table_->stop_event(handle); }
  void state(void* handle, uint32_t state, void* args) const {
    table_->record_event_state(handle, state, args);
  }

 private:
  // The six members of every table.
  struct AnyTable {
    const char* name;
    void* init;
    abi::ResultCode (*start_event)(void*, void**, void*);
    abi::ResultCode (*stop_event)(void*);
    abi::ResultCode (*record_event_state)(void*, uint32_t, void*);
    abi::ResultCode (*finalize)(void*);
  };
  ChainedPlugin();

  const AnyTable* table_ = nullptr;
  int version_ = 0;
  int32_t mask_ = 0;  // the plugin keeps its address and may write it at any time
  std::unique_ptr<std::atomic<void*>[]> contexts_;
};

}  // namespace lockstep::plugin
