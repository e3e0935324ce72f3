#include "analysis/judge/slow_paths.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "analysis/paths/late_proxies.h"
#include "analysis/tables/collectives.h"
#include "analysis/transfers/middle.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

int64_t quantile(std::vector<int64_t> values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<ptrdiff_t>(static_cast<double>(values.size() - 1) * share);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<size_t>(at)];
}
struct RankTimes {
  uint32_t process = 0;
  uint32_t transfers = 0;  // network operations of one operation, at most
  uint64_t sent_bytes = 0;
  // Per operation; waits: for others, with what its sends spend in the network; inside: enqueue to finish.
  std::vector<int64_t> network, sending, lag, waits, inside;
};

// A path is slow when it is this many times slower than the median of the others, by at least so
// much per operation.
constexpr double kFactor = 3;
// The network works on its sends so many times longer, at least: what goes alone has the whole way before it.
constexpr double kFactorOfWork = 2;
constexpr int64_t kLeastNs = 100'000;
// What takes less took no time.
constexpr int64_t kNothingNs = 1'000;
// What carries less than this part of all that its process sends is held up by the rest, in the same adapter; were its
// way slow, the rest would show it.
constexpr double kTriflePart = 0.01;
// Likewise a proxy thread; on a machine with more threads than cores some begin half a millisecond
// late throughout.
constexpr int64_t kLeastLagNs = 500'000;
// A slow path is slow nearly always, a busy machine only now and then: the fastest quarter tells
// them apart.
constexpr double kQuarter = 0.25;
constexpr size_t kFewestOperations = 8, kFewestRanks = 3;

class SlowFinder {
 public:
  SlowFinder(const RunTables& run, const std::vector<LateOperation>& late) : run_(run) {
    for (const LateOperation& one : late) {
      if (one.cause != Cause::HostLate) continue;
      late_rows_.insert(run.arrivals[one.arrival].operation);
      late_matches_.insert(one.match);
    }
  }

  std::vector<SlowPath> find() {
    for (size_t i = 0; i < run_.operations.size(); ++i) {
      const OperationRow& row = run_.operations[i];
      // The whole of an all-to-all stands for its parts.
      if (row.proxy_ops == 0 || row.communicator == kNoRow || row.ordinal + row.replay == 0 ||
          row.assembled != kNoRow)
        continue;
      RankTimes& times = calls_[{row.communicator, row.func}][row.rank];
      times.process = row.process;
      times.transfers = std::max(times.transfers, row.proxy_ops);
      if (row.steps != 0) {
        steps_.insert(row.communicator);
        times.sent_bytes += row.sent_bytes;
        sent_bytes_[row.process] += row.sent_bytes;
        times.network.push_back(row.network_ns);
        times.sending.push_back(row.sending_ns);
      }
      // Roots of rooted operations wait for nothing by nature; late ranks find everything there.
      if (row.steps != 0 && ends_together(run_.text(row.func)) &&
          late_matches_.count(row.match) == 0) {
        times.waits.push_back(row.gpu_wait_ns + row.receive_wait_ns + row.peer_wait_ns +
                              row.network_ns);
        if (row.finish_ns != kNoTime) times.inside.push_back(row.finish_ns - row.enqueue_ns);
      }
      if (late_rows_.count(static_cast<uint32_t>(i)) == 0) times.lag.push_back(row.proxy_lag_ns);
    }
    for (const auto& [call, ranks] : calls_) {
      // A slow proxy thread also sees its sends complete late, so the surer sign of it goes first.
      // How late it begins counts only where steps do not tell how it goes on.
      if (find_never_waiting(call, ranks)) continue;
      compare(call, ranks, SlowColumn::Name::Network);
      if (!steps_.count(call.first) && !compare_with_alike(call, ranks))
        compare(call, ranks, SlowColumn::Name::ProxyLag);
    }
    for (const auto& [communicator, late] : find_late_rounds(run_))
      add_late_rounds(communicator, late);
    return worst_of_each_process();
  }

 private:
  using Ranks = std::map<int32_t, RankTimes>;
  using Call = std::pair<uint32_t, Text>;  // communicator, function

