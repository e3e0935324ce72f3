#include "plugin/chain/chain.h"

#include <algorithm>
#include <cstdlib>

#include "plugin/chain/older_descr.h"
#include "plugin/record/recorder.h"

namespace lockstep::plugin {

std::atomic<Chain*> chain{nullptr};

bool may_chain() {
  const char* paths = getenv("LOCKSTEP_CHAIN");
  const char* file = getenv("LOCKSTEP_CONFIG");
  return (paths != nullptr && paths[0] != '\0') || (file != nullptr && file[0] != '\0');
}

std::vector<std::string> Chain::load(const std::string& paths) {
  std::vector<std::string> sentences;
  for (size_t at = 0; at <= paths.size();) {
    const size_t colon = std::min(paths.find(':', at), paths.size());
    const std::string path = paths.substr(at, colon - at);
    at = colon + 1;
    if (path.empty()) continue;
    if (plugins_.size() == kMostChained) {
      sentences.push_back("cannot chain " + path + ": four plugins are chained already");
      continue;
    }
    auto loaded = ChainedPlugin::load(path, bound_version_);
    if (loaded.ok()) {
      plugins_.push_back(std::move(loaded.value()));
    } else {
      sentences.push_back(loaded.message());
    }
  }
  return sentences;
}

bool Chain::has(const std::string& name) const {
  return std::any_of(plugins_.begin(), plugins_.end(), [&](const auto& plugin) {
    return plugin->name().compare(0, name.size(), name) == 0;
  });
}

void Chain::begin_comm(uint32_t comm, const CommFacts& facts) {
  for (const auto& plugin : plugins_) plugin->init(comm, facts);
  merged_mask_.store(merged_mask(), std::memory_order_relaxed);
  events_.set_chain_mask(merged_mask_.load(std::memory_order_relaxed));
}

void Chain::end_comm(uint32_t comm) {
  for (const auto& plugin : plugins_) plugin->finalize(comm);
}

uint32_t Chain::merged_mask() const {
  uint32_t merged = 0;
  for (const auto& plugin : plugins_) merged |= plugin->mask();
  return merged;
}

void Chain::poll_masks() {
  const uint32_t merged = merged_mask();
  if (merged == merged_mask_.load(std::memory_order_relaxed)) return;
  if (events_.try_set_chain_mask(merged)) merged_mask_.store(merged, std::memory_order_relaxed);
}

// Our handle of an event that we do not record says only why; their handles must tell events apart.
EventId Chain::own_id(void** handle, Kind kind) {
  EventId id = to_id(*handle);
  if (*handle == nullptr) id = make_unrecorded_id(kind, kUnknownComm, Loss::Filtered);
  if (is_unrecorded(id))
    id = make_unrecorded_id(id, next_number_.fetch_add(1, std::memory_order_relaxed));
  *handle = to_handle(id);
  return id;
}

void Chain::remember(EventId id, Kind kind, const ChainedEvent& event, bool delivered, bool keep) {
  // Kinds that have no children of their own need an entry only for their states and stop.
  constexpr uint32_t kParents = abi::kGroupApi | abi::kCollApi | abi::kP2pApi | abi::kGroup |
                                abi::kColl | abi::kP2p | abi::kProxyOp | abi::kCeColl;
  if (!delivered && (kParents >> static_cast<unsigned>(kind) & 1) == 0) return;
  if (!map_.insert(id, event, now_ticks(), keep)) unmapped_.fetch_add(1, std::memory_order_relaxed);
}

namespace {

// What a child's descriptor names, for each plugin.
struct Parents {
  ChainedEvent parent, group;
  bool has_parent = false, has_group = false;
};

template <typename Descr>
void** group_of(Descr& d, Kind kind) {
  if constexpr (sizeof(d.type) == sizeof(uint64_t)) {
    if (kind == Kind::Coll) return &d.coll.parent_group;
    if (kind == Kind::P2p) return &d.p2p.parent_group;
  }
  return nullptr;
}

// `parent`: of a Coll or P2p for tables before v5, the legacy Group.
template <typename Descr>
void start_older(const ChainedPlugin& plugin, void* context, void** handle, const Descr& d,
                 Kind kind, void* parent) {
  const auto call = [&](auto older) { plugin.start(context, handle, &older); };
  switch (plugin.version()) {
    case 4:
      return call(older_descr<abi::v4::EventDescr>(d, kind, parent));
    case 3:
      return call(older_descr<abi::v3::EventDescr>(d, kind, parent));
    case 2:
      return call(older_descr<abi::v2::EventDescr>(d, kind, parent));
    default:
      return call(older_descr<abi::v1::EventDescr>(d, kind, parent));
  }
}

template <int kVersion, typename Descr>
bool captured(const Descr& d, Kind kind) {
  if constexpr (kVersion >= 5) {
    if (kind == Kind::CollApi) return d.coll_api.graph_captured;
    if (kind == Kind::P2pApi) return d.p2p_api.graph_captured;
    if (kind == Kind::GroupApi) return d.group_api.graph_captured;
  }
  return false;
}

// The communicator whose context NCCL passed. Under PXN it is another process's: no context of
// anybody's here fits.
template <typename Descr>
uint32_t comm_of_event(void* context, const Descr& d, Kind kind, int32_t own_process) {
  if (kind == Kind::ProxyOp && d.proxy_op.pid != own_process) return kUnknownComm;
  if ((kind == Kind::ProxyStep || kind == Kind::NetPlugin) && d.parent != nullptr &&
      comm_of(to_id(d.parent)) == kUnknownComm) {
    return kUnknownComm;
  }
  return comm_of_context(context);
}

}  // namespace

extern int32_t own_pid;

template <int kVersion, typename Descr>
void Chain::start(void* context, void** handle, const Descr& descr) {
  const auto type = static_cast<uint64_t>(descr.type);
  if (type == 0 || (type & (type - 1)) != 0 || type > abi::kKernelPhase) return;
  const auto kind = static_cast<Kind>(__builtin_ctzll(type));
  poll_masks();
  const EventId id = own_id(handle, kind);
  const uint32_t comm = comm_of_event(context, descr, kind, own_pid);
  const bool foreign = kind == Kind::ProxyOp && comm == kUnknownComm;
  Descr copy = descr;
  Parents parents;
  parents.has_parent = !foreign && map_.find(to_id(descr.parent), &parents.parent);
  void** group = group_of(copy, kind);
  parents.has_group = group != nullptr && map_.find(to_id(*group), &parents.group);
  ChainedEvent event;
  bool delivered = false;
  for (size_t i = 0; i < plugins_.size(); ++i) {
    const ChainedPlugin& plugin = *plugins_[i];
    event.masks[i] = parents.has_parent ? parents.parent.masks[i] : plugin.mask();
    void* const theirs = plugin.context(comm);
    if (!plugin.wants(kind, event.masks[i]) || (theirs == nullptr && comm != kUnknownComm))
      continue;  // it asked for no such event, or its init failed
    copy.parent = parents.has_parent ? parents.parent.handles[i] : nullptr;
    if (group != nullptr) *group = parents.has_group ? parents.group.handles[i] : nullptr;
    if constexpr (kVersion >= 4) {
      if (plugin.version() < 5 && plugin.version() < kVersion) {
        start_older(plugin, theirs, &event.handles[i], copy, kind,
                    group != nullptr ? *group : copy.parent);
        delivered = true;
        continue;
      }
    }
    plugin.start(theirs, &event.handles[i], &copy);
    delivered = true;
  }
  remember(id, kind, event, delivered, captured<kVersion>(descr, kind));
  poll_masks();  // one may have changed its mask just now: NCCL would know already
}

// NCCL passes NULL handles on for NetPlugin only; everywhere else it looks first.
void Chain::stop(void* handle) {
  ChainedEvent event;
  const EventId id = to_id(handle);
  if (handle == nullptr || !map_.find(id, &event)) return;
  const bool net = kind_of(id) == Kind::NetPlugin;
  for (size_t i = 0; i < plugins_.size(); ++i) {
    const bool asked = plugins_[i]->wants(kind_of(id), event.masks[i]);
    if (event.handles[i] != nullptr || (net && asked)) plugins_[i]->stop(event.handles[i]);
  }
  map_.mark_stopped(id);
}

void Chain::state(void* handle, uint32_t state, void* args) {
  ChainedEvent event;
  const EventId id = to_id(handle);
  if (handle == nullptr || !map_.find(id, &event)) return;
  for (size_t i = 0; i < plugins_.size(); ++i) {
    const ChainedPlugin& plugin = *plugins_[i];
    if (event.handles[i] == nullptr || !plugin.wants_state(state)) continue;
    // NCCL's v5 shim passes arguments even where v6 passes none.
    abi::StateArgsV4 nothing{};
    void* passed = args == nullptr && plugin.version() == 5 ? &nothing : args;
    // Before v4 the arguments are longer, and only one of them is still told.
    abi::StateArgsV1 older{};
    if (plugin.version() <= 3 && bound_version_ >= 4) {
      if (state == kCtrlAppendEnd && args != nullptr)
        older.appended_proxy_ops = static_cast<const abi::StateArgsV4*>(args)->appended_proxy_ops;
      passed = &older;
    }
    plugin.state(event.handles[i], state, passed);
  }
}

template void Chain::start<1>(void*, void**, const abi::v1::EventDescr&);
template void Chain::start<2>(void*, void**, const abi::v2::EventDescr&);
template void Chain::start<3>(void*, void**, const abi::v3::EventDescr&);
template void Chain::start<4>(void*, void**, const abi::v4::EventDescr&);
template void Chain::start<5>(void*, void**, const abi::v5::EventDescr&);
template void Chain::start<6>(void*, void**, const abi::v6::EventDescr&);
template void Chain::start<7>(void*, void**, const abi::v7::EventDescr&);

}  // namespace lockstep::plugin
