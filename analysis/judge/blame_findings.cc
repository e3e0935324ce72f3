#include "analysis/judge/blame_findings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "analysis/whatif/held_calls.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// An operation that a culprit was late for and others waited in.
struct LateRow {
  uint32_t arrival = kNoRow;
  int64_t excess_ns = 0, caused_wait_ns = 0;
};

// What one culprit did on one communicator, launch by launch.
struct Account {
  uint32_t communicator = kNoRow;
  std::vector<int32_t> ranks;             // of the culprit there
  std::map<uint32_t, LateRow> late;       // by launch of the worst of them
  uint64_t launches = 0, operations = 0;  // of the first of them that could be late
  int64_t excess_ns = 0;
};

class Straggler {
 public:
  Straggler(const LatenessTables& tables, const Culprit& culprit)
      : tables_(tables), run_(tables.run), culprit_(culprit) {
    std::vector<int64_t> excesses;
    for (const Occasion& one : culprit.occasions) excesses.push_back(one.excess_ns);
    typical_ns_ = median(&excesses);
    for (const LateOperation& one : tables.late) why_[one.arrival] = &one;
  }

  Finding finding() {
    keep_accounts();
    const Account account = most_telling();
    Finding finding;
    finding.kind = FindingKind::Straggler;
    finding.communicator = account.communicator;
    finding.culprits = account.ranks;
    std::sort(finding.culprits.begin(), finding.culprits.end());
    finding.since_s = static_cast<double>(culprit_.gain_ns) * 1e-9;
    finding.confidence = confidence();
    const std::vector<LateRow> rows = worst_first(account);
    add_evidence(rows, &finding);
    finding.facts = facts(account, rows, &finding);
    return finding;
  }

 private:
  bool is_culprit(uint32_t actor) const {
    return std::count(culprit_.actors.begin(), culprit_.actors.end(), actor) != 0;
  }

  void keep_accounts() {
    for (uint32_t m = 0; m < run_.members.size(); ++m) {
      const MemberRow& member = run_.members[m];
      const uint32_t actor = tables_.own.actor_of(run_, member);
      if (actor == kNoRow || !is_culprit(actor)) continue;
      Account& account = accounts_[member.communicator];
      account.communicator = member.communicator;
      account.ranks.push_back(member.rank);
    }
    std::map<uint32_t, uint32_t> last_launch;  // by communicator
    for (const uint32_t a : tables_.own.order) {
      const Segment& segment = tables_.own.segments[a];
      if (!segment.counts || !is_culprit(segment.actor)) continue;
      const MatchRow& match = run_.matches[run_.arrivals[a].match];
      Account& account = accounts_[match.communicator];
      if (segment.actor == culprit_.actors.front()) {
        ++account.operations;
        uint32_t& last = last_launch.try_emplace(match.communicator, kNoRow).first->second;
        account.launches += last != segment.launch ? 1 : 0;
        last = segment.launch;
      }
      if (tables_.excess_ns[a] * 2 >= typical_ns_) note(a, &account);
    }
    // Where nobody else takes part, or nobody waits, the others waited in what came next.
    for (const Occasion& one : culprit_.occasions) {
      const uint32_t communicator = run_.matches[run_.arrivals[one.arrival].match].communicator;
      const LateRow row{one.arrival, one.excess_ns, one.waited_ns};
      accounts_[communicator].late.try_emplace(launch_of(one.arrival), row);
    }
  }
  // The ranks of one culprit come late together: their operation counts once.
  uint32_t launch_of(uint32_t a) const {
    const MatchRow& match = run_.matches[run_.arrivals[a].match];
    return tables_.own.segments[culprit_.actors.size() == 1 ? a : match.first_arrival].launch;
  }

