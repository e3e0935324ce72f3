// A run as the server holds it: its pyramid and its summary, and tables from when somebody first asks for what only they
// have. A run whose tables fit in memory is read whole, once. Of a larger one the report and SQL are about its last part,
// and operations and the finest tiles come from parts that are read when somebody asks; each answer says of what it is.
// Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/load/run.h"
#include "analysis/load/stream_process.h"
#include "analysis/pyramid/pyramid_build.h"
#include "live/follow/run_summary.h"

namespace lockstep::serve {

// Tables of a part of a run, and what follows from them. Read only.
struct RunPart {
  int64_t from_ns = 0, to_ns = 0;  // run time that it answers for
  std::unique_ptr<analysis::RunTables> tables;
  analysis::ExportInput input;
  int64_t origin_ns = 0;           // of analysis::RunTime
  analysis::Activity activity;     // for tiles finer than the pyramid
  std::vector<uint32_t> arrivals;  // by operation: its row in `arrivals`, or kNoRow

  analysis::RunTime time() const { return {*tables, origin_ns}; }
};
using RunPartPointer = std::shared_ptr<const RunPart>;

struct ServeOptions {
  std::string place;  // a folder for the pyramid and the summary
  uint64_t most_table_bytes = uint64_t{2} << 30;
  bool goes_on = false;                  // as its hosts say; its processes here are known without
  std::function<void(double)> progress;  // 0..1; may be empty
  std::string perfetto_ui;               // URL of a copy of Perfetto's page; empty: there is none
  // Before a run is read for its pyramid; may be empty.
  std::function<void(const analysis::RunExtent&)> estimate;
};

class ServedRun {
 public:
  static Result<std::unique_ptr<ServedRun>> open(const std::string& directory,
                                                 const ServeOptions& options);

  const std::string& directory() const { return directory_; }
  const analysis::Pyramid& pyramid() const { return stored_->pyramid; }
  const std::string& perfetto_ui() const { return perfetto_ui_; }
  const RunSummary& summary() const { return summary_; }
  // Why the pyramid or the summary will have to be made again; empty: they are stored.
  const std::string& unwritten() const { return unwritten_; }

  // The part that the report is about: all of it, or the last. Reads it the first time.
  Result<RunPartPointer> main_part() const;
  // One that answers for this time. A short one is read by itself as long as nobody has needed the main part. The error
  // says that it would be too much, and how much can be asked for.
  Result<RunPartPointer> part(int64_t from_ns, int64_t to_ns) const;

 private:
  ServedRun() = default;
  // With `summary` also that, from these tables. `whole`: all of the run where it was read already.
  Result<RunPartPointer> read_main(const std::function<void(double)>& progress,
                                   analysis::WholeRun whole, RunSummary* summary) const;
  Status summarize(const ServeOptions& options, analysis::WholeRun whole);
  int64_t most_ns() const;                                      // that can be read at a time
  int64_t end_ns() const { return pyramid().length_ns() + 1; }  // of run time
  Result<RunPartPointer> main_part_locked() const;

  std::string directory_, perfetto_ui_;
  uint64_t most_table_bytes_ = 0;
  std::unique_ptr<analysis::StoredPyramid> stored_;
  RunSummary summary_;
  std::string unwritten_;
  bool whole_ = true;
  int64_t main_from_ns_ = 0;
  mutable std::mutex mutex_;  // guards main_ and recent_; held while a part is read, one at a time
  mutable RunPartPointer main_, recent_;
};

}  // namespace lockstep::serve
