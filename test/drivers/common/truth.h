// The truth of one rank: JSON Lines, one write() per line, so that a killed process leaves
// everything up to its last returned call. Lines of type "run", "comm", "call", "done" and, last,
// written by the launcher that outlives the rank, "counts". Without a path nothing is written. Used
// by one thread at a time.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lockstep/status.h"
#include "test/drivers/common/clocks.h"
#include "test/drivers/common/counts.h"

namespace lockstep::driver {

// What is wrong on purpose, by name, and the world rank it is done to; rank -1 where it is not.
using Injections = std::vector<std::pair<const char*, int>>;

struct RunFacts {
  int rank;
  int world;
  std::string host;
  uint64_t seed;
  Injections injections;
  int at;  // iteration
  double late_us;
  std::string more;  // further members of the JSON object, each with a comma before it
};

struct CalledOperation {
  uint64_t id;  // of the rank, counted up
  uint64_t comm_id;
  int rank_in_comm;
  const char* function;
  uint64_t ordinal;  // of this function on this communicator
  uint64_t size_bytes;
  int iteration;
  int late_rank;  // who is delayed on purpose in this iteration, -1: nobody
  double late_us;
  Instant called;
};

// FILE for one rank; FILE with %r replaced by the rank, or FILE.RANK, for several.
std::string truth_path(const std::string& file, int rank, int world);

class TruthFile {
 public:
  static Result<TruthFile> open(const std::string& path);
  TruthFile() = default;
  TruthFile(TruthFile&& other) noexcept : file_(other.file_) { other.file_ = -1; }
  TruthFile& operator=(TruthFile&& other) noexcept;
  ~TruthFile();

  void line(const std::string& json);
  void run(const RunFacts& facts);
  void called(const CalledOperation& operation);
  // kernel_ns: by the GPU's own clock; 0 when not known.
  void done(uint64_t operation_id, Instant when, uint64_t kernel_ns);

 private:
  int file_ = -1;
};

// Appends the last line, from outside the process that made the calls.
Status append_counts(const std::string& path, int rank, const CallCounts& counts);

}  // namespace lockstep::driver
