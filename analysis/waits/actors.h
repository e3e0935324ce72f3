// Who can be held up: a rank with all its communicators. A process is one, and so is each GPU of a
// process that has several ranks in one communicator: those of its members that share a stream. Rows
// are rows of the RunTables; built once by the wait graph, then only read.
#pragma once

#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

class Actors {
 public:
  explicit Actors(const RunTables& run);

  uint32_t size() const { return static_cast<uint32_t>(process_.size()); }
  uint32_t process_of(uint32_t actor) const { return process_[actor]; }
  uint32_t of_member(uint32_t member) const { return of_member_[member]; }
  // kNoRow where the communicator or the rank is not known.
  uint32_t of_operation(const OperationRow& row) const;
  uint32_t member_of(uint32_t communicator, uint32_t process, int32_t rank) const;

 private:
  void split_processes();
  void unite_streams(std::vector<uint32_t>* leader) const;

  const RunTables& run_;
  std::vector<uint32_t> process_;    // by actor
  std::vector<uint32_t> of_member_;  // by row of `members`
  std::vector<bool> several_;        // by process: it has several ranks in one communicator
};

}  // namespace lockstep::analysis
