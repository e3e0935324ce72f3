// A training loop that marks its steps and ranges (lockstep/mark.h) around the calls that NCCL would
// make, from several threads at once, and tells what became of each mark.
//
//   lockstep-marks PLUGIN [--rank 0] [--ranks 1] [--steps 10] [--threads 8] [--ranges 20] [--unended] [--capture]
//                  [--step-ms 0] [--fork] [--end finalize|wait]
//
// Before the plugin is loaded and after NCCL has finalised it marks a step too, with --fork also in a
// child. In each step thread 0 calls two all-reduces inside the range "exchange", with "optimizer" inside
// it; the other threads push and pop `ranges` ranges of the names "thread T" each. --unended leaves out
// the ends of steps. Prints one line of JSON: marks by what they returned (`recorded`, `refused`), and
// those of each part. --end wait prints it before finalize and then sleeps for ever.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "base/command_line.h"
#include "lockstep/mark.h"
#include "test/drivers/common/plugin.h"

namespace lockstep::driver {
namespace {

struct Options {
  std::string plugin, end = "finalize";
  int rank = 0, ranks = 1;
  unsigned steps = 10, threads = 8, ranges = 20, step_ms = 0;
  bool unended = false, forks = false, captures = false;
};

class Tally {
 public:
  void add(int returned) {
    (returned == 0 ? recorded_ : refused_).fetch_add(1, std::memory_order_relaxed);
  }
  unsigned recorded() const { return recorded_; }
  std::string json(const char* name) const {
    return std::string("\"") + name + "\":{\"recorded\":" + std::to_string(recorded_) +
           ",\"refused\":" + std::to_string(refused_) + "}";
  }

 private:
  std::atomic<unsigned> recorded_{0}, refused_{0};
};

class Rank {
 public:
  explicit Rank(const Options& options) : options_(options) {}

  Status run() {
    mark_all(&before_);
    PluginOptions plugin;
    plugin.path = options_.plugin;
    auto loaded = Plugin::load(plugin, &counts_);
    if (!loaded.ok()) return loaded.status();
    plugin_ = std::move(loaded.value());
    mark_all(&before_);
    context_ = plugin_->init({"world", 0x77, 1, options_.ranks, options_.rank});
    for (unsigned step = 0; step < options_.steps; ++step) one_step(step);
    if (options_.end == "wait") {
      print();
      for (;;) pause();
    }
    plugin_->finalize(context_);
    mark_all(&after_);
    if (options_.forks) mark_in_child();
    print();
    return Status();
  }

 private:
  static void mark_all(Tally* tally) {
    tally->add(lockstep_mark_step_begin(4711));
    tally->add(lockstep_mark_range_push("outside"));
    tally->add(lockstep_mark_range_pop());
    tally->add(lockstep_mark_text("here"));
    tally->add(lockstep_mark_capture_start("outside"));
    tally->add(lockstep_mark_capture_stop("outside"));
    tally->add(lockstep_mark_step_end(4711));
  }

  void one_step(unsigned step) {
    if (options_.captures && step == 5) inside_.add(lockstep_mark_capture_start("five"));
    if (options_.captures && step == 10) inside_.add(lockstep_mark_capture_stop("five"));
    inside_.add(lockstep_mark_step_begin(step));
    std::vector<std::thread> threads;
    for (unsigned t = 1; t < options_.threads; ++t)
      threads.emplace_back([this, t] { push_all(t); });
    inside_.add(lockstep_mark_range_push("exchange"));
    all_reduce(2 * step);
    inside_.add(lockstep_mark_range_push("optimizer"));
    all_reduce(2 * step + 1);
    inside_.add(lockstep_mark_range_pop());
    inside_.add(lockstep_mark_range_pop());
    for (std::thread& thread : threads) thread.join();
    if (options_.step_ms != 0) usleep(options_.step_ms * 1000);
    if (!options_.unended) inside_.add(lockstep_mark_step_end(step));
  }

  // The name is made anew in the same place each time.
  void push_all(unsigned thread) {
    char name[32];
    for (unsigned i = 0; i < options_.ranges; ++i) {
      std::snprintf(name, sizeof name, "thread %u", thread);
      inside_.add(lockstep_mark_range_push(name));
      std::snprintf(name, sizeof name, "-");
      inside_.add(lockstep_mark_range_pop());
    }
  }

  void all_reduce(uint64_t number) {
    abi::v7::EventDescr d{};
    d.rank = options_.rank;
    d.coll_api = {"AllReduce", size_t{1024} << (number % 2), "ncclFloat32", 0, nullptr, false, 0};
    void *api = nullptr, *coll = nullptr;
    plugin_->start(Kind::CollApi, context_, &api, d);
    d.parent = api;
    d.coll = {number, "AllReduce",   nullptr, nullptr, size_t{1024} << (number % 2),
              0,      "ncclFloat32", 1,       1,       "RING",
              "LL",   nullptr,       nullptr, false,   0};
    plugin_->start(Kind::Coll, context_, &coll, d);
    plugin_->stop(Kind::Coll, coll);
    plugin_->stop(Kind::CollApi, api);
  }

  void mark_in_child() {
    const pid_t child = fork();
    if (child == 0) {
      mark_all(&child_);
      _exit(child_.recorded() == 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    child_is_inert_ = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  void print() const {
    std::printf("{%s,%s,%s,\"child_is_inert\":%s}\n", before_.json("before").c_str(),
                inside_.json("inside").c_str(), after_.json("after").c_str(),
                child_is_inert_ ? "true" : "false");
    std::fflush(stdout);
  }

  const Options& options_;
  CallCounts counts_{};
  std::unique_ptr<Plugin> plugin_;
  void* context_ = nullptr;
  Tally before_, inside_, after_, child_;
  bool child_is_inert_ = false;
};

}  // namespace
}  // namespace lockstep::driver

int main(int argc, char** argv) {
  using namespace lockstep;
  driver::Options options;
  base::Program program("Marks the steps and ranges of calls that NCCL would make.");
  program.option("PLUGIN", &options.plugin, "The profiler plugin").required();
  program.option("--rank", &options.rank, "This process's rank").not_negative();
  program.option("--ranks", &options.ranks, "Ranks of its communicator").positive();
  program.option("--steps", &options.steps, "Steps");
  program.option("--threads", &options.threads, "Threads that mark at once").positive();
  program.option("--ranges", &options.ranges, "Ranges of each other thread in a step");
  program.flag("--unended", &options.unended, "Marks no step's end");
  program.option("--step-ms", &options.step_ms, "Sleeps so long in each step").between(0, 900);
  program.flag("--capture", &options.captures,
               "Begins a capture before step 5, and ends it before step 10");
  program.flag("--fork", &options.forks, "Marks in a forked child, too");
  program.option("--end", &options.end, "How it ends").one_of({"finalize", "wait"});
  const auto status = program.parse(argc, argv);
  if (status) return *status;
  setenv("NCCL_PROFILER_PLUGIN", options.plugin.c_str(), 0);
  driver::Rank rank(options);
  const Status ran = rank.run();
  if (ran.ok()) return 0;
  std::fprintf(stderr, "lockstep-marks: %s\n", ran.message().c_str());
  return 3;
}
