#include "analysis/transfers/slow_spells.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "analysis/transfers/channel_ways.h"
#include "analysis/transfers/host_traffic.h"

namespace lockstep::analysis {
namespace {

// Slow is what takes so many times as long as usual: a send, and a proxy thread to make visible to its GPU what has come.
constexpr int64_t kTimesUsual = 2, kTimesUsualOfProxy = 4;
// ... and longer by such a part of what its operation takes longer: else something else holds that up.
constexpr int64_t kPartOfLonger = 4;
// The operation takes longer by such a part of what a send does. Steps that wait at the same time tell less by their sum, as
// those that a proxy thread looks at one after the other, or that are in the network together: then by such a part of what it
// usually takes.
constexpr int64_t kPartOfMore = 4, kPartOfUsual = 4;
// So many operations tell what is usual: what a quarter of them do not exceed.
constexpr size_t kFewestOperations = 8;
constexpr size_t kPartUsual = 4;

// What one operation makes a sender's network, or a receiver's proxy thread, do.
struct Work {
  uint32_t match = kNoRow;
  int64_t work_ns = 0;   // over all network steps
  int64_t alone_ns = 0;  // ... as if nothing else had been on its way
  int64_t took_ns = 0;   // the operation, from the last start to the last end
};
struct Kind {
  bool proxy = false;
  bool together = false;  // steps that wait at the same time count each
  uint32_t communicator = kNoRow;
  Text func = 0;
  uint64_t size_bytes = 0;
  uint32_t from = kNoRow, to = kNoRow;  // actors
  bool operator<(const Kind& other) const {
    return std::tie(proxy, together, communicator, func, size_bytes, from, to) <
           std::tie(other.proxy, other.together, other.communicator, other.func, other.size_bytes,
                    other.from, other.to);
  }
};
using Works = std::map<Kind, std::vector<Work>>;

int64_t usual_of(const std::vector<Work>& works, int64_t Work::*time) {
  std::vector<int64_t> values;
  for (const Work& one : works) values.push_back(one.*time);
  const auto at = values.begin() + static_cast<ptrdiff_t>(values.size() / kPartUsual);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

class Finder {
 public:
  Finder(const RunTables& run, const OwnSegments& own, Spells which) : run_(run), own_(own) {
    if (which == Spells::OfAll) traffic_.emplace(run, own);
  }

  SpellsOfRun find() {
    find_last_ends();
    Works all;
    for (const uint32_t a : own_.order) {
      const OperationRow& row = run_.operations[run_.arrivals[a].operation];
      if (!own_.segments[a].counts) continue;
      if (row.send_peer == kSeveralPeers || row.receive_peer == kSeveralPeers) {
        gather_channels(a, row, &all);
        continue;
      }
      gather(a, kind_of(row, row.rank, row.send_peer, false), row.sending_ns, &all);
      gather(a, kind_of(row, row.receive_peer, row.rank, true), row.flush_ns, &all);
    }
    for (const auto& [kind, works] : all) {
      if (works.size() >= kFewestOperations) judge(kind, works);
    }
    return std::move(out_);
  }

 private:
  Kind kind_of(const OperationRow& row, int32_t from, int32_t to, bool proxy) const {
    return {proxy,
            proxy,
            row.communicator,
            row.func,
            row.size_bytes,
            own_.actor_of(run_, row.communicator, from),
            own_.actor_of(run_, row.communicator, to)};
  }
  // On a tree, or where channels go round different rings, a rank has several peers.
  void gather_channels(uint32_t arrival, const OperationRow& row, Works* all) const {
    std::map<std::pair<int32_t, bool>, int64_t> work_ns;  // by peer; sent to it
    for_each_end(run_, run_.arrivals[arrival].operation, [&](const ChannelEndRow& end) {
      work_ns[{static_cast<int32_t>(end.peer), end.is_send != 0}] += end.work_ns;
    });
    for (const auto& [way, ns] : work_ns) {
      const auto [peer, is_send] = way;
      Kind kind = kind_of(row, is_send ? row.rank : peer, is_send ? peer : row.rank, !is_send);
      kind.together = true;
      gather(arrival, kind, ns, all);
    }
  }
  void gather(uint32_t arrival, const Kind& kind, int64_t work_ns, Works* all) const {
    if (work_ns <= 0 || kind.from == kNoRow || kind.to == kNoRow || !(kind.proxy || traffic_))
      return;
    const uint32_t match = run_.arrivals[arrival].match;
    const int64_t begin_ns = own_.last_start_ns[match], end_ns = last_end_ns_[match];
    if (end_ns <= begin_ns) return;
    Work work{match, work_ns, work_ns, end_ns - begin_ns};
    if (!kind.proxy) {
      const double share =
          traffic_->share_of(match, host_of(kind.from), host_of(kind.to), begin_ns, end_ns);
      work.alone_ns = static_cast<int64_t>(static_cast<double>(work_ns) * share);
    }
    (*all)[kind].push_back(work);
  }
  void find_last_ends() {
    last_end_ns_.assign(run_.matches.size(), kNoTime);
    for (uint32_t m = 0; m < run_.matches.size(); ++m) {
      const MatchRow& match = run_.matches[m];
      for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
        const Segment& segment = own_.segments[a];
        if (segment.end_known) last_end_ns_[m] = std::max(last_end_ns_[m], segment.end_ns);
      }
    }
  }

  void judge(const Kind& kind, const std::vector<Work>& works) {
    SlowSpells spells;
    spells.proxy = kind.proxy;
    spells.communicator = kind.communicator;
    spells.from = kind.from;
    spells.to = kind.to;
    if (!kind.proxy) out_.compared.emplace(spells.from, spells.to);
    const int64_t work_ns = usual_of(works, &Work::work_ns);
    const int64_t alone_ns = usual_of(works, &Work::alone_ns);
    const int64_t times = kind.proxy ? kTimesUsualOfProxy : kTimesUsual;
    spells.usual_ns = usual_of(works, &Work::took_ns);
    for (const Work& one : works) {
      const int64_t longer_ns = one.took_ns - spells.usual_ns;
      const int64_t more_ns = one.work_ns - work_ns;
      const int64_t least_ns =
          kind.together ? spells.usual_ns / kPartOfUsual : more_ns / kPartOfMore;
      if (one.alone_ns < times * alone_ns || more_ns * kPartOfLonger < longer_ns ||
          longer_ns <= least_ns)
        continue;
      spells.matches.push_back(one.match);
      spells.excess_ns += std::min(more_ns, longer_ns);
    }
    if (spells.matches.empty()) return;
    spells.excess_ns /= static_cast<int64_t>(spells.matches.size());
    spells.way = ways_[{kind.communicator, kind.func, kind.size_bytes}]++;
    out_.slow.push_back(std::move(spells));
  }

  Text host_of(uint32_t actor) const { return run_.processes[own_.actors[actor].process].host; }

  const RunTables& run_;
  const OwnSegments& own_;
  std::vector<int64_t> last_end_ns_;                             // by match, kNoTime: not known
  std::optional<HostTraffic> traffic_;                           // asked about sends only
  std::map<std::tuple<uint32_t, Text, uint64_t>, size_t> ways_;  // slow ones so far
  SpellsOfRun out_;
};

}  // namespace

SpellsOfRun find_slow_spells(const RunTables& run, const OwnSegments& own, Spells which) {
  const bool has_steps = std::any_of(run.operations.begin(), run.operations.end(),
                                     [](const OperationRow& row) { return row.sending_ns > 0; });
  return has_steps ? Finder(run, own, which).find() : SpellsOfRun();
}

}  // namespace lockstep::analysis
