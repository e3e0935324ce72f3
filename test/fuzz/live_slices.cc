// The question `slice`, as an asker writes it, and the rows that an agent sends with the parts: what is
// understood says the same when it is written again, and any rows choose some part. The questions about files of
// a recording likewise, and no name of theirs leaves the run directory.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/number_ranges.h"
#include "live/local/control_client.h"
#include "live/questions/recording_file.h"
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
  if (const auto file = parse_recording_file(text); file.ok()) {
    if (to_json(parse_recording_file(to_json(file.value())).value()) != to_json(file.value()))
      std::abort();
  }
  const auto files = parse_recording_files(text);
  for (const RecordingFile& file : files.ok() ? files.value() : std::vector<RecordingFile>()) {
    if (file.name[0] == '/' || ("/" + file.name + "/").find("/../") != std::string::npos)
      std::abort();
  }
  // Ranks of `stacks`, and names of sockets that lie in a run directory.
  static_cast<void>(lockstep::parse_number_ranges(text));
  static_cast<void>(parse_control_name(text));
  return 0;
}
