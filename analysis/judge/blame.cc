#include "analysis/judge/blame.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "analysis/follow/followed_run.h"
#include "analysis/judge/blame_findings.h"
#include "analysis/judge/late_operations.h"
#include "analysis/judge/places.h"
#include "analysis/judge/slow_paths.h"
#include "analysis/paths/slow_parts.h"
#include "analysis/whatif/culprits.h"
#include "analysis/whatif/whole_hosts.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

using RankKey = std::pair<uint32_t, int32_t>;  // communicator, rank

class Blamer {
 public:
  explicit Blamer(const RunTables& run) : run_(run) {}

  Blame assign() {
    find_late();
    sum_up();
    pass_on();
    const auto followed = std::make_shared<const FollowedRun>(follow_run(run_));
    accuse_stragglers(*followed);
    accuse_slow_parts(*followed);
    doubt_transfers_beside_worse(&out_.findings);
    std::stable_sort(out_.findings.begin(), out_.findings.end(), wins_more);
    out_.slower = find_slower(run_, followed->own);
    out_.followed = followed;
    note_unexplained_waits();
    note_gaps();
    return std::move(out_);
  }

  // Without what follows from them, which takes most of the time.
  std::vector<LateOperation> late() {
    find_late();
    return std::move(out_.late);
  }

 private:
  void find_late() {
    out_.late = find_late_operations(run_);
    slow_ = find_slow_paths(run_, out_.late);
    slow_.erase(std::remove_if(slow_.begin(), slow_.end(),
                               [&](const SlowPath& path) {
                                 return !path.never_waits() &&
                                        !matters(path.lost_ns, path.communicator);
                               }),
                slow_.end());
    explain_by_slow_paths();
  }

  // Lateness that came with the end of an operation in which a process with a slow path took part
  // is that path's doing.
  void explain_by_slow_paths() {
    for (LateOperation& late : out_.late) {
      if (late.origin == late.match || late.cause != Cause::Unknown) continue;
      const MatchRow& origin = run_.matches[late.origin];
      for (const SlowPath& path : slow_) {
        for (uint32_t i = 0; i < origin.arrivals; ++i) {
          const ArrivalRow& arrival = run_.arrivals[origin.first_arrival + i];
          const uint32_t process = run_.operations[arrival.operation].process;
          if (std::count(path.processes.begin(), path.processes.end(), process) != 0)
            late.cause = path.cause();
        }
      }
    }
  }

  RankKey key_of(const LateOperation& late) const {
    return {run_.matches[late.match].communicator, run_.arrivals[late.arrival].rank};
  }

  void sum_up() {
    std::map<RankKey, RankBlame> ranks;
    for (const ArrivalRow& arrival : run_.arrivals) {
      const OperationRow& row = run_.operations[arrival.operation];
      if (row.assembled != kNoRow) continue;  // its whole stands for it
      RankBlame& blame = ranks[{row.communicator, arrival.rank}];
      blame.communicator = row.communicator;
      blame.process = row.process;
      blame.rank = arrival.rank;
      if (can_be_late(run_, run_.matches[arrival.match])) ++blame.operations;
      if (arrival.wait_ns > 0) blame.own_wait_ns += arrival.wait_ns;
    }
    std::map<RankKey, std::vector<const LateOperation*>> own;
    for (const LateOperation& late : out_.late) {
      if (late.origin == late.match) own[key_of(late)].push_back(&late);
    }
    for (auto& [key, blame] : ranks) {
      add_lateness(own[key], &blame);
      out_.ranks.push_back(blame);
    }
  }
  static void add_lateness(std::vector<const LateOperation*>& own, RankBlame* blame) {
    if (own.empty()) return;
    std::sort(own.begin(), own.end(), [](const LateOperation* a, const LateOperation* b) {
      return a->excess_ns > b->excess_ns;
    });
    blame->typical_ns = own[(own.size() - 1) / 2]->excess_ns;
    std::array<uint32_t, std::size(kCauseNames)> causes{};
    for (const LateOperation* late : own) {
      if (late->excess_ns * 2 < blame->typical_ns) break;  // chance beside its usual lateness
      ++blame->late;
      blame->excess_ns += late->excess_ns;
      blame->caused_wait_ns += late->caused_wait_ns;
      ++causes[static_cast<unsigned>(late->cause)];
    }
    blame->cause =
        static_cast<Cause>(std::max_element(causes.begin(), causes.end()) - causes.begin());
  }

