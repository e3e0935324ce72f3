// `lockstep top RUN`: where the ranks of a running job stand, again each second, in the terminal.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock_ns.h"
#include "cli/live/live_arguments.h"
#include "cli/live/terminal.h"
#include "cli/live/top_page.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

constexpr int64_t kRefreshNs = 1'000'000'000;
constexpr int kKeyWaitMs = 100;

Result<TopLook> look_at(const LiveArguments& arguments) {
  TopLook look;
  look.mono_ns = mono_now_ns();
  Result<live::Answers> progress = ask_live(arguments, "progress", "{}");
  if (!progress.ok()) return progress.status();
  Result<live::Answers> processes = ask_live(arguments, "ps", "{}");
  if (!processes.ok()) return processes.status();
  look.progress = std::move(progress.value());
  look.processes = std::move(processes.value());
  return look;
}

// Asks beside the terminal's thread, so that keys work while a host is slow to answer.
class Looks {
 public:
  explicit Looks(const LiveArguments& arguments)
      : arguments_(arguments), thread_([this] { ask_again_and_again(); }) {}
  ~Looks() {
    stopping_ = true;
    thread_.join();
  }
  Looks(const Looks&) = delete;
  Looks& operator=(const Looks&) = delete;

  // What came since the last call.
  std::optional<Result<TopLook>> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(newest_, std::nullopt);
  }

 private:
  void ask_again_and_again() {
    while (!stopping_) {
      const int64_t next_ns = mono_now_ns() + kRefreshNs;
      Result<TopLook> look = look_at(arguments_);
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        newest_.emplace(std::move(look));
      }
      while (!stopping_ && mono_now_ns() < next_ns)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  const LiveArguments& arguments_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::optional<Result<TopLook>> newest_;
  std::thread thread_;  // last: it uses the others
};

// The title stays, the rest scrolls.
class View {
 public:
  void set(std::vector<std::string> lines) { lines_ = std::move(lines); }
  void scroll(Key key, int height) {
    const int page = std::max(1, height - 2);
    const int moved = key == Key::Up         ? -1
                      : key == Key::Down     ? 1
                      : key == Key::PageUp   ? -page
                      : key == Key::PageDown ? page
                      : key == Key::Home     ? -first_
                                             : 0;
    const int last = std::max(0, static_cast<int>(lines_.size()) - height);
    first_ = std::clamp(first_ + moved, 0, last);
  }
  std::vector<std::string> shown() const {
    std::vector<std::string> shown;
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (i == 0 || i > static_cast<size_t>(first_)) shown.push_back(lines_[i]);
    }
    return shown;
  }

 private:
  std::vector<std::string> lines_ = {"lockstep top: asking..."};
  int first_ = 0;
};

// Until `q`, or until the run cannot be asked any more: then the sentence that says why.
Status watch(const LiveArguments& arguments, Terminal* terminal) {
  Looks looks(arguments);
  const std::string whom = arguments.run.empty() ? arguments.agents : arguments.run;
  TopPage page(whom);
  View view;
  bool asked = false;
  terminal->show(view.shown());
  while (true) {
    const Key key = terminal->wait_key(kKeyWaitMs);
    if (key == Key::Quit) return Status();
    view.scroll(key, terminal->height());
    const auto look = looks.take();
    if (look && !look->ok() && !asked) return look->status();
    if (look) {
      view.set(look->ok() ? page.lines(look->value())
                          : std::vector<std::string>{"lockstep top " + whom + "   q quits",
                                                     "The job has ended: " + look->message()});
      asked = true;
    }
    if (look || key != Key::None) terminal->show(view.shown());
  }
}

// Without a terminal: a line of JSON for each look, until the run cannot be asked any more.
int print_looks(const LiveArguments& arguments) {
  for (bool asked = false;; asked = true) {
    const Result<TopLook> look = look_at(arguments);
    if (!look.ok()) return asked ? static_cast<int>(kOk) : bad_input(look.message());
    const live::Answers& progress = look.value().progress;
    print_json(live_json(progress, "progress", standings_json(standings_of(all_rows(progress)))));
    if (std::fflush(stdout) != 0) return bad_input("cannot write the output");
    std::this_thread::sleep_for(std::chrono::nanoseconds(kRefreshNs));
  }
}

int run_top(const LiveArguments& arguments) {
  if (arguments.json) return print_looks(arguments);
  auto terminal = Terminal::open();
  if (!terminal.ok()) return bad_usage(terminal.message());
  const Status status = watch(arguments, terminal.value().get());
  terminal.value().reset();
  return status.ok() ? static_cast<int>(kOk) : bad_input(status.message());
}

}  // namespace

void add_top(base::Command& lockstep) {
  add_live_command(lockstep, "top",
                   "Watch a running job in the terminal: who waits, who lags, how much is moved",
                   std::make_shared<LiveArguments>(), run_top);
}

}  // namespace lockstep::cli
