// A part of a process's recording as a small recording of its own: the stored chunks that intersect a
// span of time, as they are in its files but for their numbers, between what a reader must know from
// elsewhere: the facts, the communicators that began before, the last ledger. Or those chunks without the
// records of some kinds. Every reader of segments reads it. For sending a part of a run to another host. Any thread; reads what ProcessReader reads.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dumper/run/kind_filter.h"
#include "dumper/run/process_reader.h"
#include "dumper/run/selection.h"
#include "lockstep/status.h"

namespace lockstep::dumper {

// How much is read around a span so that the operations that reach into it are whole.
constexpr uint64_t kSpanMarginNs = 10'000'000'000;
// From and to so far outside of a span; open ends stay open.
RawSpan with_margin(RawSpan span);

// Takes the bytes of a file, piece after piece; false ends it.
using TakeBytes = std::function<bool(std::string_view bytes)>;

// What other processes, or their ranks, have to do with one's records.
struct SliceContents {
  std::set<int64_t> ranks;   // of its communicators and of events, as each is numbered there
  bool has_pairs = false;    // sends and receives, which are put together across ranks
  bool has_foreign = false;  // network work for another process
};

class Slice {
 public:
  // Looks for the chunks; they are read again by write(). The oldest segments stay open meanwhile: a disk
  // budget deletes them first.
  Slice(const ProcessEntry& process, RawSpan span, uint32_t kinds);

  const SliceContents& contents() const { return contents_; }
  // Of its file: HOST.PID.N.lks.
  const std::string& name() const { return name_; }
  // Of all of it.
  uint64_t bytes() const { return bytes_; }
  // The error: one of many segments cannot be read any more, or the bytes are not wanted.
  Status write(const TakeBytes& take) const;

 private:
  struct Stored {
    size_t segment = 0;  // in paths_
    uint64_t offset = 0, bytes = 0;
  };
  class ReadFile;
  using Bytes = std::vector<uint8_t>;
  static constexpr int kMostHeld = 512;  // open files, of all slices
  void look_into(const DecodedChunk& records, uint32_t pid);
  void store(const SegmentChunk& chunk, const std::string& path, KindFilter* filter);
  void add_facts(const ProcessEntry& process);
  void add_text(ChunkType type, const std::string& text, std::vector<Bytes>* chunks);

  std::string name_;
  uint32_t kinds_;
  SliceContents contents_;
  SegmentHeader header_{};
  std::vector<Bytes> before_, after_;  // chunks of text
  std::vector<std::string> paths_;
  std::vector<std::shared_ptr<const ReadFile>> held_;  // of the first of paths_
  std::vector<Stored> stored_;
  uint64_t bytes_ = sizeof(SegmentHeader);
};

}  // namespace lockstep::dumper
