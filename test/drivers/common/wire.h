// Small blocking helpers for TCP on the cold paths of the emulator. Each says why it failed.
#pragma once

#include <string>
#include <utility>

#include "lockstep/status.h"

namespace lockstep::driver {

// Splits HOST:PORT.
Result<std::pair<std::string, int>> split_address(const std::string& address);
// Retries while the other side is not there yet.
Result<int> connect_tcp(const std::string& host, int port, int timeout_ms);
std::string local_host_of(int socket);  // the address this side has on a connection
bool send_all(int socket, const void* data, size_t size);
bool receive_all(int socket, void* data, size_t size, int timeout_ms);
bool send_text(int socket, const std::string& text);
bool receive_text(int socket, std::string* text, int timeout_ms);

}  // namespace lockstep::driver
