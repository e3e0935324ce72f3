// A progress bar on stderr for work that may take long: shown only on a terminal, only after a
// second, and gone when the work is done, so that it never ends up in a log or a pipe. One thread
// at a time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "analysis/load/run.h"

namespace lockstep::cli {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  std::function<void(double)> callback();  // 0..1

 private:
  void show(double done);

  std::string what_;
  bool terminal_ = false, shown_ = false;
  std::chrono::steady_clock::time_point begun_, drawn_;
};

// load_run() with a bar; options.progress is set here.
Result<std::unique_ptr<analysis::RunTables>> load_with_progress(const std::string& directory,
                                                                analysis::LoadOptions options);

}  // namespace lockstep::cli
