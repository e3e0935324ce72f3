// The checks of verify_run() for one process, fed chunk by chunk. One thread.
#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "analysis/inspect/verify_run.h"
#include "dumper/run/process_reader.h"

namespace lockstep::analysis {

class ProcessVerifier {
 public:
  ProcessVerifier(const dumper::ProcessEntry& process, RunVerification* out);
  void run();

 private:
  struct Block {
    uint32_t covered_bytes = 0;
    uint64_t previous = 0;
  };

  void check_chunk(const dumper::SegmentChunk& chunk);
  void check_piece(const dumper::DecodedPiece& piece, const std::string& where);
  void check_chain();
  void check_end();
  void check_totals();
  void note_unknown();
  void differ(const std::string& what);
  void note(const std::string& what);

  const dumper::ProcessEntry& process_;
  RunVerification* out_;
  dumper::ProcessReader reader_;
  std::string who_;
  std::unordered_map<uint64_t, Block> blocks_;
  std::set<uint32_t> tids_;
  dumper::Counts kept_;
  dumper::CallCounts calls_{};
};

}  // namespace lockstep::analysis
