// A chunk of records without those of some kinds: fewer bytes for another host that needs no more. The
// records that stay keep their order, threads and times; the program's marks and what tells of
// communicators stay always. Used by Slice; one thread, memory is that of one chunk.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dumper/segment/chunk_decode.h"
#include "lockstep/status.h"

namespace lockstep::dumper {

constexpr uint32_t kAllKinds = ~uint32_t{0};  // one bit for each Kind, as in NCCL's activation mask

class KindFilter {
 public:
  explicit KindFilter(uint32_t kinds);
  ~KindFilter();
  KindFilter(const KindFilter&) = delete;
  KindFilter& operator=(const KindFilter&) = delete;

  bool passes_all() const { return kinds_ == kAllKinds; }
  // The chunk as it is stored, header and all, its number and checksum still to be filled in; empty where
  // no record is left. The error: no memory.
  Status filter(const DecodedChunk& chunk, std::vector<uint8_t>* stored);
  // The same of a chunk as it was stored. Neither is called where everything passes.
  Status filter(std::vector<uint8_t>* stored);

 private:
  struct State;
  bool passes(const uint64_t* record) const;

  const uint32_t kinds_;
  std::unique_ptr<State> state_;  // where anything is to be filtered
};

}  // namespace lockstep::dumper
