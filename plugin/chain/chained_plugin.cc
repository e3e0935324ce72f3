#include "plugin/chain/chained_plugin.h"

#include <dlfcn.h>

#include "lockstep/kind_mask.h"
#include "lockstep/profiler_versions.h"

namespace lockstep::plugin {
namespace {

constexpr uint32_t kNet = abi::kProxyStep | abi::kNetPlugin;
constexpr uint32_t kTransport = abi::kProxyOp | kNet | abi::kKernelCh;
constexpr uint32_t kCe = abi::kCeColl | abi::kCeSync | abi::kCeBatch;

// A bit also brings the events above it: NCCL's own rule.
uint32_t bits_that_bring(Kind kind) {
  switch (kind) {
    case Kind::GroupApi:
      return ~static_cast<uint32_t>(abi::kProxyCtrl);
    case Kind::CollApi:
      return abi::kCollApi | abi::kColl | kTransport | kCe;
    case Kind::P2pApi:
      return abi::kP2pApi | abi::kP2p | kTransport;
    case Kind::Group:
      return abi::kGroup | abi::kColl | abi::kP2p | kTransport;
    case Kind::Coll:
      return abi::kColl | kTransport;
    case Kind::P2p:
      return abi::kP2p | kTransport;
    case Kind::ProxyOp:
      return abi::kProxyOp | kNet;
    case Kind::ProxyStep:
      return kNet;
    case Kind::CeColl:
      return kCe;
    default:
      return kind_bit(kind);
  }
}

}  // namespace

ChainedPlugin::ChainedPlugin() : contexts_(new std::atomic<void*>[kLastComm + 1]()) {}

Result<std::unique_ptr<ChainedPlugin>> ChainedPlugin::load(const std::string& path,
                                                           int bound_version) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Status::error("cannot chain " + path + ": " + dlerror());
  std::unique_ptr<ChainedPlugin> plugin(new ChainedPlugin);
  // Tables 1 to 3 say different things in different places: they serve no other version.
  const int oldest = bound_version >= 4 ? 1 : bound_version;
  for (int version = bound_version; version >= oldest && plugin->table_ == nullptr; --version) {
    plugin->version_ = version;
    plugin->table_ = static_cast<const AnyTable*>(
        dlsym(library, ("ncclProfiler_v" + std::to_string(version)).c_str()));
  }
  if (plugin->table_ != nullptr) return plugin;
  dlclose(library);
  return Status::error("cannot chain " + path + ": it has no profiler table between v" +
                       std::to_string(oldest) + " and v" + std::to_string(bound_version) +
                       ", the one NCCL uses here");
}

bool ChainedPlugin::wants(Kind kind, uint32_t mask) const {
  const uint32_t bit = kind_bit(kind);
  return (abi::table_version(version_).kinds & bit) != 0 && (mask & bits_that_bring(kind)) != 0;
}

bool ChainedPlugin::wants_state(unsigned state) const {
  return state < abi::table_version(version_).states_end;
}

void ChainedPlugin::init(uint32_t comm, const CommFacts& facts) {
  void* context = nullptr;
  abi::ResultCode result = abi::kSuccess;
  if (version_ <= 3) {
    result = reinterpret_cast<abi::InitV1>(table_->init)(&context, &mask_);
  } else if (version_ == 4) {
    result = reinterpret_cast<abi::InitV4>(table_->init)(
        &context, &mask_, facts.name, facts.id, facts.nodes, facts.ranks, facts.rank, facts.log);
  } else {
    result = reinterpret_cast<abi::InitV5>(table_->init)(
        &context, facts.id, &mask_, facts.name, facts.nodes, facts.ranks, facts.rank, facts.log);
  }
  if (version_ == 5) __atomic_fetch_and(&mask_, ~static_cast<int32_t>(kCe), __ATOMIC_RELAXED);
  if (result == abi::kSuccess) contexts_[comm].store(context, std::memory_order_release);
}

// The context stays known: NCCL, too, calls with it after finalize.
void ChainedPlugin::finalize(uint32_t comm) {
  void* const known = context(comm);
  if (known != nullptr) table_->finalize(known);
}

}  // namespace lockstep::plugin