  // What others were late for because of a rank goes to that rank's account.
  void pass_on() {
    std::map<uint32_t, const LateOperation*> by_match;
    std::map<RankKey, RankBlame*> ranks;
    for (const LateOperation& late : out_.late) by_match[late.match] = &late;
    for (RankBlame& blame : out_.ranks) ranks[{blame.communicator, blame.rank}] = &blame;
    for (const LateOperation& late : out_.late) {
      const auto origin = by_match.find(late.origin);
      if (late.origin == late.match || origin == by_match.end()) continue;
      RankBlame& blame = *ranks.at(key_of(*origin->second));
      passed_on_[run_.matches[late.match].communicator].insert(&blame);
      if (late.cause != Cause::PeerLate) continue;
      ++blame.passed_on;
      blame.passed_on_wait_ns += late.caused_wait_ns;
    }
  }

  // What the replay finds, and what network steps show besides. Sends of several ranks of a host that
  // are all slow are one finding, which says more than one of their edges.
  void accuse_slow_parts(const FollowedRun& followed) {
    const OwnSegments& own = followed.own;
    std::set<uint32_t> accused;     // processes
    std::set<uint32_t> slow_links;  // communicators
    forget_shared_ways(own);
    // So far, stragglers alone.
    const Starts starts = out_.findings.empty() ? Starts::NobodyIsLate : Starts::SomebodyIsLate;
    const SlowParts parts = find_slow_parts(run_, followed, starts);
    for (const WithinClocks& unsure : parts.within_clocks) note_within_clocks(unsure);
    for (const SlowPart& part : parts.found) {
      const uint32_t process = own.actors[part.actors.front()].process;
      const bool of_many = std::any_of(slow_.begin(), slow_.end(), [&](const SlowPath& path) {
        return path.processes.size() > part.actors.size() &&
               std::count(path.processes.begin(), path.processes.end(), process) != 0;
      });
      if (of_many || is_trace_of_lateness(own, part)) continue;
      for (const uint32_t actor : part.actors) accused.insert(own.actors[actor].process);
      if (part.side == SlowSide::Link) slow_links.insert(part.communicator);
      forget_consequences(own, part);
      out_.findings.push_back(slow_part_finding(run_, own, part));
    }
    for (const SlowPath& path : slow_) {
      // What a slow way delays comes all at once, and others wait behind it.
      if (path.cause() == Cause::NetworkSlow && !accused.empty()) continue;
      // It is the link that all wait for: who waits least tells nothing there.
      if (path.never_waits() && slow_links.count(path.communicator) != 0) continue;
      const bool known = std::any_of(path.processes.begin(), path.processes.end(),
                                     [&](uint32_t process) { return accused.count(process) != 0; });
      if (!known) out_.findings.push_back(slow_path_finding(run_, path));
    }
  }

  // Slow because several ranks send at once, whom their host's adapter serves one after the other.
  void forget_shared_ways(const OwnSegments& own) {
    std::optional<HostTraffic> traffic;  // once there is something to ask
    const auto is_shared = [&](const SlowPath& path) {
      if (path.cause() != Cause::NetworkSlow) return false;
      if (!traffic) traffic.emplace(run_, own);
      return !is_slow_in_proportion(run_, own, *traffic, path);
    };
    slow_.erase(std::remove_if(slow_.begin(), slow_.end(), is_shared), slow_.end());
  }

  void note_within_clocks(const WithinClocks& unsure) {
    if (!matters(unsure.all_ns, unsure.communicator)) return;
    NotKnown& gap = add_gap(NotKnownKind::WithinClocks, 1);
    gap.communicator = unsure.communicator;
    gap.typical_ns = unsure.shown_ns;
    gap.clock_error_ns = unsure.error_ns;
  }

  // What the ends alone show of the transfers of those that are late, and of nobody else's, and costs less than
  // half of their lateness, is a trace of that.
  bool is_trace_of_lateness(const OwnSegments& own, const SlowPart& part) const {
    std::set<uint32_t> slow;
    for (const uint32_t actor : part.actors) slow.insert(own.actors[actor].process);
    return is_by_ends(part.side) &&
           std::any_of(out_.findings.begin(), out_.findings.end(), [&](const Finding& finding) {
             const auto* late = std::get_if<LateFacts>(&finding.facts);
             if (late == nullptr || late->gain_ns < 2 * part.gain_ns) return false;
             std::set<uint32_t> accused;
             for (const Place& place : culprits_of(run_, finding)) accused.insert(place.process);
             return accused == slow;
           });
  }

