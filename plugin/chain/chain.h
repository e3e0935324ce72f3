// Other profiler plugins behind ours (LOCKSTEP_CHAIN): NCCL loads one only, so we call the others.
// Each sees the events its own mask asks for, with its own contexts and handles, through the newest
// table that can be served from NCCL's. Ours records first, then they are called, on the same
// thread. Any thread; lock-free but for init. Without LOCKSTEP_CHAIN none of this is reached: the
// exported tables point past it (chained_api.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plugin/chain/chained_plugin.h"
#include "plugin/chain/handle_map.h"
#include "plugin/record/event_switch.h"

namespace lockstep::plugin {

class Chain {
 public:
  Chain(EventSwitch& events, int bound_version) : events_(events), bound_version_(bound_version) {}
  // Paths joined by colons. Gives the sentences to tell the user.
  std::vector<std::string> load(const std::string& paths);
  bool empty() const { return plugins_.empty(); }
  // A chained plugin calls itself so, or begins so.
  bool has(const std::string& name) const;

  void begin_comm(uint32_t comm, const CommFacts& facts);
  void end_comm(uint32_t comm);
  // Passes a changed mask of theirs on to NCCL's.
  void poll_masks();
  uint32_t merged_mask() const;

  // After our own start; may give the event another handle, where ours names no event alone.
  template <int kVersion, typename Descr>
  void start(void* context, void** handle, const Descr& descr);
  void stop(void* handle);
  void state(void* handle, uint32_t state, void* args);

  uint64_t unmapped() const { return unmapped_.load(std::memory_order_relaxed); }

 private:
  EventId own_id(void** handle, Kind kind);
  void remember(EventId id, Kind kind, const ChainedEvent& event, bool delivered, bool keep);

  EventSwitch& events_;
  int bound_version_;
  std::vector<std::unique_ptr<ChainedPlugin>> plugins_;
  HandleMap map_;
  std::atomic<uint64_t> next_number_{1}, unmapped_{0};
  std::atomic<uint32_t> merged_mask_{0};
};

// LOCKSTEP_CHAIN is set, or may be in the file that LOCKSTEP_CONFIG names.
bool may_chain();
// nullptr: nothing is chained. Set before the first init returns, never unset.
extern std::atomic<Chain*> chain;

}  // namespace lockstep::plugin