  // What the others waited for it: no longer than it was late.
  void note(uint32_t a, Account* account) const {
    const Segment& own = tables_.own.segments[a];
    const MatchRow& match = run_.matches[run_.arrivals[a].match];
    LateRow row{a, tables_.excess_ns[a], 0};
    const bool last = own.start_ns == tables_.own.last_start_ns[run_.arrivals[a].match];
    if (culprit_.actors.size() == 1 && !last) return;  // they waited for another
    for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i) {
      const Segment& other = tables_.own.segments[i];
      if (other.actor == kNoRow || !other.waits || is_culprit(other.actor)) continue;
      row.caused_wait_ns += std::clamp<int64_t>(own.start_ns - other.start_ns, 0, row.excess_ns);
    }
    if (row.caused_wait_ns == 0) return;
    LateRow& kept = account->late[launch_of(a)];
    if (row.caused_wait_ns > kept.caused_wait_ns) kept = row;
  }

  // Where it shows best: of the communicators that all culprits are in that on which it cost most.
  Account most_telling() {
    for (auto& [communicator, account] : accounts_) {
      for (const auto& [launch, row] : account.late) account.excess_ns += row.excess_ns;
    }
    const auto tells_less = [](const auto& a, const auto& b) {
      const auto rank = [](const Account& one) {
        return std::make_tuple(!one.late.empty(), one.ranks.size(), one.excess_ns);
      };
      return rank(a.second) < rank(b.second);
    };
    const auto best = std::max_element(accounts_.begin(), accounts_.end(), tells_less);
    if (best->second.ranks.size() == culprit_.actors.size()) return best->second;
    const auto smaller = [](const auto& a, const auto& b) {
      return a.second.ranks.size() < b.second.ranks.size();
    };
    const auto all = std::max_element(accounts_.begin(), accounts_.end(), smaller);
    return all->second.ranks.size() > best->second.ranks.size() ? united(all->second)
                                                                : best->second;
  }
  // Of culprits that no communicator with late operations has all in it: named where they all are, for
  // what they did everywhere.
  Account united(Account account) {
    account.late.clear();
    account.launches = account.operations = 0;
    for (auto& [communicator, one] : accounts_) {
      account.launches += one.launches;
      account.operations += one.operations;
      account.late.insert(one.late.begin(), one.late.end());
      one.late.clear();
    }
    return account;
  }

  static std::vector<LateRow> worst_first(const Account& account) {
    std::vector<LateRow> rows;
    for (const auto& [launch, row] : account.late) rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const LateRow& a, const LateRow& b) { return a.excess_ns > b.excess_ns; });
    return rows;
  }

  // As often as such findings are right (docs/measured/verdicts.md): what noise may give anybody is
  // wrong more often, by each power of ten, and so is what hangs on a few moments, or on who belongs to
  // a set of ranks.
  double confidence() const {
    constexpr double kSurest = 0.98, kSureChance = 1e-5, kPerPowerOfTen = 0.04;
    constexpr double kOfFewMoments = 0.1, kOfSets = 0.02, kOnce = 0.9;
    if (culprit_.once || culprit_.bout) return kOnce;
    const double powers =
        std::max(0.0, std::log10(std::max(culprit_.chance, 1e-300) / kSureChance));
    return kSurest - kPerPowerOfTen * powers - kOfFewMoments * (1 - culprit_.stable) -
           (culprit_.actors.size() > 1 ? kOfSets : 0);
  }

  LateOperation operation_of(const LateRow& row) const {
    LateOperation one;
    const auto why = why_.find(row.arrival);
    if (why != why_.end()) one = *why->second;
    one.match = run_.arrivals[row.arrival].match;
    one.arrival = row.arrival;
    one.excess_ns = row.excess_ns;
    one.caused_wait_ns = row.caused_wait_ns;
    return one;
  }

  void add_evidence(const std::vector<LateRow>& rows, Finding* finding) const {
    if (rows.empty()) return;
    const MatchRow& match = run_.matches[run_.arrivals[rows.front().arrival].match];
    if (match.communicator == finding->communicator) {
      finding->func = match.func;
      finding->ordinal = match.ordinal;
    }
    for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i) {
      const int32_t rank = run_.arrivals[i].rank;
      if (match.communicator == finding->communicator &&
          !std::binary_search(finding->culprits.begin(), finding->culprits.end(), rank))
        finding->ranks.push_back(rank);
    }
    constexpr size_t kMostEvidence = 100;
    for (size_t i = 0; i < rows.size() && i < kMostEvidence; ++i)
      finding->evidence.emplace_back(LateArrival{operation_of(rows[i])});
  }

  Cause cause_of(const std::vector<LateRow>& rows) const {
    std::array<uint32_t, std::size(kCauseNames)> causes{};
    for (const LateRow& row : rows) ++causes[static_cast<unsigned>(operation_of(row).cause)];
    return static_cast<Cause>(std::max_element(causes.begin(), causes.end()) - causes.begin());
  }

  LateFacts facts(const Account& account, const std::vector<LateRow>& rows, Finding* finding) {
    LateFacts facts;
    facts.host = run_.processes[tables_.own.actors[culprit_.actors.front()].process].host;
    facts.whole_host = culprit_.host;
    facts.late = account.late.size();
    facts.operations = account.launches;
    facts.grouped = account.launches < account.operations;
    std::vector<int64_t> excesses;
    for (const LateRow& row : rows) {
      excesses.push_back(row.excess_ns);
      facts.caused_wait_ns += row.caused_wait_ns;
    }
    facts.typical_ns = median(&excesses);
    facts.cause = rows.empty() ? Cause::Unknown : cause_of(rows);
    facts.gain_ns = culprit_.gain_ns;
    facts.gain_share =
        static_cast<double>(culprit_.gain_ns) / static_cast<double>(culprit_.span_ns);
    facts.pattern = pattern(account);
    facts.alone = culprit_.alone;
    const HeldCalls calls = held_calls_of(run_, tables_.own, tables_.roles, culprit_);
    facts.held = calls.share;
    facts.gain_at_most = calls.run_ahead;
    for (const RankBlame& rank : tables_.ranks) {
      if (rank.communicator != account.communicator ||
          std::count(account.ranks.begin(), account.ranks.end(), rank.rank) == 0)
        continue;
      facts.passed_on += rank.passed_on;
      facts.passed_on_wait_ns += rank.passed_on_wait_ns;
    }
    for (const auto& [communicator, other] : accounts_) {
      constexpr size_t kFewest = 3;
      if (communicator == account.communicator || other.late.size() < kFewest) continue;
      ++facts.elsewhere;
      finding->evidence.emplace_back(LateElsewhere{elsewhere(other)});
    }
    return facts;
  }
  static RankBlame elsewhere(const Account& other) {
    RankBlame blame;
    blame.communicator = other.communicator;
    blame.rank = other.ranks.front();
    blame.operations = other.launches;
    blame.late = other.late.size();
    std::vector<int64_t> excesses;
    for (const auto& [launch, row] : other.late) excesses.push_back(row.excess_ns);
    blame.typical_ns = median(&excesses);
    return blame;
  }

  LatePattern pattern(const Account& account) const {
    if (!culprit_.once)
      return pattern_of(moments(), culprit_.first_ns, culprit_.first_ns + culprit_.span_ns,
                        account.launches, std::min(account.launches, culprit_.rounds));
    LatePattern pattern;
    pattern.when = WhenLate::Once;
    pattern.until_ns = moments().back().at_ns - culprit_.first_ns;
    return pattern;
  }

  std::vector<LateMoment> moments() const {
    std::vector<LateMoment> moments;
    for (const Occasion& one : culprit_.occasions)
      moments.push_back({tables_.own.segments[one.arrival].start_ns, one.excess_ns});
    return moments;
  }

  const LatenessTables& tables_;
  const RunTables& run_;
  const Culprit& culprit_;
  int64_t typical_ns_ = 0;
  std::map<uint32_t, const LateOperation*> why_;  // by row of `arrivals`
  std::map<uint32_t, Account> accounts_;          // by communicator
};

}  // namespace

