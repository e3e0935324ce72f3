#include "clocksync/probe/members.h"

#include "clocksync/probe/mesh.h"
#include "clocksync/probe/second.h"

namespace lockstep::clocksync {
namespace {

// Hosts arrive one by one: wait until the list has been quiet, unless everybody is there.
constexpr int64_t kQuietNs = kSecondNs;
constexpr int64_t kKeepOldPeersNs = 10 * kSecondNs;

}  // namespace

std::vector<std::string> Members::update(int64_t mono_ns) {
  const uint64_t version = directory_->version();
  if (version != version_) {
    version_ = version;
    known_.clear();
    for (const HostEntry& host : directory_->hosts()) known_[host.id] = host;
    changed_mono_ns_ = mono_ns;
    mesh_stale_ = true;
  }
  const uint32_t expected = setup_.options.expected_hosts;
  const bool complete = expected != 0 && known_.size() >= expected;
  if (mesh_stale_ && (complete || mono_ns - changed_mono_ns_ >= kQuietNs)) rebuild_mesh(mono_ns);
  for (auto at = peers_.begin(); at != peers_.end();) {
    at = at->second->gone(mono_ns) ? peers_.erase(at) : std::next(at);
  }
  return directory_->take_complaints();
}

Peer* Members::find(const PeerKey& key) const {
  const auto found = peers_.find(key);
  return found == peers_.end() ? nullptr : found->second.get();
}

Peer* Members::at_address(const sockaddr_storage& address) const {
  for (const auto& [key, peer] : peers_) {
    if (peer->address().same_host(address)) return peer.get();
  }
  return nullptr;
}

// Empty for the first, which has the same part on every host whatever its name.
std::string Members::interface(uint32_t via) const {
  return via == 0 ? "" : setup_.self.further[via - 1].interface;
}

std::optional<HostEntry> Members::known_host(const PeerKey& key) const {
  const auto& [id, via] = key;
  const auto found = known_.find(id);
  if (found == known_.end()) return std::nullopt;
  HostEntry host = found->second;
  const std::vector<FurtherAddress> further = std::move(host.further);
  host.further.clear();
  if (via == 0) return host;
  for (const FurtherAddress& one : further) {
    if (one.interface != interface(via)) continue;
    host.address = one.address;
    host.port = one.port;
    return host;
  }
  return std::nullopt;
}

void Members::rebuild_mesh(int64_t mono_ns) {
  mesh_stale_ = false;
  std::vector<MeshHost> hosts;
  std::string names = setup_.job;
  for (const auto& [id, host] : known_) {
    hosts.push_back({id, host.pod});
    names += "\n" + host.name;
  }
  const MeshOptions options = {name_hash(names), setup_.options.degree, setup_.options.anchors};
  const std::vector<Neighbour> neighbours = mesh_neighbours(hosts, setup_.self.id, options);
  for (const auto& [key, peer] : peers_) peer->leave_at(mono_ns + kKeepOldPeersNs);
  for (const Neighbour& neighbour : neighbours) {
    for (uint32_t via = 0; via <= setup_.self.further.size(); ++via) {
      Peer* peer = add({neighbour.id, via}, neighbour.slow, mono_ns);
      if (peer != nullptr) peer->stay();
    }
  }
}

Peer* Members::add(const PeerKey& key, bool slow, int64_t mono_ns) {
  const std::optional<HostEntry> host = known_host(key);
  if (!host || host->id == setup_.self.id) return nullptr;
  const Result<Endpoint> address = Endpoint::from(host->address, host->port);
  if (!address.ok()) return nullptr;
  std::unique_ptr<Peer>& peer = peers_[key];
  if (peer == nullptr) {
    const Instant now = {mono_ns, clock_.raw_ns()};
    const PeerVia via = {key.second, interface(key.second)};
    peer = std::make_unique<Peer>(peer_setup_, *host, address.value(), slow, now, via);
  } else if (!(peer->host() == *host)) {
    peer->move_to(*host, address.value());
    peer->greet_again(mono_ns);
  }
  return peer.get();
}

}  // namespace lockstep::clocksync
