#include "analysis/transfers/host_traffic.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace lockstep::analysis {

void HostTraffic::Way::add(const Transfer& transfer) {
  points.push_back({transfer.begin_ns, transfer.bytes_per_ns});
  points.push_back({transfer.end_ns, -transfer.bytes_per_ns});
}

void HostTraffic::Way::add_up() {
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.ns < b.ns; });
  for (size_t i = 1; i < points.size(); ++i) {
    const Point& before = points[i - 1];
    points[i].bytes =
        before.bytes + before.bytes_per_ns * static_cast<double>(points[i].ns - before.ns);
    points[i].bytes_per_ns += before.bytes_per_ns;
  }
}

double HostTraffic::Way::until(int64_t ns) const {
  const auto after =
      std::upper_bound(points.begin(), points.end(), ns,
                       [](int64_t at_ns, const Point& one) { return at_ns < one.ns; });
  if (after == points.begin()) return 0;
  const Point& at = *std::prev(after);
  return at.bytes + at.bytes_per_ns * static_cast<double>(ns - at.ns);
}

HostTraffic::HostTraffic(const RunTables& run, const OwnSegments& own)
    : run_(run), own_(own), send_(run.strings.find("Send")) {
  for (uint32_t m = 0; m < run.matches.size(); ++m) {
    if (run.matches[m].comparable != 0) add(m);
  }
  for (auto& [host, way] : out_) way.add_up();
  for (auto& [host, way] : in_) way.add_up();
}

HostTraffic::Transfer HostTraffic::transfer_of(uint32_t match) const {
  Transfer transfer;
  transfer.begin_ns = own_.last_start_ns[match];
  transfer.end_ns = run_.matches[match].finish_ns;
  if (transfer.begin_ns == kNoTime || transfer.end_ns <= transfer.begin_ns) return Transfer();
  transfer.bytes_per_ns = static_cast<double>(run_.matches[match].size_bytes) /
                          static_cast<double>(transfer.end_ns - transfer.begin_ns);
  return transfer;
}

void HostTraffic::add(uint32_t match) {
  const MatchRow& row = run_.matches[match];
  const Transfer transfer = transfer_of(match);
  if (transfer.begin_ns == kNoTime) return;
  const auto operation_of = [&](uint32_t arrival) -> const OperationRow& {
    return run_.operations[run_.arrivals[arrival].operation];
  };
  const auto host_of = [&](uint32_t arrival) {
    return run_.processes[operation_of(arrival).process].host;
  };
  if (operation_of(row.first_arrival).kind == OpKind::PointToPoint) {
    if (row.arrivals != 2) return;
    uint32_t sender = row.first_arrival, receiver = sender + 1;
    if (operation_of(sender).func != send_) std::swap(sender, receiver);
    if (host_of(sender) == host_of(receiver)) return;
    out_[host_of(sender)].add(transfer);
    in_[host_of(receiver)].add(transfer);
    return;
  }
  std::set<Text> hosts;
  for (uint32_t a = row.first_arrival; a < row.first_arrival + row.arrivals; ++a)
    hosts.insert(host_of(a));
  if (hosts.size() < 2) return;
  for (const Text host : hosts) {
    out_[host].add(transfer);
    in_[host].add(transfer);
  }
}

double HostTraffic::others(const std::map<Text, Way>& ways, Text host, const Transfer& own,
                           int64_t begin_ns, int64_t end_ns) const {
  const auto way = ways.find(host);
  if (way == ways.end()) return 0;
  const double all = way->second.until(end_ns) - way->second.until(begin_ns);
  const int64_t both_ns = std::min(end_ns, own.end_ns) - std::max(begin_ns, own.begin_ns);
  return std::max(0.0, all - own.bytes_per_ns * static_cast<double>(std::max<int64_t>(0, both_ns)));
}

double HostTraffic::share_of(uint32_t match, Text from, Text to, int64_t begin_ns,
                             int64_t end_ns) const {
  const Transfer own = transfer_of(match);
  const auto bytes = static_cast<double>(run_.matches[match].size_bytes);
  if (own.begin_ns == kNoTime || bytes <= 0) return 1;
  return bytes / (bytes + std::max(others(out_, from, own, begin_ns, end_ns),
                                   others(in_, to, own, begin_ns, end_ns)));
}

}  // namespace lockstep::analysis