Finding straggler_finding(const LatenessTables& tables, const Culprit& culprit) {
  return Straggler(tables, culprit).finding();
}

namespace {

// The communicator that has most of them as members, first of all the given one.
uint32_t common_communicator(const RunTables& run, const OwnSegments& own,
                             const std::vector<uint32_t>& actors, uint32_t first) {
  std::map<uint32_t, size_t> members;  // by communicator
  for (const MemberRow& member : run.members) {
    const uint32_t actor = own.actor_of(run, member);
    members[member.communicator] += std::count(actors.begin(), actors.end(), actor) != 0 ? 1 : 0;
  }
  for (const auto& [communicator, count] : members) {
    if (count > members[first]) first = communicator;
  }
  return first;
}

// As often as such findings are right (docs/measured/verdicts.md). One edge can be half of a host's way
// to the network, and a sender whose network steps are as fast as others' shows by the ends alone.
double confidence_of(const SlowPart& part) {
  constexpr double kShown = 0.95, kLink = 0.93, kByEnds = 0.91, kHost = 0.8, kSender = 0.65,
                   kBothEnds = 0.65, kBothWays = 0.9, kUnsteady = 0.5, kInsideHost = 0.9,
                   kOfTree = 0.75;
  if (!part.steady) return kUnsteady;
  if (part.of_tree) return kOfTree;
  if (part.both_ways) return kBothWays;
  if (part.host || part.peer_host != 0) return kHost;
  if (part.both_ends) return part.inside_host ? kInsideHost : kBothEnds;
  if (part.peer == kNoRow) return kShown;
  if (part.side == SlowSide::Link || part.side == SlowSide::Way) return kLink;
  if (part.side == SlowSide::Sender) return kSender;
  return is_by_ends(part.side) ? kByEnds : kShown;
}

TransfersSeen seen_of(const RunTables& run, const OwnSegments& own, const TransferExcess& excess) {
  TransfersSeen seen;
  seen.side = excess.side;
  seen.match = excess.matches.front();
  seen.operations = excess.matches.size();
  seen.own_ns = excess.usual_ns + excess.excess_ns;
  seen.usual_ns = excess.usual_ns;
  const CommunicatorRow& comm = run.communicators[excess.communicator];
  std::map<uint32_t, int32_t> rank_of;  // by actor
  for (uint32_t m = comm.first_member; m < comm.first_member + comm.members; ++m)
    rank_of[own.actor_of(run, run.members[m])] = run.members[m].rank;
  for (const uint32_t actor : excess.actors) {
    const auto rank = rank_of.find(actor);
    seen.ranks.push_back(rank == rank_of.end() ? -1 : rank->second);
    seen.processes.push_back(own.actors[actor].process);
  }
  return seen;
}

// Those that took longest beyond the usual, each once.
std::vector<TransferSeen> slowest_of(const RunTables& run, const SlowPart& part) {
  std::map<uint32_t, TransferSeen> by_match;
  for (const TransferExcess& excess : part.excesses) {
    for (const uint32_t match : excess.matches) {
      const int64_t took_ns = run.matches[match].transfer_ns;
      if (took_ns != kNoTime && took_ns > excess.usual_ns)
        by_match.try_emplace(match, TransferSeen{match, took_ns, excess.usual_ns});
    }
  }
  std::vector<TransferSeen> slowest;
  for (const auto& [match, seen] : by_match) slowest.push_back(seen);
  std::stable_sort(slowest.begin(), slowest.end(),
                   [](const TransferSeen& a, const TransferSeen& b) {
                     return a.took_ns - a.usual_ns > b.took_ns - b.usual_ns;
                   });
  constexpr size_t kMost = 100;
  if (slowest.size() > kMost) slowest.resize(kMost);
  return slowest;
}

SlowColumn rounds_seen(const RunTables& run, const LateRounds& rounds) {
  SlowColumn seen;
  seen.name = SlowColumn::Name::Flush;
  seen.rank = run.operations[rounds.operation].rank;
  seen.own_ns = rounds.own_ns;
  seen.others_ns = rounds.others_ns;
  seen.operations = rounds.operations;
  seen.operation = rounds.operation;
  return seen;
}

// Each way that is slow against what is usual there, and the operations that took longest because of it.
std::vector<Evidence> evidence_of(const RunTables& run, const OwnSegments& own,
                                  const SlowPart& part) {
  std::vector<const TransferExcess*> ways;
  for (const TransferExcess& excess : part.excesses) {
    if (!excess.matches.empty()) ways.push_back(&excess);
  }
  std::stable_sort(ways.begin(), ways.end(), [](const TransferExcess* a, const TransferExcess* b) {
    return all_ns(*a) > all_ns(*b);
  });
  constexpr size_t kMostWays = 8;
  if (ways.size() > kMostWays) ways.resize(kMostWays);
  std::vector<Evidence> evidence;
  if (part.late_rounds) evidence.emplace_back(rounds_seen(run, *part.late_rounds));
  for (const TransferExcess* way : ways) evidence.emplace_back(seen_of(run, own, *way));
  for (const TransferSeen& seen : slowest_of(run, part)) evidence.emplace_back(seen);
  return evidence;
}

bool has_steps(const RunTables& run, const TransferExcess& excess) {
  if (excess.matches.empty()) return false;
  const MatchRow& match = run.matches[excess.matches.front()];
  const ArrivalRow* begin = run.arrivals.data() + match.first_arrival;
  return std::any_of(begin, begin + match.arrivals, [&](const ArrivalRow& arrival) {
    return run.operations[arrival.operation].steps != 0;
  });
}

}  // namespace

