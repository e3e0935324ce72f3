#include "analysis/judge/disagreement.h"

#include <algorithm>

#include "analysis/waits/passed_values.h"
#include "analysis/waits/usual_calls.h"

namespace lockstep::analysis {
namespace {

using Group = PassedValues::Group;

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

}  // namespace lockstep::analysis
