// The end of the join of one process: late children find their operation, API calls without a
// launch become rows of their own, calls get their ordinals, GPU stamps their host time, and every
// operation its state. Used by OperationJoin::finish() only.
#pragma once

#include "analysis/join/operations.h"

namespace lockstep::analysis {

class OperationRows {
 public:
  OperationRows(OperationJoin* join, const StringPool& strings)
      : join_(*join), out_(join->out_), strings_(strings) {}

  ProcessOperations make();

 private:
  void resolve_late_children();
  void add_open_works();
  void join_calls();
  void take_call(const ApiCall& api, OperationRow* row) const;
  uint64_t size_of(const OperationRow& row) const;
  void add_api_only();
  void sort_by_call();
  void number_calls();
  void map_gpu_times();
  // What children the operations of a communicator have in this recording.
  struct Habits {
    bool children = false, kernels = false;
  };
  bool lacks_an_end(const OperationRow& row, const Habits& habits) const;
  void set_states();
  bool is_p2p(const OperationRow& row) const;

  OperationJoin& join_;
  ProcessOperations& out_;
  const StringPool& strings_;
};

}  // namespace lockstep::analysis
