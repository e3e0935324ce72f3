// Who is there and whom this host probes: follows the rendezvous' list of hosts, computes the mesh
// when the list has settled, and keeps the peers. Owned by the prober's thread; the list comes from
// another thread through HostDirectory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clocksync/probe/peer.h"
#include "clocksync/probe/probe_setup.h"
#include "clocksync/rendezvous/host_directory.h"
#include "clocksync/wire/clock_source.h"

namespace lockstep::clocksync {

class Members {
 public:
  // All of them must outlive this.
  Members(const ProbeSetup& setup, const PeerSetup& peer_setup, const ClockSource& clock,
          std::shared_ptr<HostDirectory> directory)
      : setup_(setup), peer_setup_(peer_setup), clock_(clock), directory_(std::move(directory)) {}

  // Takes over what the rendezvous found since the last time. Returns its complaints.
  std::vector<std::string> update(int64_t mono_ns);

  const Peers& peers() const { return peers_; }
  // Null: no such peer.
  Peer* find(const PeerKey& key) const;
  Peer* at_address(const sockaddr_storage& address) const;

  size_t known_hosts() const { return known_.size(); }
  // The host with the address that this interface leads to. Nothing: not in the list, or it has no
  // interface of that name.
  std::optional<HostEntry> known_host(const PeerKey& key) const;
  // A known host that is no peer of ours thinks it is one. Null: it cannot be.
  Peer* greeted_by(const PeerKey& key, int64_t mono_ns) { return add(key, false, mono_ns); }

 private:
  void rebuild_mesh(int64_t mono_ns);
  Peer* add(const PeerKey& key, bool slow, int64_t mono_ns);
  std::string interface(uint32_t via) const;

  const ProbeSetup& setup_;
  const PeerSetup& peer_setup_;
  const ClockSource& clock_;
  const std::shared_ptr<HostDirectory> directory_;
  Peers peers_;
  std::map<uint32_t, HostEntry> known_;
  uint64_t version_ = 0;  // of the directory's list
  int64_t changed_mono_ns_ = 0;
  bool mesh_stale_ = false;
};

}  // namespace lockstep::clocksync
