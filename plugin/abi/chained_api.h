// The entry points of a process that chains other plugins: ours, then theirs. Which entry points
// the exported tables hold is decided once, when the library is loaded and before NCCL reads them,
// so that without a chain no call pays for the question.
#pragma once

#include "plugin/abi/api.h"
#include "plugin/chain/chain.h"

namespace lockstep::plugin {

template <int kVersion, typename Descr, typename Args>
struct ChainedApi {
  using Own = Api<kVersion, Descr, Args>;

  static abi::ResultCode start(void* context, void** handle, Descr* d) noexcept {
    const abi::ResultCode result = Own::start(context, handle, d);
    Chain* const others = chain.load(std::memory_order_acquire);
    if (others != nullptr && handle != nullptr && d != nullptr && recording())
      others->start<kVersion>(context, handle, *d);
    return result;
  }
  static abi::ResultCode stop(void* handle) noexcept {
    const abi::ResultCode result = Own::stop(handle);
    if (Chain* const others = chain.load(std::memory_order_acquire)) others->stop(handle);
    return result;
  }
  static abi::ResultCode state(void* handle, abi::State state, Args* args) noexcept {
    const abi::ResultCode result = Own::state(handle, state, args);
    if (Chain* const others = chain.load(std::memory_order_acquire))
      others->state(handle, state, args);
    return result;
  }
  template <typename Table>
  static void put_into(Table* table) {
    table->start_event = start;
    table->stop_event = stop;
    table->record_event_state = state;
  }
};

}  // namespace lockstep::plugin