  std::vector<SlowPath> worst_of_each_process() {
    const auto is_sure = [](const SlowPath& path) {
      return path.never_waits() || path.column == SlowColumn::Name::Flush;
    };
    const auto worse = [&](const SlowPath& a, const SlowPath& b) {
      if (is_sure(a) != is_sure(b)) return is_sure(a);
      return is_sure(a) ? a.factor > b.factor : a.lost_ns > b.lost_ns;
    };
    std::stable_sort(out_.begin(), out_.end(), worse);
    std::vector<SlowPath> worst;
    std::unordered_set<uint32_t> seen;
    for (const SlowPath& path : out_) {
      if (!seen.insert(path.processes.front()).second) continue;
      seen.insert(path.processes.begin(), path.processes.end());
      if (!joins_its_host(path, &worst)) worst.push_back(path);
    }
    return worst;
  }

  // Sends of one host that are slow on several communicators have its way out in common.
  bool joins_its_host(const SlowPath& path, std::vector<SlowPath>* worst) const {
    if (path.cause() != Cause::NetworkSlow) return false;
    const Text host = run_.processes[path.processes.front()].host;
    const auto of_host = std::find_if(worst->begin(), worst->end(), [&](const SlowPath& other) {
      return other.column == path.column && other.communicator != path.communicator &&
             run_.processes[other.processes.front()].host == host;
    });
    if (of_host == worst->end()) return false;
    const CommunicatorRow& comm = run_.communicators[path.communicator];
    for (uint32_t i = comm.first_member; i < comm.first_member + comm.members; ++i) {
      if (std::count(path.ranks.begin(), path.ranks.end(), run_.members[i].rank) == 0) continue;
      of_host->elsewhere.push_back(i);
      of_host->processes.push_back(run_.members[i].process);
    }
    return true;
  }

  // All wait for the one that never waits itself. Its GPU delivers (else its sends would wait for
  // it), and its sends are not in the network all the time, as they are where that is the bottleneck:
  // what holds it up is in no state of its steps, so its proxy thread is what is slow.
  bool find_never_waiting(const Call& call, const Ranks& ranks) {
    std::vector<std::pair<int64_t, int32_t>> typical;
    for (const auto& [rank, times] : ranks) {
      if (times.waits.size() >= kFewestOperations)
        typical.emplace_back(quantile(times.waits, 0.5), rank);
    }
    if (typical.size() < kFewestRanks) return false;
    std::sort(typical.begin(), typical.end());
    const auto [least, rank] = typical.front();
    const int64_t usual = typical[typical.size() / 2].first;
    constexpr int64_t kWorthNs = 500'000;
    if (usual < kWorthNs || least * 4 > usual || least * 2 > typical[1].first) return false;
    // One that comes late and finds everything there is not inside for long.
    std::vector<int64_t> inside;
    for (const auto& [other, times] : ranks) inside.push_back(quantile(times.inside, 0.5));
    if (quantile(ranks.at(rank).inside, 0.5) * 2 < quantile(inside, 0.5)) return false;
    SlowPath path;
    path.communicator = call.first;
    path.func = call.second;
    path.ranks = {rank};
    path.processes = {ranks.at(rank).process};
    path.column = SlowColumn::Name::Waits;
    path.factor = static_cast<double>(usual) / static_cast<double>(std::max<int64_t>(1, least));
    path.typical_ns = least;
    path.others_ns = usual;
    path.operations = ranks.at(rank).waits.size();
    out_.push_back(path);
    return true;
  }

  void add_late_rounds(uint32_t communicator, const LateRounds& late) {
    SlowPath path;
    path.communicator = communicator;
    path.func = run_.operations[late.operation].func;
    path.ranks = {late.rank};
    path.processes = {late.process};
    path.column = SlowColumn::Name::Flush;
    path.factor = static_cast<double>(late.own_ns) /
                  static_cast<double>(std::max(kNothingNs, late.others_ns));
    path.typical_ns = late.own_ns;
    path.others_ns = late.others_ns;
    path.lost_ns = late.lost_ns * static_cast<int64_t>(late.operations);
    path.operations = late.operations;
    out_.push_back(path);
  }

