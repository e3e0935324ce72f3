// Profiler tables 1 to 3: NCCL 2.23 to 2.26.
#include "plugin/abi/chained_api.h"

namespace lockstep::plugin {

void learn_comm(uint32_t comm, uint64_t hash, const char* name) {
  // By communicator number; a collision only repeats a record.
  static std::atomic<uint64_t> known[64];
  auto& slot = known[comm % 64];
  const uint64_t mark = hash ^ uint64_t { comm } << 40;
  if (slot.load(std::memory_order_relaxed) == mark) return;
  slot.store(mark, std::memory_order_relaxed);
  CommInfoRecord record;
  record.comm = comm;
  record.comm_id = hash;
  record.name = intern(own_log(), name);
  record_comm(record);
}

namespace {

template <int kVersion>
abi::ResultCode init(void** context, int32_t* activation_mask) noexcept {
  CommFacts facts;
  facts.abi_version = kVersion;
  begin_comm(facts, context, activation_mask);
  return abi::kSuccess;
}

template <int kVersion, typename Table, typename Descr>
constexpr Table make_table() {
  using A = Api<kVersion, Descr, abi::StateArgsV1>;
  return {"lockstep", init<kVersion>, A::start, A::stop, A::state, A::finalize};
}

}  // namespace
}  // namespace lockstep::plugin

namespace abi = lockstep::abi;
using lockstep::plugin::make_table;
#define LOCKSTEP_EXPORT __attribute__((visibility("default")))
extern "C" {
LOCKSTEP_EXPORT abi::TableV1 ncclProfiler_v1 = make_table<1, abi::TableV1, abi::v1::EventDescr>();
LOCKSTEP_EXPORT abi::TableV2 ncclProfiler_v2 = make_table<2, abi::TableV2, abi::v2::EventDescr>();
LOCKSTEP_EXPORT abi::TableV3 ncclProfiler_v3 = make_table<3, abi::TableV3, abi::v3::EventDescr>();
}

// As in api_v4_v7.cc.
__attribute__((constructor)) static void choose_entry_points() {
  namespace plugin = lockstep::plugin;
  if (!plugin::may_chain()) return;
  plugin::ChainedApi<1, abi::v1::EventDescr, abi::StateArgsV1>::put_into(&ncclProfiler_v1);
  plugin::ChainedApi<2, abi::v2::EventDescr, abi::StateArgsV1>::put_into(&ncclProfiler_v2);
  plugin::ChainedApi<3, abi::v3::EventDescr, abi::StateArgsV1>::put_into(&ncclProfiler_v3);
}
