// lockstep-clockcheck RUN_DIR HOST=MODEL...: compares what the prober recorded with the truth.
// MODEL is the virtual clock each host ran (parse_virtual_clock, with x0_ns). For every pair it
// solves the edge of each interface from both hosts' hull records and prints one JSON line: error percentiles,
// half-widths, each direction's fastest packet, and the share of instants whose guaranteed interval
// held the truth. Exit 1 when the solver is wrong or worse than the recorded packets allow:
//   - the truth lies outside of an interval;
//   - an end of the interval lies farther from the truth than the packets around it prove, or nearer
//     than the fastest packet can prove (packet_limits.h);
//   - clocks that neither step nor drift beyond D are said to.
// No limit is a time of this machine, so a busy one passes as well as an idle one. Options: --skip
// S leaves out the first seconds (2); --stamps kernel|application: most packets must have such
// stamps, else exit 1. Exit 3 when a pair has no answer.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clocksync/record/clock_files.h"
#include "clocksync/solve/edge_solver.h"
#include "clocksync/wire/clock_source.h"
#include "test/drivers/clockcheck/packet_limits.h"

namespace {

using namespace lockstep;
using namespace lockstep::clocksync;

constexpr int64_t kLastNs = 500'000'000;
// Stamps, the truth and the interval's ends are whole nanoseconds; between the solver's instants
// the interval is 1 ns wider.
constexpr double kRoundingNs = 6;

struct Options {
  double skip_s = 2;
  std::optional<StampKind> stamps;
};

struct Host {
  std::string name;
  VirtualClockModel clock;
  std::map<std::pair<std::string, std::string>, std::vector<HullPoint>> heard;  // peer, interface
};

bool read_points(const std::string& directory, Host* host) {
  Result<ClockRecordReader> reader =
      ClockRecordReader::open(directory + "/" + host->name + ".clock");
  if (!reader.ok()) {
    std::fprintf(stderr, "%s\n", reader.message().c_str());
    return false;
  }
  while (const auto record = reader.value().next()) {
    const auto* bin = std::get_if<HullBin>(&*record);
    if (bin == nullptr) continue;
    auto& points = host->heard[{bin->peer, bin->interface}];
    points.insert(points.end(), bin->points.begin(), bin->points.end());
  }
  return true;
}

int64_t at_share(const std::vector<int64_t>& sorted, double share) {
  return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
}

int64_t theta(const Host& a, const Host& b, int64_t t_raw_ns) {
  return b.clock.at(a.clock.inverse(t_raw_ns)) - t_raw_ns;
}

// What a solver said about one pair, against the truth.
struct Errors {
  std::vector<int64_t> error_ns, half_ns;
  uint64_t held = 0;

  void add(const OffsetInterval& interval, int64_t truth_ns) {
    error_ns.push_back(std::llabs(interval.estimate_ns() - truth_ns));
    half_ns.push_back(interval.width_ns() / 2);
    held += interval.lo_ns <= truth_ns + 2 && truth_ns - 2 <= interval.hi_ns ? 1 : 0;
  }
};

// The solver against what the packets allow.
struct Judgement {
  uint64_t instants = 0, too_wide = 0, too_narrow = 0;
  // By how much an end was farther from the truth than it had to be, at most.
  double worst_ns = 0;

