// The file of a capture, which may be anything: what is read is written and read again as the same; and the notes of a
// process's captures, one a line.
#include "dumper/run/capture_file.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "dumper/segment/capture_notes.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::dumper;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto capture = parse_capture(text);
  if (capture.ok()) {
    check(is_capture_id(capture.value().id));
    const std::string written = capture_json(capture.value());
    const auto again = parse_capture(written);
    check(again.ok() && capture_json(again.value()) == written);
  }
  std::vector<std::string> notes;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    notes.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  check(noted_captures(notes).size() <= notes.size());
  return 0;
}
