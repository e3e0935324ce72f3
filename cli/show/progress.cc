#include "cli/show/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace lockstep::cli {
namespace {

constexpr std::chrono::seconds kPatience(1);  // shorter work shows nothing
constexpr std::chrono::milliseconds kRedraw(100);
constexpr int kWidth = 30;

}  // namespace

Progress::Progress(std::string what)
    : what_(std::move(what)),
      terminal_(isatty(STDERR_FILENO) == 1),
      begun_(std::chrono::steady_clock::now()),
      drawn_(begun_) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::show(double done) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - begun_ < kPatience || now - drawn_ < kRedraw) return;
  drawn_ = now;
  shown_ = true;
  const double part = std::clamp(done, 0.0, 1.0);
  const std::string bar(static_cast<size_t>(part * kWidth), '#');
  std::fprintf(stderr, "\r%s [%-*s] %3.0f %%", what_.c_str(), kWidth, bar.c_str(), part * 100);
}

std::function<void(double)> Progress::callback() {
  return [this](double done) { show(done); };
}

Result<std::unique_ptr<analysis::RunTables>> load_with_progress(const std::string& directory,
                                                                analysis::LoadOptions options) {
  Progress reading("reading");
  options.progress = reading.callback();
  return analysis::load_run(directory, options);
}

}  // namespace lockstep::cli