  // Steps that are sent together wait behind each other: the network takes no longer for any of them.
  bool works_longer(const Ranks& ranks, int32_t rank, bool by_host) const {
    const RankTimes& own = ranks.at(rank);
    std::vector<int64_t> others;
    for (const auto& [other, times] : ranks) {
      if (by_host ? host_of(times) == host_of(own) : other == rank) continue;
      if (times.sending.size() >= kFewestOperations)
        others.push_back(quantile(times.sending, kQuarter));
    }
    return static_cast<double>(quantile(own.sending, kQuarter)) >=
           kFactorOfWork * static_cast<double>(median(&others));
  }

  bool is_trifle(const RankTimes& times) const {
    return static_cast<double>(times.sent_bytes) <
           kTriflePart * static_cast<double>(sent_bytes_.at(times.process));
  }

  Text host_of(const RankTimes& times) const { return run_.processes[times.process].host; }

  // As the slowest, which is the first: whose peers are on other hosts has more to send by nature.
  static void leave_with_as_many_transfers(const Ranks& ranks,
                                           std::vector<std::pair<int64_t, int32_t>>* typical) {
    const uint32_t transfers = ranks.at(typical->front().second).transfers;
    typical->erase(std::remove_if(typical->begin(), typical->end(),
                                  [&](const auto& one) {
                                    return ranks.at(one.second).transfers != transfers;
                                  }),
                   typical->end());
  }

  static const std::vector<int64_t>& times_of(const RankTimes& times, SlowColumn::Name column) {
    return column == SlowColumn::Name::Network ? times.network : times.lag;
  }

  // What a rank is compared with: per operation in others' fastest quarters, and in their slowest, when the machine is
  // busy.
  struct Others {
    std::vector<int64_t> usual, at_worst;
    void add(const std::vector<int64_t>& values) {
      usual.push_back(quantile(values, kQuarter));
      at_worst.push_back(quantile(values, 1 - kQuarter));
    }
  };

  // Beyond the next slowest as well: two slow ones would be a spread, not a culprit.
  static bool stands_out(int64_t value, Others others, int64_t least_ns) {
    const int64_t next = *std::max_element(others.usual.begin(), others.usual.end());
    const int64_t usual = usual_of(others.usual), busy = median(&others.at_worst);
    return value - usual >= least_ns && value >= busy &&
           static_cast<double>(value) >= kFactor * static_cast<double>(usual) && value >= 2 * next;
  }
  static int64_t usual_of(std::vector<int64_t> others) {
    return std::max(kNothingNs, median(&others));
  }

  void add_path(const Call& call, const Ranks& ranks, std::vector<int32_t> slow, int64_t usual_ns,
                SlowColumn::Name column) {
    const std::vector<int64_t>& own = times_of(ranks.at(slow.front()), column);
    SlowPath path;
    path.communicator = call.first;
    path.func = call.second;
    for (const int32_t rank : slow) path.processes.push_back(ranks.at(rank).process);
    path.ranks = std::move(slow);
    path.column = column;
    path.typical_ns = quantile(own, kQuarter);
    path.others_ns = usual_ns;
    path.factor = static_cast<double>(path.typical_ns) / static_cast<double>(usual_ns);
    path.operations = own.size();
    for (const int64_t value : own) path.lost_ns += std::max<int64_t>(0, value - usual_ns);
    out_.push_back(path);
  }

