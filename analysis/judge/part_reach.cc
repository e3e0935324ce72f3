#include "analysis/judge/part_reach.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lockstep::analysis {
namespace {

// Below, the recording may merely have ended in the middle of an operation.
constexpr double kSure = 0.8;
// So many operations of a rank tell what it usually calls, and how long that takes.
constexpr uint64_t kEnoughEnded = 20;

// How many operations ended, by communicator and process. NCCL works one communicator's operations off
// in their order: what was called before one that ended is over.
using Ended = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;

Ended ended_in(const RunTables& part) {
  Ended ended;
  for (const OperationRow& row : part.operations) {
    if (row.state == OpState::Done) ++ended[{row.communicator, row.process}];
  }
  return ended;
}

uint64_t fewest_ended(const RunTables& part, const Ended& ended, uint32_t communicator) {
  const CommunicatorRow& comm = part.communicators[communicator];
  uint64_t fewest = kEnoughEnded;
  for (uint32_t i = comm.first_member; i < comm.first_member + comm.members; ++i) {
    const auto found = ended.find({communicator, part.members[i].process});
    fewest = std::min(fewest, found == ended.end() ? 0 : found->second);
  }
  return fewest;
}

// What NCCL does not number is numbered from the part's beginning.
bool has_own_number(const RunTables& part, uint32_t operation) {
  return operation == kNoRow || part.operations[operation].seq_number != kNoTime;
}

bool is_whole(const RunTables& part, const Ended& ended, const Finding& finding) {
  const auto& stall = std::get<StallFacts>(finding.facts);
  return fewest_ended(part, ended, finding.communicator) >= kEnoughEnded &&
         has_own_number(part, stall.operation) && has_own_number(part, stall.other) &&
         std::all_of(stall.circle.begin(), stall.circle.end(),
                     [&](uint32_t operation) { return has_own_number(part, operation); }) &&
         std::all_of(finding.consequences.begin(), finding.consequences.end(),
                     [&](const Consequence& one) { return has_own_number(part, one.operation); });
}

}  // namespace

PartReach reach_of(const RunTables& part, const Judgement& judgement) {
  const Ended ended = ended_in(part);
  for (uint32_t i = 0; i < part.communicators.size(); ++i) {
    if (fewest_ended(part, ended, i) == 0) return PartReach::IsTooShort;
  }
  const auto is_hang = [](const Finding& finding) {
    return std::holds_alternative<StallFacts>(finding.facts) &&
           finding.kind != FindingKind::Standstill;  // which rests on the pauses of the whole run
  };
  bool sure = false;
  for (const Finding& finding : judgement.findings) {
    if (!is_hang(finding)) continue;
    if (!is_whole(part, ended, finding)) return PartReach::IsTooShort;
    sure = sure || finding.confidence >= kSure;
  }
  return sure ? PartReach::Explains : PartReach::ShowsNone;
}

}  // namespace lockstep::analysis
