// One way to find the hosts of a job, and what each host publishes of itself. The ways: a directory
// (rendezvous_directory.h), a line server (rendezvous_tcp.h), a list (rendezvous_list.h). Used by
// the rendezvous thread alone; a source answers with the reason when it cannot look.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clocksync/rendezvous/host_directory.h"
#include "lockstep/status.h"

namespace lockstep::clocksync {

class RendezvousSource {
 public:
  virtual ~RendezvousSource() = default;
  // The hosts known to this source now; may block for as long as a file system or a name server
  // does.
  virtual Result<std::vector<HostEntry>> look() = 0;
  // Takes this host's entry back. Called when the prober ends in order.
  virtual void leave() {}
  // True when look() should be called often because it also serves others.
  virtual bool serves() const { return false; }
};

// One entry as one line of JSON, and back. The id is computed from the name.
std::string entry_to_json(const HostEntry& entry);
Result<HostEntry> entry_from_json(const std::string& text);

}  // namespace lockstep::clocksync
