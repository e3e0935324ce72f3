// Which communicators of different processes are the same one. NCCL's id is not enough: every
// shrink of one parent gets the same, ids come again after a destroy, two ranks may live in one
// process. So: same id and size, each rank once, in the order of their inits (an init is
// collective, so the n-th init of a rank belongs to the n-th communicator). Communicators without
// an id (ABI v1 to v3) are told apart by their number in the process. Used once, by load_run().
#pragma once

#include <vector>

#include "analysis/join/process_operations.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct CommInstance {
  uint32_t process = 0;  // row of `processes`
  JoinedComm comm;
};

// Fills run.communicators and run.members; processes must be there.
void unite_communicators(std::vector<CommInstance> instances, RunTables* run);

// (process, number in it) -> row of `communicators`, from run.members.
class CommunicatorIndex {
 public:
  explicit CommunicatorIndex(const RunTables& run);
  uint32_t find(uint32_t process, uint32_t number) const;

 private:
  // (number, communicator), sorted.
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> by_process_;
};

}  // namespace lockstep::analysis
