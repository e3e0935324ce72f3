// Profiler tables 4 to 7: NCCL 2.27 and later.
#include "plugin/abi/chained_api.h"

namespace lockstep::plugin {
namespace {

abi::ResultCode init_v4(void** context, int32_t* activation_mask, const char* name, uint64_t hash,
                        int32_t nodes, int32_t ranks, int32_t rank, abi::DebugLogger log) noexcept {
  begin_comm({4, name, hash, nodes, ranks, rank, log}, context, activation_mask);
  return abi::kSuccess;
}

// From v5 on the id comes before the mask.
template <int kVersion>
abi::ResultCode init(void** context, uint64_t id, int32_t* activation_mask, const char* name,
                     int32_t nodes, int32_t ranks, int32_t rank, abi::DebugLogger log) noexcept {
  begin_comm({kVersion, name, id, nodes, ranks, rank, log}, context, activation_mask);
  return abi::kSuccess;
}

template <int kVersion, typename Descr>
using ApiOf = Api<kVersion, Descr, abi::StateArgsV4>;
using V4 = ApiOf<4, abi::v4::EventDescr>;
using V5 = ApiOf<5, abi::v5::EventDescr>;
using V6 = ApiOf<6, abi::v6::EventDescr>;
using V7 = ApiOf<7, abi::v7::EventDescr>;

}  // namespace
}  // namespace lockstep::plugin

namespace abi = lockstep::abi;
namespace plugin = lockstep::plugin;
#define LOCKSTEP_EXPORT __attribute__((visibility("default")))
extern "C" {
LOCKSTEP_EXPORT abi::TableV4 ncclProfiler_v4 = {"lockstep",        plugin::init_v4,
                                                plugin::V4::start, plugin::V4::stop,
                                                plugin::V4::state, plugin::V4::finalize};
LOCKSTEP_EXPORT abi::TableV5 ncclProfiler_v5 = {"lockstep",        plugin::init<5>,
                                                plugin::V5::start, plugin::V5::stop,
                                                plugin::V5::state, plugin::V5::finalize};
LOCKSTEP_EXPORT abi::TableV6 ncclProfiler_v6 = {"lockstep",        plugin::init<6>,
                                                plugin::V6::start, plugin::V6::stop,
                                                plugin::V6::state, plugin::V6::finalize};
LOCKSTEP_EXPORT abi::TableV7 ncclProfiler_v7 = {"lockstep",        plugin::init<7>,
                                                plugin::V7::start, plugin::V7::stop,
                                                plugin::V7::state, plugin::V7::finalize};
}

// Before NCCL reads the tables: where plugins are to be chained, they hold the longer way.
__attribute__((constructor)) static void choose_entry_points() {
  if (!plugin::may_chain()) return;
  plugin::ChainedApi<4, abi::v4::EventDescr, abi::StateArgsV4>::put_into(&ncclProfiler_v4);
  plugin::ChainedApi<5, abi::v5::EventDescr, abi::StateArgsV4>::put_into(&ncclProfiler_v5);
  plugin::ChainedApi<6, abi::v6::EventDescr, abi::StateArgsV4>::put_into(&ncclProfiler_v6);
  plugin::ChainedApi<7, abi::v7::EventDescr, abi::StateArgsV4>::put_into(&ncclProfiler_v7);
}