  void add(double distance_ns, const clockcheck::PacketLimits::Room& room) {
    ++instants;
    worst_ns = std::max(worst_ns, distance_ns - room.most_ns);
    too_wide += distance_ns > room.most_ns + kRoundingNs ? 1 : 0;
    too_narrow += distance_ns < room.least_ns - kRoundingNs ? 1 : 0;
  }
};

// Around a break nothing is interpolated, so the interval is wider than packets across it prove.
bool near_break(const EdgeModel& model, int64_t t_raw_ns) {
  constexpr int64_t kReachNs = 5'000'000'000;
  for (const EdgeBreak& step : model.breaks()) {
    if (t_raw_ns > step.from_raw_ns - kReachNs && t_raw_ns < step.to_raw_ns + kReachNs) return true;
  }
  return false;
}

// At the instants that the solver solves for.
Judgement judge(const EdgeModel& model, const clockcheck::PacketLimits& limits,
                const clockcheck::Truth& truth, int64_t skip_ns) {
  Judgement judgement;
  const int64_t step_ns = EdgeOptions().grid_ns;
  for (int64_t t = model.from_raw_ns(); t < model.to_raw_ns() - kLastNs; t += step_ns) {
    const auto interval = model.at(t);
    if (t < model.from_raw_ns() + skip_ns || !interval || near_break(model, t)) continue;
    const int64_t truth_ns = truth(t);
    const auto above = limits.above(t), below = limits.below(t);
    if (above) judgement.add(static_cast<double>(interval->hi_ns - truth_ns), *above);
    if (below) judgement.add(static_cast<double>(truth_ns - interval->lo_ns), *below);
  }
  return judgement;
}

bool usual_stamps(const std::vector<HullPoint>& points, StampKind wanted) {
  const auto have = std::count_if(points.begin(), points.end(), [wanted](const HullPoint& point) {
    return point.kind == wanted;
  });
  return 2 * static_cast<size_t>(have) > points.size();
}

// 0 good, 1 wrong, 3 no answer.
int check_edge(const Host& a, const Host& b, const std::string& interface, const Options& options) {
  const auto b_heard = b.heard.find({a.name, interface});
  const auto a_heard = a.heard.find({b.name, interface});
  if (b_heard == b.heard.end() || a_heard == a.heard.end()) {
    std::printf("{\"a\":\"%s\",\"b\":\"%s\",\"answer\":false}\n", a.name.c_str(), b.name.c_str());
    return 3;
  }
  EdgeBounds bounds;
  for (const HullPoint& point : b_heard->second) bounds.add_a_to_b(point);
  for (const HullPoint& point : a_heard->second) bounds.add_b_to_a(point);
  const size_t points = bounds.upper.size() + bounds.lower.size();
  const EdgeModel model = EdgeModel::solve(bounds, EdgeOptions());
  const clockcheck::Truth truth = [&](int64_t t) { return theta(a, b, t); };
  const clockcheck::PacketLimits limits(bounds, truth, TaylorLimits().d_ns_s2);
  const auto skip_ns = static_cast<int64_t>(options.skip_s * 1e9);
  Errors errors;
  for (int64_t t = model.from_raw_ns() + skip_ns; t < model.to_raw_ns() - kLastNs;
       t += 10'000'000) {
    if (const auto interval = model.at(t)) errors.add(*interval, truth(t));
  }
  const Judgement judgement = judge(model, limits, truth, skip_ns);
  if (errors.error_ns.empty() || judgement.instants == 0) {
    std::printf("{\"a\":\"%s\",\"b\":\"%s\",\"answer\":false,\"points\":%zu}\n", a.name.c_str(),
                b.name.c_str(), points);
    return 3;
  }
  const size_t n = errors.error_ns.size();
  std::sort(errors.error_ns.begin(), errors.error_ns.end());
  std::sort(errors.half_ns.begin(), errors.half_ns.end());
  const auto proved = std::count_if(model.breaks().begin(), model.breaks().end(),
                                    [](const EdgeBreak& step) { return step.proved; });
  std::printf(
      "{\"a\":\"%s\",\"b\":\"%s\",\"interface\":\"%s\",\"n\":%zu,\"points\":%zu,\"p50_ns\":%lld,"
      "\"p99_ns\":%lld,"
      "\"max_ns\":%lld,\"half_p50_ns\":%lld,\"half_max_ns\":%lld,\"held\":%.6f,\"breaks\":%zu,"
      "\"fastest_ab_ns\":%lld,\"fastest_ba_ns\":%lld,\"ends\":%llu,\"too_wide\":%llu,"
      "\"too_narrow\":%llu,\"beyond_packets_ns\":%.1f}\n",
      a.name.c_str(), b.name.c_str(), interface.c_str(), n, points,
      static_cast<long long>(at_share(errors.error_ns, 0.5)),
      static_cast<long long>(at_share(errors.error_ns, 0.99)),
      static_cast<long long>(errors.error_ns.back()),
      static_cast<long long>(at_share(errors.half_ns, 0.5)),
      static_cast<long long>(errors.half_ns.back()),
      static_cast<double>(errors.held) / static_cast<double>(n), model.breaks().size(),
      static_cast<long long>(limits.fastest_a_to_b_ns()),
      static_cast<long long>(limits.fastest_b_to_a_ns()),
      static_cast<unsigned long long>(judgement.instants),
      static_cast<unsigned long long>(judgement.too_wide),
      static_cast<unsigned long long>(judgement.too_narrow), judgement.worst_ns);
  bool good = errors.held == n && judgement.too_wide == 0 && judgement.too_narrow == 0 &&
              proved == 0 && !model.assumption_relaxed();
  if (options.stamps) {
    good = good && usual_stamps(b_heard->second, *options.stamps) &&
           usual_stamps(a_heard->second, *options.stamps);
  }
  return good ? 0 : 1;
}

// The edge by the first interfaces, which every pair has, and those by others.
int check_pair(const Host& a, const Host& b, const Options& options) {
  std::set<std::string> interfaces = {""};
  for (const auto& heard : b.heard) {
    if (heard.first.first == a.name) interfaces.insert(heard.first.second);
  }
  int worst = 0;
  for (const std::string& interface : interfaces)
    worst = std::max(worst, check_edge(a, b, interface, options));
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::string directory;
  std::vector<Host> hosts;
  const HostClock base;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--now") {
      std::printf("%lld\n", static_cast<long long>(base.raw_ns()));
      return 0;
    }
    if (word == "--skip" && more) {
      options.skip_s = std::atof(argv[++i]);
    } else if (word == "--stamps" && more) {
      options.stamps =
          std::strcmp(argv[++i], "kernel") == 0 ? StampKind::Kernel : StampKind::Application;
    } else if (directory.empty()) {
      directory = word;
    } else {
      const size_t equals = word.find('=');
      const Result<VirtualClockModel> model =
          parse_virtual_clock(equals == std::string::npos ? "" : word.substr(equals + 1), base);
      if (!model.ok()) {
        std::fprintf(stderr, "%s\n", model.message().c_str());
        return 2;
      }
      hosts.push_back({word.substr(0, equals), model.value(), {}});
    }
  }
  if (hosts.size() < 2) {
    std::fprintf(stderr,
                 "usage: lockstep-clockcheck RUN_DIR HOST=MODEL HOST=MODEL... [--skip S] "
                 "[--stamps kernel|application]\n");
    return 2;
  }
  int worst = 0;
  for (Host& host : hosts) {
    if (!read_points(directory, &host)) return 3;
  }
  for (size_t i = 0; i < hosts.size(); ++i) {
    for (size_t j = i + 1; j < hosts.size(); ++j) {
      worst = std::max(worst, check_pair(hosts[i], hosts[j], options));
    }
  }
  return worst;
}