  // Who is held up by its own slow transfers is late for those that follow: one cause, one finding.
  void forget_consequences(const OwnSegments& own, const SlowPart& part) {
    if (!part.sure && is_by_ends(part.side)) return;
    const auto is_consequence = [&](const Finding& finding) {
      const auto* late = std::get_if<LateFacts>(&finding.facts);
      if (late == nullptr || late->gain_ns > part.gain_ns) return false;
      const std::vector<Place> places = culprits_of(run_, finding);
      if (late->cause == Cause::HostLate && !are_all_of(part.communicator, places)) return false;
      const auto takes_part = [&](uint32_t actor) {
        return std::any_of(places.begin(), places.end(), [&](const Place& place) {
          return actor != kNoRow && place.process == own.actors[actor].process;
        });
      };
      return takes_part(part.peer) ||
             std::any_of(part.actors.begin(), part.actors.end(), takes_part);
    };
    out_.findings.erase(std::remove_if(out_.findings.begin(), out_.findings.end(), is_consequence),
                        out_.findings.end());
  }

  // What there is to win without it, as far as one may rely on the finding: that comes first.
  static bool wins_more(const Finding& a, const Finding& b) {
    return likely_win(a) > likely_win(b);
  }
  static double likely_win(const Finding& finding) {
    return finding.confidence * std::max(0.0, cost_share(finding));
  }

  // What they do together held them up, whoever waited for it, a kernel or the host.
  bool are_all_of(uint32_t communicator, const std::vector<Place>& places) const {
    if (communicator == kNoRow || places.size() < 2) return false;
    const CommunicatorRow& comm = run_.communicators[communicator];
    const auto begin = run_.members.begin() + comm.first_member;
    return places.size() == comm.members &&
           std::all_of(begin, begin + comm.members, [&](const MemberRow& member) {
             return std::any_of(places.begin(), places.end(), [&](const Place& place) {
               return place.process == member.process;
             });
           });
  }

  void accuse_stragglers(const FollowedRun& followed) {
    const OwnSegments& own = followed.own;
    const LatenessTables tables{run_,      own,       followed.roles, followed.excesses.ns,
                                out_.late, out_.ranks};
    Culprits culprits = find_culprits(run_, own, followed.roles, followed.excesses);
    merge_whole_hosts(run_, own, &culprits.found);
    for (const Culprit& culprit : culprits.found) {
      for (RankBlame& rank : out_.ranks) {
        for (const uint32_t actor : culprit.actors)
          rank.accused = rank.accused || own.actors[actor].process == rank.process;
      }
      out_.findings.push_back(straggler_finding(tables, culprit));
    }
    for (const Culprit& suspected : culprits.suspected) note_suspicion(suspected);
  }

  // Moments too few, or too much like everybody's, to accuse anybody of: but they cost too much for silence.
  void note_suspicion(const Culprit& suspected) {
    const NotKnownKind kind =
        suspected.hands_out ? NotKnownKind::LateOrNoWork : NotKnownKind::ByChance;
    NotKnown& gap = add_gap(kind, suspected.occasions.size());
    const ArrivalRow& arrival = run_.arrivals[suspected.occasions.front().arrival];
    gap.communicator = run_.matches[arrival.match].communicator;
    std::set<int32_t> ranks;
    for (const Occasion& one : suspected.occasions) {
      const ArrivalRow& late = run_.arrivals[one.arrival];
      if (run_.matches[late.match].communicator == gap.communicator) ranks.insert(late.rank);
      gap.typical_ns = std::max(gap.typical_ns, one.excess_ns);
    }
    gap.ranks.assign(ranks.begin(), ranks.end());
    gap.share_percent = 100 * suspected.gain_ns / suspected.span_ns;
  }

  // At least 1 % of the time between the communicator's first and last operation.
  bool matters(int64_t lost_ns, uint32_t communicator) {
    return lost_ns * 100 >= span_ns(communicator);
  }
  int64_t span_ns(uint32_t communicator) {
    auto& [first, last] = spans_[communicator];
    if (last == 0) {
      first = std::numeric_limits<int64_t>::max();
      for (const MatchRow& match : run_.matches) {
        if (match.communicator != communicator || match.start_ns == kNoTime) continue;
        if (match.ordinal + match.replay != 0) first = std::min(first, match.start_ns);
        last = std::max(last, std::max(match.start_ns, match.finish_ns));
      }
    }
    return last - first;
  }

