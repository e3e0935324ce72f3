// The question `slice`, as an asker writes it, and the rows that an agent sends with the parts: what is
// understood says the same when it is written again, and any rows choose some part.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/number_ranges.h"
#include "live/local/control_client.h"
#include "live/questions/slice_request.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::live;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto request = parse_slice_request(text);
  if (request.ok()) {
    const std::string json = to_json(request.value());
    if (to_json(parse_slice_request(json).value()) != json) std::abort();
  }
  const std::vector<SliceRow> rows = parse_slice_rows(text);
  if (to_json(parse_slice_rows(to_json(rows))) != to_json(rows)) std::abort();
  SliceRequest last;
  last.selection.last_ns = 5'000'000'000;
  if (selection_of(last, rows).chosen->size() > rows.size()) std::abort();
  // Ranks of `stacks`, and names of sockets that lie in a run directory.
  static_cast<void>(lockstep::parse_number_ranges(text));
  static_cast<void>(parse_control_name(text));
  return 0;
}
