// From processes, each read by itself, to the tables of the run: texts and communicators get their
// final numbers, times move onto the run's clock, operations find their other ranks, arrivals are
// compared, training steps found. What comes out is not changed any more, but for the columns that
// add_causes() (analysis/judge/blame.h) fills on request. One thread; nothing here reads a recording,
// judges or prints.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/join/loaded_process.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// Takes what was read of each process, on its host's raw clock and with communicator numbers of its own, as soon as it is
// there, so that memory never has all of it twice. Of brief rows come no bandwidths, training steps and roles.
template <typename Row = OperationRow>
class Relating {
 public:
  // Takes memory of tables that are over, which may be null: to make it anew takes a twentieth of reading a part of a run.
  explicit Relating(RunTables* over = nullptr);
  ~Relating();
  // In the order of the run's processes. `processes`: about how many there will be.
  void add(std::unique_ptr<LoadedProcess> process, size_t processes);
  // Once all are there. clock_directory: where the clock model lies; empty: every host keeps its raw clock.
  std::unique_ptr<RunTables> finish(const std::string& clock_directory);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::analysis
