// Reads one segment file chunk by chunk; memory is bounded by the format's limits, not by the file.
// A damaged chunk affects no other: the reader goes on at the next valid one and says which bytes
// it left out. A file of a version or with features it does not know is refused with a sentence.
// Each reader is used by one thread; nothing is printed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dumper/segment/chunk_decode.h"
#include "lockstep/status.h"

namespace lockstep::dumper {

// Bytes of a file that are no whole chunk. A torn tail is what a kill or a full disk leaves at a
// file's end.
struct Damage {
  std::string file;
  uint64_t offset = 0, bytes = 0;
  std::string what;
  bool torn_tail = false;
};
// "FILE: 120 bytes at offset 4711: the checksum does not match"
std::string to_sentence(const Damage& damage);

struct SegmentChunk {
  ChunkHeader header{};
  ChunkType type = ChunkType::Facts;
  uint64_t offset = 0;
  std::string text;      // Facts, Comms, Ledger, End, Load
  DecodedChunk records;  // Records
};

struct SegmentReaderOptions {
  // False: only the headers of Records chunks, their checksums verified.
  bool decode_records = true;
  uint64_t from_raw_ns = 0;  // Records chunks that end before are not decoded either
  // Where a ProcessReader may stop: it wants no record made after this.
  uint64_t to_raw_ns = ~uint64_t{0};
  // True: of Records chunks only the records of those that have a COMM_* record.
  bool comms_only = false;
  // Of a ProcessReader: of the communicators that began before from_raw_ns it tells only those whose events it reads.
  bool used_comms_only = false;
  // As for ChunkDecoder::decode_records().
  const WantedWords* words = nullptr;
};

class SegmentReader {
 public:
  static Result<std::unique_ptr<SegmentReader>> open(const std::string& path);
  static Result<std::unique_ptr<SegmentReader>> open(const std::string& path,
                                                     SegmentReaderOptions options);
  ~SegmentReader();
  SegmentReader(const SegmentReader&) = delete;
  SegmentReader& operator=(const SegmentReader&) = delete;

  // False at the end of the file. `chunk` may be reused; its memory is kept.
  bool next(SegmentChunk* chunk);
  // next() goes on with the first whole chunk that begins at this byte or behind it. What is left
  // out is not read, and is no damage.
  void seek(uint64_t offset);

  uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }
  // All zero when the file's header was damaged (then damage() says so).
  const SegmentHeader& header() const { return header_; }
  const std::vector<Damage>& damage() const { return damage_; }
  uint64_t unknown_chunks() const { return unknown_chunks_; }

 private:
  enum class Found { Whole, Wrong, End };
  SegmentReader() = default;
  Status read_header();
  bool fill(uint64_t offset, size_t size);
  Found chunk_at(uint64_t offset, ChunkHeader* header, const char** what);
  bool resynchronise(uint64_t from, uint64_t* at);
  uint64_t next_magic(uint64_t from);
  void report(uint64_t offset, uint64_t end, std::string what, bool torn);
  bool decode(const ChunkHeader& header, SegmentChunk* chunk);

  std::string path_;
  SegmentReaderOptions options_;
  int file_ = -1;
  uint64_t size_ = 0;    // of the file when opened; later growth is for a later reader
  uint64_t at_ = 0;      // of the next chunk
  uint64_t hashed_ = 0;  // bytes checked while looking for the next valid chunk
  std::vector<uint8_t> buffer_;
  uint64_t buffer_at_ = 0;
  size_t buffered_ = 0;
  SegmentHeader header_{};
  ChunkDecoder decoder_;
  std::vector<Damage> damage_;
  uint64_t unknown_chunks_ = 0;
};

}  // namespace lockstep::dumper
