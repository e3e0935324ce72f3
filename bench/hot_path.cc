// What one call costs the thread that makes it: percentiles per kind and call, in nanoseconds above
// an empty call, for our plugin and, with --peer, for another one under the same load in the same
// run.
//
//   build/bench/hot_path [PLUGIN.so] [--peer OTHER.so] [--samples N]
//
// The load is bursts of 64 events with waits of 20-80 us between them, from a pinned thread,
// because that is how NCCL calls: caches are cold at the start of a burst and the dump thread is at
// work. Each call is timed alone between two counter reads; the median of an empty call under the
// same harness is taken off. A second table has calls as multiples of one counter read, hot and cold
// (cold_and_hot.h): the figure that can be compared between machines.
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <vector>

#include "base/clock_ns.h"
#include "bench/cold_and_hot.h"
#include "bench/plugin_host.h"
#include "plugin/record/tick_clock.h"

namespace {

using namespace lockstep;
using bench::Host;

struct Series {
  std::vector<float> ns;
  double mean = 0;
  double at(double share) const {
    return static_cast<double>(ns[static_cast<size_t>(share * static_cast<double>(ns.size() - 1))]);
  }
};
using Table = std::map<std::string, Series>;  // "ProxyStep start" -> its calls

constexpr Kind kMeasured[] = {Kind::GroupApi, Kind::CollApi,   Kind::KernelLaunch,
                              Kind::Group,    Kind::Coll,      Kind::P2p,
                              Kind::ProxyOp,  Kind::ProxyStep, Kind::KernelCh};

double ns_per_tick = 1;

void calibrate() {
  const uint64_t ns0 = static_cast<uint64_t>(raw_now_ns()), t0 = plugin::read_counter();
  while (static_cast<uint64_t>(raw_now_ns()) - ns0 < 100000000) {
  }
  ns_per_tick = static_cast<double>(static_cast<uint64_t>(raw_now_ns()) - ns0) /
                static_cast<double>(plugin::read_counter() - t0);
}

void wait_us(unsigned us) {
  const int64_t end = raw_now_ns() + int64_t{us} * 1000;
  while (raw_now_ns() < end) {
  }
}

class Load {
 public:
  Load(const Host& host, size_t samples) : host_(host), samples_(samples) {}

  Table run() {
    for (Kind kind : kMeasured) run_kind(kind);
    for (auto& [name, series] : table_) {
      double sum = 0;
      for (float ns : series.ns) sum += static_cast<double>(ns);
      series.mean = sum / static_cast<double>(series.ns.size());
      std::sort(series.ns.begin(), series.ns.end());
    }
    return std::move(table_);
  }

 private:
  template <typename F>
  void timed(Series& series, F call) {
    const uint64_t before = plugin::read_counter();
    call();
    const uint64_t after = plugin::read_counter();
    series.ns.push_back(static_cast<float>(static_cast<double>(after - before) * ns_per_tick));
  }

  void run_kind(Kind kind) {
    const std::string name = kKindNames[static_cast<unsigned>(kind)];
    Series &starts = table_[name + " start"], &stops = table_[name + " stop"],
           &empty = table_["empty call"];
    const bool has_state = kind == Kind::ProxyStep || kind == Kind::KernelCh;
    Series* states = has_state ? &table_[name + " state"] : nullptr;
    bench::Descr coll = bench::descriptor(Kind::Coll, nullptr);
    void* parent = host_.start(coll);
    bench::Descr d =
        bench::descriptor(kind, kind == Kind::GroupApi || kind == Kind::Group ? nullptr : parent);
    for (size_t done = 0; done < samples_; done += kBurst) {
      for (size_t i = 0; i < kBurst; ++i) {
        void* handle = nullptr;
        d.proxy_step.step += kind == Kind::ProxyStep;
        timed(starts, [&] { handle = host_.start(d); });
        if (has_state) {
          const auto state =
              static_cast<abi::State>(kind == Kind::KernelCh ? kKernelChStop : kSendWait);
          timed(*states, [&] { host_.state(handle, state, 1 << 20); });
        }
        timed(stops, [&] { host_.stop(handle); });
        timed(empty, [&] { empty_(nullptr); });
      }
      wait_us(20 + static_cast<unsigned>(random_() % 60));
    }
    host_.stop(parent);
  }

