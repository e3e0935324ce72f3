// Our recording against NCCL's own count of launches, which no other witness has: for each rank that
// RAS knows and this run recorded, how many collectives of each function NCCL has launched. The job
// goes on meanwhile, so what is recorded is counted before and, where that differs, after: NCCL's
// count must lie between. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::cli {

struct RasComparison {
  uint64_t ranks = 0, launches = 0;      // compared
  std::vector<std::string> differences;  // a sentence each
};

// The error says why RAS was not asked, or what it answered instead.
Result<RasComparison> compare_with_ras(const std::string& directory);

}  // namespace lockstep::cli
