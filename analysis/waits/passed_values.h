// What the ranks of an operation passed to it, where that must be equal: bytes, type and root. Pure
// functions of the tables.
#pragma once

#include <vector>

#include "analysis/tables/run_tables.h"
#include "analysis/waits/stalls.h"

namespace lockstep::analysis {

struct PassedValues {
  struct Group {
    std::vector<int32_t> ranks;
    uint32_t operation = kNoRow;  // of one of them
  };
  std::vector<Group> groups;  // of equal values; one = they agree
  // A launch without its call counts bytes where the call counted elements: then only the bytes were
  // compared.
  bool bytes_only = false;
};

PassedValues passed_values(const RunTables& run, const Stall& stall);

}  // namespace lockstep::analysis
