// A progress bar on stderr for work that may take long: shown only on a terminal, only after a
// second, and gone when the work is done, so that it never ends up in a log or a pipe. One thread
// at a time.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace lockstep::cli {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(double done);  // 0..1
  std::function<void(double)> callback();

 private:
  std::string what_;
  bool terminal_ = false, shown_ = false;
  std::chrono::steady_clock::time_point begun_, drawn_;
};

}  // namespace lockstep::cli