  // Waiting that nobody is accused of: silence must not read as "nobody is late".
  void note_unexplained_waits() {
    std::map<uint32_t, std::vector<int64_t>> spreads;
    std::map<uint32_t, std::map<int32_t, uint64_t>> last;  // how often who came last
    std::set<uint32_t> with_ends;
    for (const MatchRow& match : run_.matches) {
      if (match.arrivals <= 2 || !can_be_late(run_, match)) continue;
      spreads[match.communicator].push_back(match.spread_ns);
      ++last[match.communicator][match.last_rank];
      if (match.finish_ns != kNoTime) with_ends.insert(match.communicator);
    }
    // Lateness with a known reason, also one on another communicator, is no riddle.
    for (const RankBlame& blame : out_.ranks) {
      if (blame.accused) spreads.erase(blame.communicator);
    }
    for (const SlowPath& path : slow_) spreads.erase(path.communicator);
    for (const auto& [communicator, causes] : passed_on_) {
      for (const RankBlame* blame : causes) {
        if (blame->accused) spreads.erase(communicator);
      }
    }
    for (auto& [communicator, values] : spreads) {
      const auto count = static_cast<int64_t>(values.size());
      const int64_t typical_ns = median(&values), span = span_ns(communicator);
      if (count < 10 || typical_ns * count * kSharesOfSpan < span) continue;
      NotKnown& gap = add_gap(NotKnownKind::WhoHoldsUp, values.size());
      gap.communicator = communicator;
      gap.typical_ns = typical_ns;
      gap.share_percent = span > 0 ? 100 * typical_ns * count / span : 0;
      const auto most =
          std::max_element(last[communicator].begin(), last[communicator].end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      if (most->second * kPartsLast < values.size() * (kPartsLast - 1)) continue;
      gap.ranks = {most->first};
      gap.of = most->second;
      gap.ends_known = with_ends.count(communicator) != 0;
    }
  }
  static constexpr int64_t kSharesOfSpan = 20;  // 5 %
  // Who comes last in all but one of so many operations is worth a word.
  static constexpr uint64_t kPartsLast = 5;

  NotKnown& add_gap(NotKnownKind kind, uint64_t count, uint64_t of = 0) {
    NotKnown& gap = out_.not_known.emplace_back();
    gap.kind = kind;
    gap.count = count;
    gap.of = of;
    return gap;
  }

  void note_gaps() {
    uint64_t apart = 0, many = 0;
    bool steps = false, network = false, nodes = false, kernels = false;
    for (const CommunicatorRow& comm : run_.communicators) nodes = nodes || comm.nnodes > 1;
    for (const MatchRow& match : run_.matches) {
      if (match.expected < 2) continue;
      ++many;
      apart += match.comparable == 0 ? 1 : 0;
    }
    for (const OperationRow& row : run_.operations) {
      network = network || row.proxy_ops != 0;
      steps = steps || row.steps != 0;
      kernels = kernels || row.kernel_start_ns != kNoTime || row.kernel_seen_ns != kNoTime;
    }
    if (apart != 0) add_gap(NotKnownKind::WhoCameLast, apart, many);
    if (!kernels && many != 0) add_gap(NotKnownKind::SlowGpus, many);
    // Of a run without operations more than this is not known (coverage.h).
    if (!steps && (network || (nodes && !run_.operations.empty())))
      add_gap(NotKnownKind::SlowPaths, network ? 1 : 0);
  }

  const RunTables& run_;
  std::vector<SlowPath> slow_;
  std::map<uint32_t, std::set<const RankBlame*>> passed_on_;  // who made others late on it
  std::map<uint32_t, std::pair<int64_t, int64_t>> spans_;
  Blame out_;
};

}  // namespace

Blame assign_blame(const RunTables& run) { return Blamer(run).assign(); }

void add_causes(RunTables* run) {
  for (const LateOperation& late : Blamer(*run).late()) {
    run->arrivals[late.arrival].cause = late.cause;
    run->matches[late.match].cause = late.cause;
  }
}

}  // namespace lockstep::analysis
