// Hosts find each other through a shared directory: one JSON file per host, written whole or not at
// all, read again when hosts come. Used by the rendezvous thread; a file system that hangs, hangs
// only that.
#pragma once

#include <memory>
#include <string>

#include "clocksync/rendezvous/rendezvous_source.h"

namespace lockstep::clocksync {

std::unique_ptr<RendezvousSource> directory_source(const std::string& directory,
                                                   const HostEntry& self);

}  // namespace lockstep::clocksync
