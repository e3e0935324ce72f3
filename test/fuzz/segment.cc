// The segment reader and, above it, the reader of a process: the input is a whole .lks file. After
// a mutation the checksums are mended as far as the headers still make sense; otherwise nothing
// behind a checksum would ever be reached.
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "dumper/run/process_reader.h"
#include "test/fuzz/input_file.h"

using namespace lockstep;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

void mend_checksums(uint8_t* data, size_t size) {
  SegmentHeader header;
  if (size < sizeof header) return;
  std::memcpy(&header, data, sizeof header);
  header.checksum = XXH3_64bits(&header, offsetof(SegmentHeader, checksum));
  std::memcpy(data, &header, sizeof header);
  ChunkHeader chunk;
  for (size_t at = sizeof header; size - at >= sizeof chunk;
       at += sizeof chunk + chunk.stored_bytes) {
    std::memcpy(&chunk, data + at, sizeof chunk);
    if (chunk.stored_bytes > size - at - sizeof chunk) return;
    chunk.checksum = 0;
    std::memcpy(data + at, &chunk, sizeof chunk);
    chunk.checksum = XXH3_64bits(data + at, sizeof chunk + chunk.stored_bytes);
    std::memcpy(data + at, &chunk, sizeof chunk);
  }
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 8 != 0) mend_checksums(data, size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::InputFile file;
  dumper::ProcessEntry process;
  dumper::SegmentFile segment;
  segment.path = file.holding(data, size);
  process.segments = {segment, segment};  // the second makes the reader ask the last one's ledger
  dumper::ProcessReader reader(process, {});
  dumper::SegmentChunk chunk;
  while (reader.next(&chunk)) {
  }
  for (const dumper::Damage& damage : reader.damage()) {
    // What is left out lies inside the file and has a reason.
    if (damage.bytes > size || damage.offset > size || damage.what.empty()) __builtin_trap();
  }
  return 0;
}
