#include "analysis/judge/disagreement.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/waits/passed_values.h"
#include "analysis/waits/usual_calls.h"

namespace lockstep::analysis {
namespace {

using Group = PassedValues::Group;

// A host thread is at most so many launches ahead of its GPU: the driver's queue holds no more.
constexpr uint32_t kLaunchQueue = 1'024;

// The one with most ranks; none when there are several of as many.
const Group* largest_of(const std::vector<Group>& groups) {
  const auto fewer = [](const Group& a, const Group& b) { return a.ranks.size() < b.ranks.size(); };
  const Group& largest = *std::max_element(groups.begin(), groups.end(), fewer);
  const auto as_large = std::count_if(groups.begin(), groups.end(), [&](const Group& group) {
    return group.ranks.size() == largest.ranks.size();
  });
  return as_large == 1 ? &largest : nullptr;
}

std::vector<int32_t> others_than(const Group* right, const std::vector<Group>& groups) {
  std::vector<int32_t> ranks;
  for (const Group& group : groups) {
    if (&group != right) ranks.insert(ranks.end(), group.ranks.begin(), group.ranks.end());
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

void wrong_order(const Group* right, const std::vector<int32_t>& culprits, double confidence,
                 HangCase* one) {
  const RunTables& run = one->run;
  // The text speaks of what should have been called.
  if (right != nullptr) {
    one->facts.operation = right->operation;
    one->finding.func = run.operations[right->operation].func;
    one->finding.ordinal = run.operations[right->operation].ordinal;
  }
  const Text expected = run.operations[one->facts.operation].func;
  std::vector<int32_t> inside;
  for (const StallMember& member : one->stall.members) {
    if (member.operation == kNoRow) continue;
    if (run.operations[member.operation].func == expected) {
      if (std::find(culprits.begin(), culprits.end(), member.rank) == culprits.end() ||
          right == nullptr)
        inside.push_back(member.rank);
      continue;
    }
    one->facts.other = member.operation;
    one->facts.named.push_back(member.rank);
    one->finding.evidence.emplace_back(
        OtherCall{member.rank, member.operation, one->facts.operation});
  }
  one->finding.ranks = one->inside = inside;
  one->conclude(FindingKind::WrongOrder, StallClue::OtherCall, culprits, confidence);
}

class Mismatches {
 public:
  Mismatches(const RunTables& run, const std::vector<Finding>& hangs) : run_(run) {
    // What stands still in an operation is judged with the hangs.
    for (const Finding& hang : hangs) {
      const auto* stall = std::get_if<StallFacts>(&hang.facts);
      if (stall != nullptr) judged_.insert(run_.operations[stall->operation].match);
    }
  }

  std::vector<Finding> find() const {
    std::map<uint32_t, Finding> by_communicator;
    for (const MatchRow& match : run_.matches) {
      if (match.arrivals < 2 || match.expected < 2) continue;
      const OperationRow& first = run_.operations[run_.arrivals[match.first_arrival].operation];
      // The ranks of an assembled operation send and receive different amounts by nature.
      if (judged_.count(first.match) != 0 || !nobody_inside(match) ||
          first.kind == OpKind::Assembled)
        continue;
      const std::map<uint64_t, ValuesPassed> sizes = sizes_of(match);
      if (sizes.size() < 2) continue;
      const auto [at, is_new] = by_communicator.try_emplace(match.communicator);
      if (is_new)
        at->second = mismatch(match, sizes);
      else
        ++std::get<SizeFacts>(at->second.facts).times;
    }
    std::vector<Finding> findings;
    for (auto& [communicator, finding] : by_communicator) findings.push_back(std::move(finding));
    return findings;
  }

  // Where nothing tells that a mismatched operation ended its ranks may stand in it for good: what they
  // called later stands still because of it, unless something else is known that holds it up. Where one
  // rank's calls are shifted from there on, all that the ranks disagree about later follows from that.
  void take_in_what_follows(Finding* mismatch, std::vector<Finding>* hangs) const {
    const auto& facts = std::get<SizeFacts>(mismatch->facts);
    const std::map<uint32_t, int64_t> called_ns =
        calls_of(run_.matches[run_.operations[facts.operation].match]);
    const bool may_stand = !facts.ended && !went_on(called_ns);
    if (!may_stand && facts.shift == Shift::None) return;
    std::vector<Finding> left;
    for (Finding& hang : *hangs) {
      const auto* stall = std::get_if<StallFacts>(&hang.facts);
      const bool follows = stall != nullptr &&
                           ((facts.shift != Shift::None && is_shifted_too(*stall, facts)) ||
                            (may_stand && (!names_who(hang) || lacks_calls_soon(*stall, facts)) &&
                             was_called_later(*stall, called_ns)));
      if (!follows) {
        left.push_back(std::move(hang));
        continue;
      }
      const bool absent = stall->clue == StallClue::NeverCalled;
      mismatch->consequences.push_back(
          {stall->operation, hang.ranks, absent ? stall->named : std::vector<int32_t>{}});
      for (Consequence& one : hang.consequences) mismatch->consequences.push_back(std::move(one));
    }
    *hangs = std::move(left);
  }
  // Behind the place from which one rank's calls are shifted, its ranks disagree about what is called.
  bool is_shifted_too(const StallFacts& stall, const SizeFacts& first) const {
    const OperationRow& row = run_.operations[stall.operation];
    const OperationRow& shifted = run_.operations[first.operation];
    const bool disagree =
        stall.clue == StallClue::NeverCalled || stall.clue == StallClue::OtherCall ||
        stall.clue == StallClue::OtherValues || stall.clue == StallClue::NoCommonValues;
    return disagree && row.communicator == shifted.communicator && row.position != kNoRow &&
           row.position > shifted.position;
  }
  // Ranks that stand in the mismatched operation call only as much more as they may be ahead of their GPUs: it follows that
  // later calls are missing.
  bool lacks_calls_soon(const StallFacts& stall, const SizeFacts& first) const {
    const OperationRow& row = run_.operations[stall.operation];
    const OperationRow& stands = run_.operations[first.operation];
    return stall.clue == StallClue::NeverCalled && row.communicator == stands.communicator &&
           row.position != kNoRow && stands.position != kNoRow &&
           row.position - stands.position <= kLaunchQueue;
  }
  // When each process called an operation, on its own clock.
  std::map<uint32_t, int64_t> calls_of(const MatchRow& match) const {
    std::map<uint32_t, int64_t> called_ns;
    for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i) {
      const OperationRow& row = run_.operations[run_.arrivals[i].operation];
      called_ns[row.process] = row.called_ns();
    }
    return called_ns;
  }
  static bool is_later(const OperationRow& row, const std::map<uint32_t, int64_t>& called_ns) {
    const auto found = called_ns.find(row.process);
    return found != called_ns.end() && found->second != kNoTime && row.called_ns() > found->second;
  }
  bool went_on(const std::map<uint32_t, int64_t>& called_ns) const {
    return std::any_of(run_.operations.begin(), run_.operations.end(), [&](const auto& row) {
      return row.state == OpState::Done && is_later(row, called_ns);
    });
  }
  bool was_called_later(const StallFacts& stall,
                        const std::map<uint32_t, int64_t>& called_ns) const {
    const uint32_t match = run_.operations[stall.operation].match;
    if (match == kNoRow) return is_later(run_.operations[stall.operation], called_ns);
    const ArrivalRow* begin = run_.arrivals.data() + run_.matches[match].first_arrival;
    return std::all_of(begin, begin + run_.matches[match].arrivals, [&](const ArrivalRow& arrival) {
      return is_later(run_.operations[arrival.operation], called_ns);
    });
  }

  // Without ends, differing calls are all there is to see.
  bool nobody_inside(const MatchRow& match) const {
    const ArrivalRow* begin = run_.arrivals.data() + match.first_arrival;
    return std::all_of(begin, begin + match.arrivals, [this](const ArrivalRow& arrival) {
      const OpState state = run_.operations[arrival.operation].state;
      return state == OpState::Done || state == OpState::Enqueued;
    });
  }

  std::map<uint64_t, ValuesPassed> sizes_of(const MatchRow& match) const {
    std::map<uint64_t, ValuesPassed> sizes;
    for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i) {
      const ArrivalRow& arrival = run_.arrivals[i];
      if (arrival.rank < 0) continue;  // nobody could be named
      ValuesPassed& passed = sizes[run_.operations[arrival.operation].size_bytes];
      passed.ranks.push_back(arrival.rank);
      passed.operation = arrival.operation;
      passed.bytes_only = true;
    }
    return sizes;
  }

  // Of as many ranks with each size, those that passed what they never passed at such a place; all where that tells nothing.
  std::vector<int32_t> unusual_of(const std::map<uint64_t, ValuesPassed>& sizes) const {
    std::vector<int32_t> unusual, all;
    for (const auto& [bytes, passed] : sizes) {
      all.insert(all.end(), passed.ranks.begin(), passed.ranks.end());
      if (precedent_of(run_, passed.operation, Sizes::Compared).never)
        unusual.insert(unusual.end(), passed.ranks.begin(), passed.ranks.end());
    }
    std::vector<int32_t>& named = unusual.empty() ? all : unusual;
    std::sort(named.begin(), named.end());
    return named;
  }

  Finding mismatch(const MatchRow& match, const std::map<uint64_t, ValuesPassed>& sizes) const {
    Finding finding;
    finding.kind = FindingKind::Mismatch;
    finding.communicator = match.communicator;
    finding.func = match.func;
    finding.ordinal = match.ordinal;
    const auto [fewest, most] = std::minmax_element(
        sizes.begin(), sizes.end(),
        [](const auto& a, const auto& b) { return a.second.ranks.size() < b.second.ranks.size(); });
    const bool tie = fewest->second.ranks.size() == most->second.ranks.size();
    finding.culprits = tie ? unusual_of(sizes) : fewest->second.ranks;
    for (const auto& [bytes, passed] : sizes) {
      finding.ranks.insert(finding.ranks.end(), passed.ranks.begin(), passed.ranks.end());
      finding.evidence.emplace_back(passed);
    }
    SizeFacts facts;
    facts.operation = run_.arrivals[match.first_arrival].operation;
    facts.ended = run_.operations[facts.operation].state == OpState::Done;
    facts.one_of = finding.culprits.size() == finding.ranks.size();
    finding.confidence = facts.one_of ? 0.6 : tie ? 0.85 : 0.9;
    if (!tie) facts.shift = shift_of(run_, fewest->second.operation, most->second.operation);
    finding.facts = facts;
    return finding;
  }

 private:
  const RunTables& run_;
  std::set<uint32_t> judged_;  // matches
};

}  // namespace

bool judge_disagreement(HangCase* one) {
  const PassedValues passed = passed_values(one->run, one->stall);
  if (passed.groups.size() < 2) return false;
  for (const Group& group : passed.groups)
    one->finding.evidence.emplace_back(
        ValuesPassed{group.ranks, group.operation, passed.bytes_only});
  const Group* right = largest_of(passed.groups);
  const bool tie = right == nullptr;
  if (tie) {
    const auto usual = usual_group(one->run, one->stall, passed);
    if (usual.has_value()) right = &passed.groups[*usual];
    if (right != nullptr) one->finding.evidence.emplace_back(UsualCall{right->ranks});
  }
  const std::vector<int32_t> culprits = others_than(right, passed.groups);
  if (right != nullptr && passed.groups.size() == 2) {
    const Group& odd = right == &passed.groups[0] ? passed.groups[1] : passed.groups[0];
    one->facts.shift = shift_of(one->run, odd.operation, right->operation);
  }
  one->facts.one_of = right == nullptr;
  const double confidence = right == nullptr ? 0.6 : tie ? 0.85 : 0.95;
  if (one->stall.disputed) {
    wrong_order(right, culprits, confidence, one);
  } else {
    one->conclude(FindingKind::Mismatch,
                  right == nullptr ? StallClue::NoCommonValues : StallClue::OtherValues, culprits,
                  confidence);
  }
  return true;
}

std::vector<Finding> find_mismatches(const RunTables& run, std::vector<Finding>* hangs) {
  const Mismatches mismatches(run, *hangs);
  std::vector<Finding> found = mismatches.find();
  for (Finding& mismatch : found) mismatches.take_in_what_follows(&mismatch, hangs);
  return found;
}

}  // namespace lockstep::analysis
