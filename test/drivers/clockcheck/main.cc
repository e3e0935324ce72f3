// lockstep-clockcheck RUN_DIR HOST=MODEL...: compares what the prober recorded with the truth.
// MODEL is the virtual clock each host ran (parse_virtual_clock, with x0_ns). For every pair it
// solves the edge from both hosts' hull records and prints one JSON line: error percentiles,
// half-widths and the share of instants whose guaranteed interval held the truth. Options: --skip S
// leaves out the first seconds; --p99 NS, --max NS, --half NS are limits on the worst pair; exit 1
// when one is passed or an interval missed the truth, 3 when a pair has no answer.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "clocksync/record/clock_records.h"
#include "clocksync/solve/edge_solver.h"
#include "clocksync/wire/clock_source.h"

namespace {

using namespace lockstep;
using namespace lockstep::clocksync;

struct Limits {
  double skip_s = 2;
  int64_t p99_ns = INT64_MAX, max_ns = INT64_MAX, half_ns = INT64_MAX;
};

struct Host {
  std::string name;
  VirtualClockModel clock;
  std::map<std::string, std::vector<HullPoint>> from_peer;
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
    auto& points = host->from_peer[bin->peer];
    points.insert(points.end(), bin->points.begin(), bin->points.end());
  }
  return true;
}

int64_t at_share(std::vector<int64_t>* values, double share) {
  std::sort(values->begin(), values->end());
  return (*values)[static_cast<size_t>(share * static_cast<double>(values->size() - 1))];
}

// 0 good, 1 beyond a limit, 3 no answer.
int check_pair(const Host& a, const Host& b, const Limits& limits) {
  EdgeBounds bounds;
  const auto b_heard = b.from_peer.find(a.name), a_heard = a.from_peer.find(b.name);
  if (b_heard == b.from_peer.end() || a_heard == a.from_peer.end()) {
    std::printf("{\"a\":\"%s\",\"b\":\"%s\",\"answer\":false}\n", a.name.c_str(), b.name.c_str());
    return 3;
  }
  for (const HullPoint& point : b_heard->second) bounds.add_a_to_b(point);
  for (const HullPoint& point : a_heard->second) bounds.add_b_to_a(point);
  const size_t points = bounds.upper.size() + bounds.lower.size();
  const EdgeModel model = EdgeModel::solve(bounds, EdgeOptions());
  std::vector<int64_t> errors, halves;
  uint64_t held = 0;
  const auto skip_ns = static_cast<int64_t>(limits.skip_s * 1e9);
  for (int64_t t = model.from_raw_ns() + skip_ns; t < model.to_raw_ns() - 500'000'000;
       t += 10'000'000) {
    const auto interval = model.at(t);
    if (!interval) continue;
    const int64_t truth_ns = b.clock.at(a.clock.inverse(t)) - t;
    errors.push_back(std::llabs(interval->estimate_ns() - truth_ns));
    halves.push_back(interval->width_ns() / 2);
    held += interval->lo_ns <= truth_ns + 2 && truth_ns - 2 <= interval->hi_ns ? 1 : 0;
  }
  if (errors.empty()) {
    std::printf("{\"a\":\"%s\",\"b\":\"%s\",\"answer\":false,\"points\":%zu}\n", a.name.c_str(),
                b.name.c_str(), points);
    return 3;
  }
  const int64_t p99_ns = at_share(&errors, 0.99), max_ns = errors.back();
  const int64_t half_ns = at_share(&halves, 0.5);
  const bool all_held = held == errors.size();
  std::printf(
      "{\"a\":\"%s\",\"b\":\"%s\",\"n\":%zu,\"points\":%zu,\"p50_ns\":%lld,\"p99_ns\":%lld,\"max_"
      "ns\":%lld,"
      "\"half_p50_ns\":%lld,\"half_max_ns\":%lld,\"held\":%.6f,\"breaks\":%zu}\n",
      a.name.c_str(), b.name.c_str(), errors.size(), points,
      static_cast<long long>(at_share(&errors, 0.5)), static_cast<long long>(p99_ns),
      static_cast<long long>(max_ns), static_cast<long long>(half_ns),
      static_cast<long long>(halves.back()),
      static_cast<double>(held) / static_cast<double>(errors.size()), model.breaks().size());
  const bool good =
      all_held && p99_ns <= limits.p99_ns && max_ns <= limits.max_ns && half_ns <= limits.half_ns;
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Limits limits;
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
      limits.skip_s = std::atof(argv[++i]);
    } else if (word == "--p99" && more) {
      limits.p99_ns = std::atoll(argv[++i]);
    } else if (word == "--max" && more) {
      limits.max_ns = std::atoll(argv[++i]);
    } else if (word == "--half" && more) {
      limits.half_ns = std::atoll(argv[++i]);
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
    std::fprintf(
        stderr,
        "usage: lockstep-clockcheck RUN_DIR HOST=MODEL HOST=MODEL... [--skip S] [--p99 NS]\n");
    return 2;
  }
  int worst = 0;
  for (Host& host : hosts) {
    if (!read_points(directory, &host)) return 3;
  }
  for (size_t i = 0; i < hosts.size(); ++i) {
    for (size_t j = i + 1; j < hosts.size(); ++j) {
      worst = std::max(worst, check_pair(hosts[i], hosts[j], limits));
    }
  }
  return worst;
}
