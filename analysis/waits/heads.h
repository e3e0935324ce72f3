// Where each rank stands: per stream the first of its operations that has not ended, and what its
// kernels are in besides. Later open operations of a stream only wait for those: they hold nobody up
// and accuse nobody. Built once by the wait graph, linear in the operations; then only read.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "analysis/tables/run_tables.h"
#include "analysis/waits/actors.h"

namespace lockstep::analysis {

class Heads {
 public:
  Heads(const RunTables& run, const Actors& actors);

  // Rows, by the time of the call; those of one group call are heads together.
  const std::vector<uint32_t>& of(uint32_t actor) const { return heads_[actor]; }
  bool is_head(uint32_t operation) const;
  // Not known to have ended.
  bool unfinished(uint32_t operation) const { return unfinished_[operation]; }
  // The kernel has not begun although its beginning would have been recorded.
  bool not_begun(uint32_t operation) const;
  // A kernel of its group call has begun and not ended. It is told of with one of the call's transfers on each channel.
  bool its_call_runs(uint32_t operation, uint32_t actor) const;
  // The actor called something before it that has not ended either, on whatever stream.
  bool comes_after_open(uint32_t operation, uint32_t actor) const;
  // Position of the member's last collective on its communicator, -1 = none.
  int64_t last_position(uint32_t member) const { return last_position_[member]; }
  // Not where calls are all that is recorded.
  bool ends_known(uint32_t communicator) const { return ends_known_[communicator]; }

 private:
  void note_calls();
  void find_unfinished();
  bool is_unfinished(uint32_t operation, bool later_began) const;
  bool has_arrived(const OperationRow& row) const;
  void note_deaths();
  void note_function(const OperationRow& row, std::vector<std::vector<Text>>* functions);
  bool some_never_called(const OperationRow& row) const;
  void find_heads();

  const RunTables& run_;
  const Actors& actors_;
  std::vector<int64_t> last_position_;  // by member
  std::vector<int64_t> fewest_;         // by communicator: the least of those
  std::vector<int64_t> agreed_;  // by communicator: positions before which all called the same
  // Kernels were recorded, by communicator and by process: there a missing one has not begun.
  std::vector<bool> kernels_on_, kernels_of_;
  std::vector<bool> kernels_of_member_;
  std::vector<bool> ends_known_;            // by communicator
  std::vector<bool> crossed_, unfinished_;  // by operation
  std::vector<std::vector<uint32_t>> heads_;
  std::set<std::pair<uint32_t, uint64_t>>
      running_calls_;  // actor, group call: it has a kernel that began and did not end
};

}  // namespace lockstep::analysis
