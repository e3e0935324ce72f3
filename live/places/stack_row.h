// One process's row in the answer to `stacks`: who it is, what it does in NCCL, its threads' stacks;
// and that row as JSON, both ways, because agents send what the asker merges. docs/live.md has the
// fields. Rows come from other hosts: what is missing or of another type counts as not known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "live/places/stack_reader.h"
#include "live/places/standing.h"
#include "lockstep/status.h"

namespace lockstep::live {

struct StackRow {
  std::string host;
  Standing standing;  // of a process that records nothing: not known
  ProcessStacks stacks;
};

// A JSON array of objects.
std::string rows_as_json(const std::vector<StackRow>& rows);
// The error says what is wrong with the text.
Result<std::vector<StackRow>> rows_of_json(std::string_view text);

}  // namespace lockstep::live
