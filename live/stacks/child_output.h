// Runs another program and reads what it prints, for no longer and no more than the caller allows. The program
// is looked for in PATH and reads nothing. Waits; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::live {

struct ChildOutput {
  int code = 0;  // as a shell gives it: 128 and the signal's number for one that was killed
  std::string output, error;
};

// The error is the reason alone: it is not there, it took longer than `patience_ns`, or it printed more than
// `most` bytes. It is killed then.
Result<ChildOutput> run_and_read(const std::vector<std::string>& command, int64_t patience_ns,
                                 size_t most);

}  // namespace lockstep::live
