// What NCCL's RAS service answers to STATUS in JSON (NCCL 2.28.7 and later, the same fields up to
// 2.32.3; src/ras/client_support.cc of NCCL): for each communicator the ranks that answered, with how
// many collectives each has launched, and the ranks that did not. Reads what is there and makes up
// for what some versions get wrong: 2.28.9 leaves out a comma exactly when a rank is missing. Counts
// are of launches, by function; sends and receives, sizes and times are not in it. Never throws but
// for memory; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::live {

struct RasRank {
  int32_t rank = -1;
  std::string host;  // an address, and no host name
  uint32_t pid = 0;
  int32_t async_error = 0;  // an ncclResult_t
  bool finalize_called = false, destroyed = false, aborted = false;
  std::map<std::string, uint64_t> launched;  // by function: AllReduce, ...
};

struct RasMissingRank {
  int32_t rank = -1;
  std::string host;
  uint32_t pid = 0;
  bool unresponsive = false;     // it has not answered in time
  bool considered_dead = false;  // RAS has given it up, after a minute
};

struct RasCommunicator {
  uint64_t hash = 0;  // the communicator's id, the same in all ranks
  int64_t size = 0;
  std::vector<RasRank> ranks;
  std::vector<RasMissingRank> missing;
};

struct RasReport {
  std::string nccl_version, timestamp;  // local time without a zone
  std::vector<RasCommunicator> communicators;
  uint64_t timeouts = 0;  // processes from which RAS had no answer in time
  bool repaired = false;  // commas were missing
};

// The error says what was expected and what came.
Result<RasReport> parse_ras_report(std::string_view text);

// Puts commas where one value follows another without. The same text when none is missing.
std::string with_missing_commas(std::string_view text);

}  // namespace lockstep::live
