#include "cli/live/cells.h"

#include "analysis/say/words.h"

namespace lockstep::cli {

std::string number_cell(std::optional<uint64_t> number) {
  return number ? std::to_string(*number) : "-";
}

std::string bytes_cell(std::optional<uint64_t> bytes) {
  return bytes ? analysis::bytes(*bytes) : "-";
}

std::string duration_cell(std::optional<int64_t> ns) { return ns ? analysis::duration(*ns) : "-"; }

}  // namespace lockstep::cli