  // The slowest is compared with ranks of other hosts, where there are two: what slows a host's way
  // out slows all its ranks down, and they are no measure for each other.
  void compare(const Call& call, const Ranks& ranks, SlowColumn::Name column) {
    const bool network = column == SlowColumn::Name::Network;
    std::vector<std::pair<int64_t, int32_t>> typical;
    for (const auto& [rank, times] : ranks) {
      const std::vector<int64_t>& own = times_of(times, column);
      if (own.size() >= kFewestOperations) typical.emplace_back(quantile(own, kQuarter), rank);
    }
    if (typical.empty()) return;
    std::sort(typical.rbegin(), typical.rend());
    const int32_t rank = typical.front().second;
    if (network) leave_with_as_many_transfers(ranks, &typical);
    if (typical.size() < kFewestRanks) return;
    const Text host = host_of(ranks.at(rank));
    const auto elsewhere = [&](const auto& one) { return host_of(ranks.at(one.second)) != host; };
    const bool by_host = std::count_if(typical.begin(), typical.end(), elsewhere) >= 2;
    Others others;
    for (const auto& one : typical) {
      if (by_host ? elsewhere(one) : one.second != rank)
        others.add(times_of(ranks.at(one.second), column));
    }
    // Whose steps take no time sent nothing over it, and are no measure.
    if (network && usual_of(others.usual) == kNothingNs) return;
    const int64_t least_ns = network ? kLeastNs : kLeastLagNs;
    if (!stands_out(typical.front().first, others, least_ns)) return;
    if (network && (!works_longer(ranks, rank, by_host) || is_trifle(ranks.at(rank)))) return;
    std::vector<int32_t> slow;
    for (const auto& one : typical) {
      const bool is_slow = by_host && !elsewhere(one) && stands_out(one.first, others, least_ns);
      if (one.second == rank || is_slow) slow.push_back(one.second);
    }
    add_path(call, ranks, std::move(slow), usual_of(others.usual), column);
  }

  // Stages of pipelines differ by nature in what they receive: the last ones post receives long before there is anything to
  // receive, and each begins when the one before it has ended. So a rank's are compared with those of ranks of its
  // number, where there are two or more.
  bool compare_with_alike(const Call& call, const Ranks& ranks) {
    if (run_.text(call.second) != "Recv") return false;
    const std::vector<const Ranks*> alike = alike_of(call, ranks);
    if (alike.size() < kFewestRanks - 1) return false;
    int32_t slowest = -1;
    double most = 0;
    Others beside;
    for (const auto& [rank, times] : ranks) {
      Others others;
      for (const Ranks* other : alike) {
        const std::vector<int64_t>& lag = other->at(rank).lag;
        if (lag.size() >= kFewestOperations) others.add(lag);
      }
      if (times.lag.size() < kFewestOperations || others.usual.size() < kFewestRanks - 1) continue;
      const int64_t value = quantile(times.lag, kQuarter), usual = usual_of(others.usual);
      const double factor = static_cast<double>(value) / static_cast<double>(usual);
      if (factor <= most || !stands_out(value, others, kLeastLagNs)) continue;
      slowest = rank;
      most = factor;
      beside = others;
    }
    if (slowest >= 0)
      add_path(call, ranks, {slowest}, usual_of(beside.usual), SlowColumn::Name::ProxyLag);
    return true;
  }

  // The same function on other communicators of this name, with the same ranks.
  std::vector<const Ranks*> alike_of(const Call& call, const Ranks& ranks) const {
    const CommunicatorRow& own = run_.communicators[call.first];
    std::vector<const Ranks*> alike;
    for (const auto& one : calls_) {
      const auto [communicator, func] = one.first;
      const Ranks& others = one.second;
      const CommunicatorRow& comm = run_.communicators[communicator];
      const auto has_rank = [&](const auto& rank) { return others.count(rank.first) != 0; };
      if (communicator != call.first && func == call.second && comm.name == own.name &&
          comm.nranks == own.nranks && std::all_of(ranks.begin(), ranks.end(), has_rank))
        alike.push_back(&others);
    }
    return alike;
  }

  const RunTables& run_;
  std::unordered_set<uint32_t> late_rows_, late_matches_;
  std::unordered_set<uint32_t> steps_;  // communicators whose network steps are recorded
  std::map<Call, Ranks> calls_;
  std::unordered_map<uint32_t, uint64_t> sent_bytes_;  // by process
  std::vector<SlowPath> out_;
};

int64_t value_of(const OperationRow& row, SlowColumn::Name column) {
  switch (column) {
    case SlowColumn::Name::Network:
      return row.network_ns;
    case SlowColumn::Name::ProxyLag:
      return row.proxy_lag_ns;
    case SlowColumn::Name::Waits:
    case SlowColumn::Name::Flush:
      break;
  }
  return row.gpu_wait_ns + row.receive_wait_ns + row.peer_wait_ns + row.network_ns;
}

