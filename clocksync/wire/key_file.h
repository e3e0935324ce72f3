// The secret that authenticates probe packets, in a file that only its owner can read. Both calls
// touch the file system; they run once, on the prober's thread, before the first packet.
#pragma once

#include <string>

#include "clocksync/wire/packet_auth.h"
#include "lockstep/status.h"

namespace lockstep::clocksync {

// Reads 32 bytes from a file that only its owner can read.
Result<SecretKey> read_key_file(const std::string& path);

// Reads the key of a rendezvous directory; the first host to come makes it.
Result<SecretKey> read_or_create_key(const std::string& path);

}  // namespace lockstep::clocksync