Finding slow_part_finding(const RunTables& run, const OwnSegments& own, const SlowPart& part) {
  Finding finding;
  finding.kind = part.side == SlowSide::ReceiverProxy ? FindingKind::SlowProxy
                 : part.side == SlowSide::ReceiverGpu || part.side == SlowSide::Gpu
                     ? FindingKind::SlowGpu
                     : FindingKind::SlowLink;
  std::vector<uint32_t> named = part.actors;
  if (part.peer != kNoRow) named.push_back(part.peer);
  finding.communicator = common_communicator(run, own, named, part.communicator);
  PathFacts facts;
  finding.culprits = own.ranks_of(run, finding.communicator, part.actors);
  if (part.peer != kNoRow) {
    const std::vector<int32_t> peer = own.ranks_of(run, finding.communicator, {part.peer});
    if (!peer.empty()) facts.peer = peer.front();
  }
  finding.since_s = static_cast<double>(part.gain_ns) * 1e-9;
  finding.confidence = confidence_of(part);
  facts.replayed = true;
  facts.whole_host = part.host;
  facts.both_ends = part.both_ends;
  facts.inside_host = part.inside_host;
  facts.both_ways = part.both_ways;
  facts.side = part.side;
  facts.steps = std::any_of(part.excesses.begin(), part.excesses.end(),
                            [&](const TransferExcess& excess) { return has_steps(run, excess); });
  facts.peer_host = part.peer_host;
  if (part.late_rounds) {
    facts.round_ns = part.late_rounds->own_ns;
    facts.others_round_ns = part.late_rounds->others_ns;
  }
  facts.gain_ns = part.gain_ns;
  facts.gain_share = static_cast<double>(part.gain_ns) / static_cast<double>(part.span_ns);
  facts.host = run.processes[own.actors[part.actors.front()].process].host;
  facts.own_ns = part.took_ns;
  facts.others_ns = part.usual_ns;
  facts.factor = static_cast<double>(part.took_ns) / static_cast<double>(part.usual_ns);
  finding.facts = facts;
  finding.evidence = evidence_of(run, own, part);
  return finding;
}

