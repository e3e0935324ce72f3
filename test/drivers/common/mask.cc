#include "test/drivers/common/mask.h"

#include "lockstep/nccl_profiler_abi.h"

namespace lockstep::driver {

bool mask_wants(uint64_t mask, Kind kind) {
  constexpr uint64_t kNet = abi::kProxyStep | abi::kNetPlugin;
  constexpr uint64_t kTransport = abi::kProxyOp | kNet | abi::kKernelCh;
  constexpr uint64_t kCe = abi::kCeColl | abi::kCeSync | abi::kCeBatch;
  switch (kind) {
    case Kind::GroupApi:
      return (mask & ~uint64_t{abi::kProxyCtrl}) != 0;
    case Kind::CollApi:
      return (mask & (abi::kCollApi | abi::kColl | kTransport | kCe)) != 0;
    case Kind::P2pApi:
      return (mask & (abi::kP2pApi | abi::kP2p | kTransport)) != 0;
    case Kind::Group:
      return (mask & (abi::kGroup | abi::kColl | abi::kP2p | kTransport)) != 0;
    case Kind::Coll:
      return (mask & (abi::kColl | kTransport)) != 0;
    case Kind::P2p:
      return (mask & (abi::kP2p | kTransport)) != 0;
    case Kind::ProxyOp:
      return (mask & (abi::kProxyOp | kNet)) != 0;
    case Kind::ProxyStep:
      return (mask & kNet) != 0;
    case Kind::CeColl:
      return (mask & kCe) != 0;
    default:
      return (mask & (uint64_t{1} << static_cast<unsigned>(kind))) != 0;
  }
}

}  // namespace lockstep::driver
