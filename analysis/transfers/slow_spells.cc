#include "analysis/transfers/slow_spells.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/transfers/host_traffic.h"

namespace lockstep::analysis {
namespace {

// Slow is what takes so many times as long as usual: a send, and a proxy thread to make visible to its GPU what has come.
constexpr int64_t kTimesUsual = 2, kTimesUsualOfProxy = 4;
// ... and longer by such a part of what its operation takes longer: else something else holds that up.
constexpr int64_t kPartOfLonger = 4;
// The operation takes longer by such a part of what a send does. Steps that a proxy thread looks at one after the other
// wait at the same time, so their sum tells less: by such a part of what it usually takes.
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
  uint32_t communicator = kNoRow;
  Text func = 0;
  uint64_t size_bytes = 0;
  int32_t from = -1, to = -1;  // ranks
  bool operator<(const Kind& other) const {
    return std::tie(proxy, communicator, func, size_bytes, from, to) <
           std::tie(other.proxy, other.communicator, other.func, other.size_bytes, other.from,
                    other.to);
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
  Finder(const RunTables& run, const OwnSegments& own) : run_(run), own_(own), traffic_(run, own) {
    for (const MemberRow& member : run.members)
      actors_[{member.communicator, member.rank}] = own.actor_of(run, member);
  }

  SpellsOfRun find() {
    Works all;
    for (const uint32_t a : own_.order) {
      const OperationRow& row = run_.operations[run_.arrivals[a].operation];
      if (!own_.segments[a].counts) continue;
      if (row.sending_ns > 0) gather(a, row, {row.rank, row.send_peer, false}, &all);
      if (row.flush_ns > 0) gather(a, row, {row.receive_peer, row.rank, true}, &all);
    }
    for (const auto& [kind, works] : all) {
      if (works.size() >= kFewestOperations) judge(kind, works);
    }
    return std::move(out_);
  }

 private:
  struct Way {
    int32_t from = -1, to = -1;
    bool proxy = false;
  };

  void gather(uint32_t arrival, const OperationRow& row, const Way& way, Works* all) const {
    const auto from = actors_.find({row.communicator, way.from});
    const auto to = actors_.find({row.communicator, way.to});
    if (from == actors_.end() || from->second == kNoRow || to == actors_.end() ||
        to->second == kNoRow)
      return;
    const uint32_t match = run_.arrivals[arrival].match;
    const int64_t begin_ns = own_.last_start_ns[match], end_ns = last_end_ns(match);
    if (end_ns <= begin_ns) return;
    Work work{match, row.flush_ns, row.flush_ns, end_ns - begin_ns};
    if (!way.proxy) {
      const double share =
          traffic_.share_of(match, host_of(from->second), host_of(to->second), begin_ns, end_ns);
      work.work_ns = row.sending_ns;
      work.alone_ns = static_cast<int64_t>(static_cast<double>(row.sending_ns) * share);
    }
    (*all)[{way.proxy, row.communicator, row.func, row.size_bytes, way.from, way.to}].push_back(
        work);
  }
  int64_t last_end_ns(uint32_t m) const {
    const MatchRow& match = run_.matches[m];
    int64_t last_ns = kNoTime;
    for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
      if (own_.segments[a].end_known) last_ns = std::max(last_ns, own_.segments[a].end_ns);
    }
    return last_ns;
  }

  void judge(const Kind& kind, const std::vector<Work>& works) {
    SlowSpells spells;
    spells.proxy = kind.proxy;
    spells.communicator = kind.communicator;
    spells.from = actors_.at({kind.communicator, kind.from});
    spells.to = actors_.at({kind.communicator, kind.to});
    if (!kind.proxy) out_.compared.emplace(spells.from, spells.to);
    const int64_t work_ns = usual_of(works, &Work::work_ns);
    const int64_t alone_ns = usual_of(works, &Work::alone_ns);
    const int64_t times = kind.proxy ? kTimesUsualOfProxy : kTimesUsual;
    spells.usual_ns = usual_of(works, &Work::took_ns);
    for (const Work& one : works) {
      const int64_t longer_ns = one.took_ns - spells.usual_ns;
      const int64_t more_ns = one.work_ns - work_ns;
      const int64_t least_ns = kind.proxy ? spells.usual_ns / kPartOfUsual : more_ns / kPartOfMore;
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
  const HostTraffic traffic_;
  std::map<std::pair<uint32_t, int32_t>, uint32_t> actors_;      // by communicator and rank
  std::map<std::tuple<uint32_t, Text, uint64_t>, size_t> ways_;  // slow ones so far
  SpellsOfRun out_;
};

}  // namespace

SpellsOfRun find_slow_spells(const RunTables& run, const OwnSegments& own) {
  const bool has_steps = std::any_of(run.operations.begin(), run.operations.end(),
                                     [](const OperationRow& row) { return row.sending_ns > 0; });
  return has_steps ? Finder(run, own).find() : SpellsOfRun();
}

}  // namespace lockstep::analysis
