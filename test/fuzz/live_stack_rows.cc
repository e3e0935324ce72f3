// What an agent sends for `stacks`, and what a process says to `progress`: read, merged and written again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "live/places/stack_row.h"
#include "live/places/stack_tree.h"
#include "live/places/standing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::live;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  standing_of(text);
  const auto rows = rows_of_json(text);
  if (!rows.ok()) return 0;
  merge(rows.value());
  // What was read once is read the same again.
  const std::string written = rows_as_json(rows.value());
  const auto again = rows_of_json(written);
  if (!again.ok() || rows_as_json(again.value()) != written) std::abort();
  return 0;
}
