#include <algorithm>

#include "clocksync/probe/mesh.h"
#include "clocksync/probe/prober.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
// Hosts arrive one by one: wait until the list has been quiet, unless everybody is there.
constexpr int64_t kQuietNs = kSecondNs;
constexpr int64_t kKeepOldEdgesNs = 10 * kSecondNs;

}  // namespace

void Prober::update_members(int64_t now_ns) {
  const uint64_t version = directory_->version();
  if (version != members_version_) {
    members_version_ = version;
    known_.clear();
    for (const HostEntry& host : directory_->hosts()) known_[host.id] = host;
    members_changed_ns_ = now_ns;
    mesh_stale_ = true;
  }
  for (const std::string& complaint : directory_->take_complaints()) {
    fault("rendezvous", "", complaint, 1);
    if (setup_.options.log) setup_.options.log("clock: " + complaint);
  }
  const uint32_t expected = setup_.options.expected_hosts;
  const bool complete = expected != 0 && known_.size() >= expected;
  if (mesh_stale_ && (complete || now_ns - members_changed_ns_ >= kQuietNs)) rebuild_mesh(now_ns);
  for (auto at = edges_.begin(); at != edges_.end();) {
    const bool leaves = at->second->leaves_at_ns != 0 && now_ns >= at->second->leaves_at_ns;
    at = leaves ? edges_.erase(at) : std::next(at);
  }
}

void Prober::rebuild_mesh(int64_t now_ns) {
  mesh_stale_ = false;
  std::vector<MeshHost> hosts;
  std::string names = setup_.job;
  for (const auto& [id, host] : known_) {
    hosts.push_back({id, host.pod});
    names += "\n" + host.name;
  }
  epoch_ = name_hash(names);
  const std::vector<Neighbour> neighbours = mesh_neighbours(
      hosts, setup_.self.id, {epoch_, setup_.options.degree, setup_.options.anchors});
  for (const auto& [id, edge] : edges_) {
    if (edge->leaves_at_ns == 0) edge->leaves_at_ns = now_ns + kKeepOldEdgesNs;
  }
  for (const Neighbour& neighbour : neighbours) {
    Edge* edge = add_edge(known_[neighbour.id], neighbour.slow, now_ns);
    if (edge != nullptr) edge->leaves_at_ns = 0;
  }
}

Edge* Prober::add_edge(const HostEntry& peer, bool slow, int64_t now_ns) {
  const Result<Endpoint> address = Endpoint::from(peer.address, peer.port);
  if (!address.ok() || peer.id == setup_.self.id) return nullptr;
  std::unique_ptr<Edge>& edge = edges_[peer.id];
  if (edge == nullptr) {
    edge = std::make_unique<Edge>(edge_setup_, peer, address.value(), slow, now_ns);
    edge->window_start_ns = clock_.raw_ns();
  } else if (!(edge->peer() == peer)) {
    edge->move_to(peer, address.value());
    edge->machine.ask_again(now_ns);
  }
  return edge.get();
}

}  // namespace lockstep::clocksync
