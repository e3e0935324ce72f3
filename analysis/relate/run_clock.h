// Moves the times of a loaded run from each host's raw clock onto the run's axis, the clock of the
// model's reference host, when the directory has a clock_model.json (`lockstep align` makes it).
// load_run() applies it to the tables; streamed rows are converted one by one with a HostAxis, one
// per thread and process. Hosts that the model does not connect keep their raw clock, and say so.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/tables/run_tables.h"
#include "clocksync/record/clock_model.h"

namespace lockstep::analysis {

// Reads the model beside the segments and converts every time of `run`, the processes' included. No
// file: nothing changes. A file that cannot be read becomes a note.
template <typename Row = OperationRow>
void apply_clock_model(const std::string& directory, RunTables* run);
// Likewise, with this model. Rows of `run` are on the hosts' raw clocks.
template <typename Row>
void put_on_clock(std::shared_ptr<const clocksync::ClockModel> model, RunTables* run);

// raw clock of one process's host -> run's axis; remembers the last stretch, because times come
// mostly in order.
class HostAxis {
 public:
  // `run` must outlive this.
  HostAxis(const RunTables& run, uint32_t process);
  int64_t to_run_ns(int64_t raw_ns);

 private:
  const clocksync::ClockModel* model_ = nullptr;
  const clocksync::HostModel* host_ = nullptr;
  int64_t from_ns_ = 0, to_ns_ = -1;  // of the remembered stretch
  int64_t theta_ns_ = 0;
  double slope_ = 0;
};

// How exact a time of a process is against the reference host, at that time: the estimate errs by
// no more. Early and late in a run, and where probes were lost, that is far more than in between.
class ClockErrors {
 public:
  // `run` must outlive this.
  explicit ClockErrors(const RunTables& run);
  // 0 for hosts without a model. `run_ns` is on the run's axis.
  int64_t at(uint32_t process, int64_t run_ns) const;

 private:
  const RunTables& run_;
  std::vector<const clocksync::HostModel*> hosts_;  // by process
};

}  // namespace lockstep::analysis
