// The content of a chunk of `<host>.load`, before compression. What decodes must encode to what decodes to
// the same.
#include "hostload/record/load_chunk.h"

using namespace lockstep;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Result<LoadChunk> read =
      hostload::decode_load(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!read.ok()) return 0;
  const std::string first = hostload::encode_load(&read.value());
  Result<LoadChunk> again = hostload::decode_load(first);
  if (!again.ok() || hostload::encode_load(&again.value()) != first) __builtin_trap();
  return 0;
}
