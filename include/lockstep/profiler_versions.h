// Which event kinds and states each version of the profiler's table has, and what they are called
// by the library that binds it: the one place that knows. RCCL has NCCL's tables and puts kinds and
// states of its own where a later NCCL has others, so neither the version nor the bit alone says
// what an event is. Used by the adapters, the activation mask, the chain and the readers. Constant
// data only.
#pragma once

#include "lockstep/event.h"
#include "lockstep/nccl_profiler_abi.h"

namespace lockstep::abi {

enum class Library : uint8_t { Nccl, Rccl };
inline constexpr const char* kLibraryNames[] = {"nccl", "rccl"};

struct TableVersion {
  uint32_t kinds;       // NCCL's event type bits
  unsigned states_end;  // states below this number
};

namespace versions_detail {
inline constexpr uint32_t kV1 = kGroup | kColl | kP2p | kProxyOp | kProxyStep | kProxyCtrl;
inline constexpr uint32_t kV3 = kV1 | kKernelCh | kNetPlugin;
inline constexpr uint32_t kV5 = kV3 | kGroupApi | kCollApi | kP2pApi | kKernelLaunch;
inline constexpr uint32_t kV6 = kV5 | kCeColl | kCeSync | kCeBatch;
inline constexpr uint32_t kV7 = kV6 | kKernelPhase;
inline constexpr TableVersion kTables[] = {
    {kV1, kProxyCtrlAppendEnd + 1}, {kV1, kProxyCtrlAppendEnd + 1}, {kV3, kProxyCtrlAppendEnd + 1},
    {kV3, kKernelChStop + 1},       {kV5, kGroupEndApiStart + 1},   {kV6, kCeBatchComplete + 1},
    {kV7, kKernelPhaseStop + 1},
};
}  // namespace versions_detail
inline constexpr int kNewestTable =
    static_cast<int>(sizeof versions_detail::kTables / sizeof(TableVersion));

// Of NCCL's table `version`, 1 to kNewestTable.
constexpr const TableVersion& table_version(int version) {
  return versions_detail::kTables[version - 1];
}
constexpr bool has_kind(int version, Kind kind) {
  return (table_version(version).kinds & kind) != 0;
}

// RCCL's own kind and state, in its table 6 where NCCL's table 7 has KernelPhase and its stop.
inline constexpr unsigned kRcclProxyDiagBit = 15, kRcclProxyDiagUpdate = 31;

// The kinds that mean, in a table of this library, what their names say. RCCL's table 7 does not
// exist yet: until it shows what became of ProxyDiag there, the bit means neither.
constexpr uint32_t known_kinds(Library library, int version) {
  const uint32_t kinds = table_version(version).kinds;
  return library == Library::Rccl ? kinds & ~(1u << kRcclProxyDiagBit) : kinds;
}

// What RCCL calls them; nullptr for all others.
constexpr const char* rccl_kind_name(unsigned bit) {
  return bit == kRcclProxyDiagBit ? "ProxyDiag" : nullptr;
}
constexpr const char* rccl_state_name(unsigned state) {
  return state == kRcclProxyDiagUpdate ? "ProxyDiagUpdate" : nullptr;
}

}  // namespace lockstep::abi