// Of the slowest rank: those where the column is longest, or where it hardly waits.
std::vector<SlowOperation> operations_of(const RunTables& run, const SlowPath& path,
                                         SlowColumn::Name column) {
  std::vector<SlowOperation> found;
  for (uint32_t i = 0; i < run.operations.size(); ++i) {
    const OperationRow& row = run.operations[i];
    if (row.communicator == path.communicator && row.func == path.func &&
        row.rank == path.ranks.front() && row.proxy_ops != 0 && row.ordinal + row.replay != 0 &&
        row.assembled == kNoRow)
      found.push_back({column, i, value_of(row, column)});
  }
  std::stable_sort(found.begin(), found.end(), [&](const SlowOperation& a, const SlowOperation& b) {
    return path.never_waits() ? a.own_ns < b.own_ns : a.own_ns > b.own_ns;
  });
  constexpr size_t kMost = 100;
  if (found.size() > kMost) found.resize(kMost);
  return found;
}

}  // namespace

std::vector<SlowPath> find_slow_paths(const RunTables& run,
                                      const std::vector<LateOperation>& late) {
  return SlowFinder(run, late).find();
}

bool is_slow_in_proportion(const RunTables& run, const OwnSegments& own, const HostTraffic& traffic,
                           const SlowPath& path) {
  const auto host_of = [&](uint32_t operation) {
    return run.processes[run.operations[operation].process].host;
  };
  std::map<int32_t, std::vector<int64_t>> alone_ns;  // by rank
  for (uint32_t i = 0; i < run.operations.size(); ++i) {
    const OperationRow& row = run.operations[i];
    if (row.communicator != path.communicator || row.func != path.func || row.steps == 0 ||
        row.kind != OpKind::PointToPoint || row.match == kNoRow)
      continue;
    const MatchRow& match = run.matches[row.match];
    const int64_t begin_ns = own.last_start_ns[row.match];
    if (match.comparable == 0 || match.arrivals != 2 || begin_ns == kNoTime) continue;
    const uint32_t first = run.arrivals[match.first_arrival].operation;
    const uint32_t peer = first == i ? run.arrivals[match.first_arrival + 1].operation : first;
    const double share =
        traffic.share_of(row.match, host_of(i), host_of(peer), begin_ns, match.finish_ns);
    alone_ns[row.rank].push_back(part_of(row.network_ns, share));
  }
  const int32_t slowest = path.ranks.front();
  std::vector<int64_t> others;
  for (const auto& [rank, all] : alone_ns) {
    if (std::count(path.ranks.begin(), path.ranks.end(), rank) == 0)
      others.push_back(quantile(all, kQuarter));
  }
  if (others.empty() || alone_ns.count(slowest) == 0) return true;
  return static_cast<double>(quantile(alone_ns[slowest], kQuarter)) >=
         kFactor * static_cast<double>(median(&others));
}

Text receiving_host(const RunTables& run, const SlowPath& path) {
  const std::set<uint32_t> senders(path.processes.begin(), path.processes.end());
  const Text own = run.processes[path.processes.front()].host;
  std::set<std::pair<uint32_t, int32_t>> peers;  // communicator, rank
  for (const OperationRow& row : run.operations) {
    if (row.send_peer == -1 || row.func != path.func || senders.count(row.process) == 0) continue;
    if (row.send_peer == kSeveralPeers) return 0;
    peers.emplace(row.communicator, row.send_peer);
  }
  std::set<Text> hosts;
  for (const MemberRow& member : run.members) {
    if (peers.count({member.communicator, member.rank}) != 0 && member.process != kNoRow)
      hosts.insert(run.processes[member.process].host);
  }
  hosts.erase(own);
  return hosts.size() == 1 ? *hosts.begin() : 0;
}

std::vector<Evidence> evidence_of(const RunTables& run, const SlowPath& path) {
  SlowColumn column;
  column.name = path.column;
  column.rank = path.ranks.front();
  column.own_ns = path.typical_ns;
  column.others_ns = path.others_ns;
  column.operations = path.operations;
  const std::vector<SlowOperation> operations = operations_of(run, path, column.name);
  if (!operations.empty()) column.operation = operations.front().operation;
  if (path.column == SlowColumn::Name::Flush) return {column};  // of steps, not of operations
  std::vector<Evidence> evidence{column};
  evidence.insert(evidence.end(), operations.begin(), operations.end());
  return evidence;
}

}  // namespace lockstep::analysis