void doubt_transfers_beside_worse(std::vector<Finding>* findings) {
  constexpr double kLeastBesideWorst = 0.5, kTraceOfWorse = 0.5;
  double worst = 0;
  for (const Finding& finding : *findings) worst = std::max(worst, cost_share(finding));
  for (Finding& finding : *findings) {
    const double share = cost_share(finding);
    if (std::holds_alternative<PathFacts>(finding.facts) && share >= 0 &&
        share < kLeastBesideWorst * worst)
      finding.confidence = std::min(finding.confidence, kTraceOfWorse);
  }
}

Finding slow_path_finding(const RunTables& run, const SlowPath& path) {
  Finding finding;
  const bool link = path.cause() == Cause::NetworkSlow;
  finding.kind = link ? FindingKind::SlowLink : FindingKind::SlowProxy;
  finding.communicator = path.communicator;
  finding.culprits = path.ranks;
  std::sort(finding.culprits.begin(), finding.culprits.end());
  finding.culprits_elsewhere = path.elsewhere;
  finding.since_s = static_cast<double>(path.lost_ns) * 1e-9;
  finding.confidence = std::min(0.95, 0.5 + 0.1 * path.factor);
  finding.evidence = evidence_of(run, path);
  PathFacts facts;
  facts.host = run.processes[path.processes.front()].host;
  if (link) facts.peer_host = receiving_host(run, path);
  facts.never_waits = path.never_waits();
  facts.factor = path.factor;
  facts.own_ns = path.typical_ns;
  facts.others_ns = path.others_ns;
  if (path.column == SlowColumn::Name::Flush) {
    facts.round_ns = path.typical_ns;
    facts.others_round_ns = path.others_ns;
  }
  finding.facts = facts;
  return finding;
}

}  // namespace lockstep::analysis
