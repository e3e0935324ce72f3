// Asks NCCL's RAS service, which listens in the job's own processes (localhost:28028 unless
// NCCL_RAS_ADDR says otherwise), for the state of the job. Whoever asks makes NCCL's RAS threads
// talk to each other, and versions before 2.29.2 could crash when asked: so it is asked once, by a
// person or on suspicion, never on a schedule. Several jobs of a host may share the port, and which
// of them answers is chance: compare the process ids. Waits no longer than its deadline; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "lockstep/status.h"

namespace lockstep::live {

constexpr const char* kRasAddress = "localhost:28028";
constexpr uint32_t kOldestSafeRas = 22902;  // NCCL 2.29.2, as ncclGetVersion gives it

struct RasTerms {
  uint32_t leg_timeout_s = 5;  // how long NCCL waits for each of its processes
  int64_t deadline_ns = 0;     // of CLOCK_MONOTONIC, for all of it
};

// HOST:PORT, or [ADDRESS]:PORT.
struct RasAddress {
  std::string host, port;
};
Result<RasAddress> parse_ras_address(const std::string& text);

// The raw answer to STATUS in JSON, as it came. The error names the address, what was expected and
// what to do; also where the service is busy or the answer was cut.
Result<std::string> ask_ras(const RasAddress& address, const RasTerms& terms);

}  // namespace lockstep::live
