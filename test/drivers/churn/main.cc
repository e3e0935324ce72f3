// A long life in a short time: communicators come and go in one process, each with threads of its
// own that make operations, while one communicator lives all the time. It begins as fast as it can,
// so that buffers grow. Says at the end what the process held after the first tenth and what it
// holds now.
//
//   lockstep-churn PLUGIN [--communicators 10000 | --seconds S] [--operations 100] [--threads 2]
//                  [--rate OPERATIONS_PER_S]
//
// --operations is per communicator. Prints one JSON line: the calls made, as the other drivers do,
// and "operations", "warm" and "final" (footprint.h).
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "test/drivers/churn/footprint.h"
#include "test/drivers/common/plugin.h"

namespace {

using namespace lockstep;
using driver::Plugin;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kSlackKb = 512;
constexpr uint64_t kBurst = 100'000;  // operations before --rate counts

struct Options {
  std::string plugin;
  uint64_t communicators = 10000, operations = 100;
  unsigned threads = 2;
  double seconds = 0, rate = 0;
};

// An operation as NCCL plays it for two channels and one network step.
class Operation {
 public:
  Operation(Plugin& plugin, void* context, uint64_t ordinal) : plugin_(plugin), context_(context) {
    abi::v7::EventDescr d{};
    d.coll_api = {"AllReduce", 1 << 20, "ncclFloat32", 0, nullptr, false, 0};
    void* api = start(Kind::CollApi, d);
    plugin_.stop(Kind::CollApi, api);
    d = {};
    d.parent = api;
    d.coll = {ordinal, "AllReduce", nullptr, nullptr, 1 << 20, 0, "ncclFloat32", 2, 9,
              "RING",  "SIMPLE",    nullptr, nullptr, false,   0};
    void* coll = start(Kind::Coll, d);
    plugin_.stop(Kind::Coll, coll);
    for (uint8_t channel = 0; channel < 2; ++channel) kernel(coll, channel);
    step(coll);
  }

 private:
  void* start(Kind kind, abi::v7::EventDescr d) {
    void* handle = nullptr;
    d.type = uint64_t{1} << static_cast<unsigned>(kind);
    plugin_.start(kind, context_, &handle, d);
    return handle;
  }
  void kernel(void* coll, uint8_t channel) {
    abi::v7::EventDescr d{};
    d.parent = coll;
    d.kernel_ch = {channel, 1000};
    void* handle = start(Kind::KernelCh, d);
    abi::StateArgsV4 args{};
    args.p_timer = 2000;
    plugin_.record(Kind::KernelCh, handle, abi::kKernelChStop, &args);
    plugin_.stop(Kind::KernelCh, handle);
  }
  void step(void* coll) {
    abi::v7::EventDescr d{};
    d.parent = coll;
    d.proxy_op = {static_cast<int32_t>(getpid()), 0, 1, 1, 4 << 20, 1};
    void* op = start(Kind::ProxyOp, d);
    d = {};
    d.parent = op;
    void* handle = start(Kind::ProxyStep, d);
    abi::StateArgsV4 args{};
    args.trans_size = 1 << 20;
    plugin_.record(Kind::ProxyStep, handle, abi::kProxyStepSendWait, &args);
    plugin_.stop(Kind::ProxyStep, handle);
    plugin_.stop(Kind::ProxyOp, op);
  }

  Plugin& plugin_;
  void* context_;
};

class Churn {
 public:
  Churn(const Options& options, Plugin& plugin)
      : options_(options), plugin_(plugin), begin_(Clock::now()) {}

  void run() {
    void* lasting = plugin_.init({"lasting", 1, 1, 1, 0});
    while (!done(0.1)) communicator();
    warm_ = driver::footprint_at_rest();
    paused_ = Clock::now() - begin_ - worked_;
    while (!done(1)) communicator();
    end_ = driver::footprint_down_to(warm_.memory_kb + kSlackKb);
    plugin_.finalize(lasting);
  }
  std::string json() const {
    return "\"operations\":" + std::to_string(operations_) + ",\"warm\":" + warm_.json() +
           ",\"final\":" + end_.json();
  }

 private:
  bool done(double share) {
    worked_ = Clock::now() - begin_ - paused_;
    if (options_.seconds > 0)
      return std::chrono::duration<double>(worked_).count() >= share * options_.seconds;
    return communicators_ >=
           static_cast<uint64_t>(share * static_cast<double>(options_.communicators));
  }

  void communicator() {
    const Clock::time_point began = Clock::now();
    const std::string name = communicators_ % 2 == 0 ? "data" : "pipeline";
    void* context = plugin_.init({name, 0x1000 + communicators_, 1, 1, 0});
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < options_.threads; ++i) {
      threads.emplace_back([&] {
        for (uint64_t n = 0; n < options_.operations / options_.threads; ++n)
          Operation(plugin_, context, n);
      });
    }
    for (auto& thread : threads) thread.join();
    plugin_.finalize(context);
    ++communicators_;
    operations_ += options_.operations / options_.threads * options_.threads;
    if (options_.rate > 0 && operations_ > kBurst) {
      const std::chrono::duration<double> due(static_cast<double>(options_.operations) /
                                              options_.rate);
      std::this_thread::sleep_until(began + std::chrono::duration_cast<Clock::duration>(due));
    }
  }

  const Options& options_;
  Plugin& plugin_;
  Clock::time_point begin_;
  Clock::duration paused_{}, worked_{};
  uint64_t communicators_ = 0, operations_ = 0;
  driver::Footprint warm_, end_;
};

bool parse(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name.rfind("--", 0) != 0) {
      options->plugin = name;
      continue;
    }
    if (++i >= argc) return false;
    const char* value = argv[i];
    if (name == "--communicators")
      options->communicators = std::strtoull(value, nullptr, 10);
    else if (name == "--operations")
      options->operations = std::strtoull(value, nullptr, 10);
    else if (name == "--threads")
      options->threads = static_cast<unsigned>(std::atoi(value));
    else if (name == "--seconds")
      options->seconds = std::atof(value);
    else if (name == "--rate")
      options->rate = std::atof(value);
    else
      return false;
  }
  return !options->plugin.empty() && options->threads > 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, &options)) {
    std::fprintf(stderr,
                 "usage: lockstep-churn PLUGIN [--communicators N | --seconds S] [--operations N]\n"
                 "       [--threads N] [--rate OPERATIONS_PER_S]\n");
    return 2;
  }
  setenv("NCCL_PROFILER_PLUGIN", options.plugin.c_str(), 1);
  static driver::CallCounts counts;
  auto plugin = Plugin::load({options.plugin, 0}, &counts);
  if (!plugin.ok()) return std::fprintf(stderr, "%s\n", plugin.message().c_str()), 3;
  Churn churn(options, *plugin.value());
  churn.run();
  driver::CountSum sum;
  sum.add(counts);
  std::printf("{%s,%s}\n", sum.json_members().c_str(), churn.json().c_str());
  return 0;
}