  static constexpr size_t kBurst = 64;
  static abi::ResultCode nothing(void*) { return 0; }
  abi::ResultCode (*volatile empty_)(void*) = nothing;
  const Host& host_;
  size_t samples_;
  std::mt19937 random_{1};
  Table table_;
};

void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

struct Measured {
  std::string name;
  Table table;
  std::map<std::string, bench::ColdAndHot> cold_and_hot;
  double counter_ticks = 0;
};

Measured measure(const std::string& path, size_t samples) {
  Host host = Host::load(path);
  host.init(0x1234567890abcdefULL);
  pin_to(0);  // after init: the plugin's own threads keep both cores
  Measured measured;
  measured.name = host.name;
  measured.table = Load(host, samples).run();
  bench::ColdAndHotCalls calls(host);
  measured.counter_ticks = bench::ColdAndHotCalls::counter_ticks();
  for (Kind kind : kMeasured) measured.cold_and_hot.merge(calls.measure(kind));
  host.finalize();
  return measured;
}

void print_multiples(const Measured& measured) {
  std::printf("\n%s: multiples of one counter read (%.2f ns)\n%-22s %8s %8s\n",
              measured.name.c_str(), measured.counter_ticks * ns_per_tick, "call", "hot", "cold");
  for (const auto& [call, ticks] : measured.cold_and_hot) {
    std::printf("%-22s %8.2f %8.2f\n", call.c_str(), ticks.hot_ticks / measured.counter_ticks,
                ticks.cold_ticks / measured.counter_ticks);
  }
}

void print(const Measured& measured) {
  const Table& table = measured.table;
  const double base = table.at("empty call").at(0.5);
  std::printf("\n%s: ns above an empty call (%.1f ns)\n%-22s %8s %8s %8s %8s %8s %8s\n",
              measured.name.c_str(), base, "call", "mean", "p50", "p90", "p99", "p99.9", "max");
  for (const auto& [call, s] : table) {
    if (call == "empty call") continue;
    std::printf("%-22s %8.1f %8.1f %8.1f %8.1f %8.1f %8.0f\n", call.c_str(), s.mean - base,
                s.at(0.5) - base, s.at(0.9) - base, s.at(0.99) - base, s.at(0.999) - base,
                s.at(1) - base);
  }
  print_multiples(measured);
}

void print_ratios(const Table& ours, const Table& theirs) {
  const double our_base = ours.at("empty call").at(0.5),
               their_base = theirs.at("empty call").at(0.5);
  std::printf("\nours / peer (below 1 is cheaper)\n%-22s %8s %8s %8s\n", "call", "mean", "p50",
              "p99");
  for (const auto& [call, a] : ours) {
    if (call == "empty call") continue;
    const Series& b = theirs.at(call);
    if (b.at(0.5) - their_base < 1) {
      std::printf("%-22s not recorded by the peer\n", call.c_str());
      continue;
    }
    auto ratio = [&](double x, double y) { return (x - our_base) / std::max(y - their_base, 0.1); };
    std::printf("%-22s %8.2f %8.2f %8.2f\n", call.c_str(), ratio(a.mean, b.mean),
                ratio(a.at(0.5), b.at(0.5)), ratio(a.at(0.99), b.at(0.99)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string ours = "build/libnccl-profiler.so", peer;
  size_t samples = 200000;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--peer") == 0 && i + 1 < argc) {
      peer = argv[++i];
    } else if (std::strcmp(argv[i], "--samples") == 0 && i + 1 < argc) {
      samples = std::strtoull(argv[++i], nullptr, 10);
    } else {
      ours = argv[i];
    }
  }
  setenv("LOCKSTEP_ENABLE", "1", 1);
  setenv("LOCKSTEP_EVENTS", "all", 0);
  setenv("LOCKSTEP_DIR", "/tmp/lockstep-bench-%p", 0);
  calibrate();
  const Measured a = measure(ours, samples);
  print(a);
  if (!peer.empty()) {
    const Measured b = measure(peer, samples);
    print(b);
    print_ratios(a.table, b.table);
  }
  return 0;
}
