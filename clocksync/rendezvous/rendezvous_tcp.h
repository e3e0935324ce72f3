// Hosts find each other through a line server on the master's host.
//
// The protocol: a client connects, sends "<code> <entry>\n", and gets "<code> <entry>\n" for every
// host the server knows, then an empty line. The code is made with the job's key, so a stranger
// neither learns nor adds hosts. The host that owns the master's address listens; it is also its
// own client, through the same table. Used by the rendezvous thread; no call waits longer than 2 s
// for the other side.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "clocksync/rendezvous/rendezvous_source.h"
#include "clocksync/wire/packet_auth.h"

namespace lockstep::clocksync {

std::unique_ptr<RendezvousSource> tcp_source(const std::string& host, uint16_t port,
                                             const HostEntry& self, const SecretKey& secret);

}  // namespace lockstep::clocksync
