// Proves that a run is complete, or says what is not: every rank of every communicator recorded,
// every file its process's own, every chunk whole and in its place, every block's records there
// from first to last byte, the counts in the file equal to those recomputed from the records, and
// for every kind calls entered = recorded + filtered + shed + folded + given up + unknown + in
// progress at death. The calls are counted by NCCL's threads on entry, apart from the records, so
// this is a check by an independent witness.
#pragma once

#include <string>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::analysis {

enum class Recorded {
  AllRanks,   // a rank of which nothing was recorded is a difference
  SomeRanks,  // it is a note: the recording is meant to be a part
};

struct RunVerification {
  uint64_t processes = 0, chunks = 0, records = 0;
  uint64_t calls = 0, lost = 0, in_progress = 0;
  std::vector<std::string> differences;  // one sentence each; empty = proved
  std::vector<std::string> notes;        // what is worth knowing and no difference
  std::string to_json() const;
};

// The error says why the directory cannot be read.
Result<RunVerification> verify_run(const std::string& directory,
                                   Recorded expected = Recorded::AllRanks);

}  // namespace lockstep::analysis
