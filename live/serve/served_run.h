// A run as the server holds it: its pyramid, what was found in it, and tables. A run whose tables fit in
// memory is read whole, once. Of a larger one the report and SQL are about its last part, and operations
// and the finest tiles come from parts that are read when somebody asks; each answer says of what it is.
// Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "analysis/load/run.h"
#include "analysis/load/stream_process.h"
#include "analysis/pyramid/pyramid_build.h"

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
  std::string place;  // a folder for the pyramid
  uint64_t most_table_bytes = uint64_t{2} << 30;
  std::function<void(double)> progress;  // 0..1; may be empty
};

class ServedRun {
 public:
  static Result<std::unique_ptr<ServedRun>> open(const std::string& directory,
                                                 const analysis::RunExtent& extent,
                                                 const ServeOptions& options);

  const std::string& directory() const { return directory_; }
  const analysis::Pyramid& pyramid() const { return stored_->pyramid; }
  // The part that the report is about: all of it, or the last.
  const RunPart& main_part() const { return *main_; }
  bool is_whole() const { return whole_; }
  // The JSON object of `lockstep report --json`.
  const std::string& report() const { return report_; }
  bool running() const { return running_; }
  // Why the pyramid will have to be made again; empty: it is stored.
  const std::string& unwritten() const { return unwritten_; }

  // One that answers for this time. The error says that it would be too much, and how much can be asked
  // for.
  Result<RunPartPointer> part(int64_t from_ns, int64_t to_ns) const;

 private:
  ServedRun() = default;
  Status read_main(const ServeOptions& options);

  std::string directory_;
  analysis::RunExtent extent_;
  uint64_t most_table_bytes_ = 0;
  std::unique_ptr<analysis::StoredPyramid> stored_;
  RunPartPointer main_;
  std::string report_, unwritten_;
  bool whole_ = true, running_ = false;
  mutable std::mutex mutex_;  // guards recent_; held while a part is read, one at a time
  mutable RunPartPointer recent_;
};

}  // namespace lockstep::serve
