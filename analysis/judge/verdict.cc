#include "analysis/judge/verdict.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/judge/transport_verdict.h"

namespace lockstep::analysis {
namespace {

// While the job runs, an operation must stand still this long before anybody is accused: longer
// than a slow checkpoint's pause between two ranks, yet known within 15 s.
constexpr double kPatienceS = 5, kMostPatienceS = 12;

// Of a member whose process is dead.
DeathSeen death_of(const RunTables& run, const Stall& stall, const StallMember& member) {
  const ProcessRow& dead = run.processes[member.process];
  int64_t last_word = kNoTime;  // of the survivors whose clock is the same
  for (const StallMember& other : stall.members) {
    if (other.process == kNoRow) continue;
    const ProcessRow& process = run.processes[other.process];
    if (process.life != Life::Dead && clock_key(process) == clock_key(dead))
      last_word = std::max(last_word, process.heard_ns);
  }
  DeathSeen death{member.rank, member.process};
  if (last_word != kNoTime && dead.last_ns != kNoTime) death.silent_ns = last_word - dead.last_ns;
  return death;
}

// What a rank passed: bytes, and the type and the root where they can be compared. A launch without
// its call counts bytes where the call counted elements: then only the bytes can be.
using Values = std::tuple<uint64_t, std::string, int32_t>;
Values values_of(const RunTables& run, const OperationRow& row, bool with_type) {
  const bool rooted = row.kind == OpKind::Collective && row.peer > 0;
  return {row.size_bytes, with_type ? run.text(row.datatype) : std::string(),
          rooted ? row.peer : 0};
}

class StallJudge {
 public:
  StallJudge(const RunTables& run, const Stall& stall)
      : run_(run), stall_(stall), expected_(run.operations[stall.operation]) {}

  Verdict judge() {
    const double typical = static_cast<double>(stall_.typical_ns) * 1e-9;
    if (stall_.running && stall_.seconds < std::clamp(3 * typical, kPatienceS, kMostPatienceS))
      return {};
    sort_members();
    finding_.communicator = stall_.communicator;
    finding_.func = expected_.func;
    finding_.ordinal = expected_.ordinal;
    finding_.since_s = stall_.seconds;
    finding_.ranks = inside_;
    facts_.operation = stall_.operation;
    facts_.by_calls = stall_.by_calls;
    if (!dead_process() && !other_operation() && !other_values() && !missing_ranks() &&
        !early_abort() && !unrecorded_ranks()) {
      everybody_inside();
    }
    if (verdict_.finding.has_value()) add_members();
    return std::move(verdict_);
  }

 private:
  void sort_members() {
    for (const StallMember& member : stall_.members) {
      switch (member.stand) {
        case Stand::Inside:
          inside_.push_back(member.rank);
          break;
        case Stand::Passed:
          passed_.push_back(member.rank);
          break;
        case Stand::Elsewhere:
          elsewhere_.push_back(member.rank);
          break;
        case Stand::Missing:
          missing_.push_back(member.rank);
          break;
        case Stand::NotRecorded:
          not_recorded_.push_back(member.rank);
          break;
      }
    }
  }

  // How sure it is that time really stood still, from how long against what is usual.
  double stall_confidence() const {
    const double typical = std::max(1e-3, static_cast<double>(stall_.typical_ns) * 1e-9);
    const double ratio = stall_.seconds / typical;
    if (stall_.by_calls) return ratio >= 20 && stall_.seconds >= 1 ? 0.8 : 0.4;
    if (ratio >= 20 && stall_.seconds >= 1) return 0.95;
    return ratio >= 5 ? 0.8 : 0.4;
  }

  // What each member that is inside did there last.
  void add_members() {
    constexpr size_t kMostEvidence = 24;
    std::vector<Evidence>& evidence = verdict_.finding->evidence;
    for (const StallMember& member : stall_.members) {
      if (member.operation == kNoRow || evidence.size() >= kMostEvidence) continue;
      const OperationRow& row = run_.operations[member.operation];
      evidence.emplace_back(
          LastProgress{member.rank, member.operation, member.until_ns - row.last_progress_ns});
    }
  }

  // facts_.named is who the clue is about; culprits are those who are accused for it.
  void conclude(FindingKind kind, StallClue clue, std::vector<int32_t> culprits,
                double confidence) {
    finding_.kind = kind;
    finding_.culprits = std::move(culprits);
    finding_.confidence = confidence;
    facts_.clue = clue;
    facts_.waiting = inside_;
    if (facts_.named.empty()) facts_.named = finding_.culprits;
    finding_.facts = facts_;
    verdict_.finding = finding_;
  }

  NotKnown& add_gap(NotKnownKind kind) {
    NotKnown& gap = verdict_.not_known.emplace_back();
    gap.kind = kind;
    gap.communicator = stall_.communicator;
    gap.operation = stall_.operation;
    return gap;
  }

  // What a watchdog ends after it stood still is a victim of the hang, not its cause.
  bool waited_before_death(const StallMember& member) const {
    if (member.stand != Stand::Inside || stall_.by_calls) return false;
    const OperationRow& row = run_.operations[member.operation];
    const int64_t since_ns = std::max(row.last_progress_ns, row.enqueue_ns);
    return run_.processes[member.process].heard_ns - since_ns >
           std::max<int64_t>(1'000'000'000, 20 * stall_.typical_ns);
  }

  bool dead_process() {
    std::vector<int32_t> dead, killed;
    size_t survivors = 0;
    for (const StallMember& member : stall_.members) {
      if (member.process == kNoRow) continue;
      const ProcessRow& process = run_.processes[member.process];
      if (process.life != Life::Dead) {
        ++survivors;
      } else if (waited_before_death(member)) {
        killed.push_back(member.rank);
      } else if (member.stand != Stand::Passed || stall_.pair) {
        dead.push_back(member.rank);
      }
    }
    if (!killed.empty()) finding_.evidence.emplace_back(KilledWhileWaiting{killed});
    if (dead.empty() || survivors == 0)
      return false;  // all killed at once: the end of the job, not its cause
    for (const StallMember& member : stall_.members) {
      if (member.process == kNoRow || run_.processes[member.process].life != Life::Dead) continue;
      finding_.evidence.emplace_back(death_of(run_, stall_, member));
    }
    std::vector<int32_t> waiting_ranks;
    for (const int32_t rank : inside_) {
      if (std::find(dead.begin(), dead.end(), rank) == dead.end()) waiting_ranks.push_back(rank);
    }
    finding_.ranks = inside_ = waiting_ranks;
    conclude(FindingKind::DeadProcess, StallClue::Died, dead, 0.95);
    return true;
  }

  bool other_operation() {
    if (elsewhere_.empty()) return false;
    for (const StallMember& member : stall_.members) {
      if (member.stand != Stand::Elsewhere) continue;
      facts_.other = member.operation;
      finding_.evidence.emplace_back(OtherCall{member.rank, member.operation, stall_.operation});
    }
    const bool even = elsewhere_.size() * 2 >= elsewhere_.size() + inside_.size() + passed_.size();
    std::vector<int32_t> culprits = elsewhere_;
    if (even) culprits.insert(culprits.end(), inside_.begin(), inside_.end());
    std::sort(culprits.begin(), culprits.end());
    facts_.named = elsewhere_;
    conclude(FindingKind::WrongOrder, StallClue::OtherCall, culprits, even ? 0.6 : 0.95);
    return true;
  }

  bool other_values() {
    struct Group {
      std::vector<int32_t> ranks;
      uint32_t operation = kNoRow;
    };
    std::map<Values, Group> groups;
    bool with_type = true;
    for (const StallMember& member : stall_.members) {
      if (member.operation == kNoRow) continue;
      with_type = with_type && (run_.operations[member.operation].flags & kOrphan) == 0;
    }
    for (const StallMember& member : stall_.members) {
      if (member.operation == kNoRow) continue;
      Group& group = groups[values_of(run_, run_.operations[member.operation], with_type)];
      group.ranks.push_back(member.rank);
      group.operation = member.operation;
    }
    if (groups.size() < 2) return false;
    size_t most = 0;
    for (const auto& [value, group] : groups) {
      most = std::max(most, group.ranks.size());
      finding_.evidence.emplace_back(ValuesPassed{group.ranks, group.operation, !with_type});
    }
    std::vector<int32_t> culprits;
    // The group of the largest size counts as right, if it is the only one.
    const bool tie = std::count_if(groups.begin(), groups.end(), [&](const auto& one) {
                       return one.second.ranks.size() == most;
                     }) > 1;
    for (const auto& [value, group] : groups) {
      if (!tie && group.ranks.size() == most) continue;
      culprits.insert(culprits.end(), group.ranks.begin(), group.ranks.end());
    }
    std::sort(culprits.begin(), culprits.end());
    conclude(FindingKind::Mismatch, tie ? StallClue::NoCommonValues : StallClue::OtherValues,
             culprits, tie ? 0.7 : 0.95);
    return true;
  }

  bool missing_ranks() {
    if (missing_.empty()) return false;
    double confidence = stall_confidence();
    // Ranks call ahead of each other as far as their streams are deep.
    if (stall_.by_calls && confidence < 0.8) return true;
    for (const StallMember& member : stall_.members) {
      if (member.stand != Stand::Missing) continue;
      const ProcessRow& process = run_.processes[member.process];
      finding_.evidence.emplace_back(NeverCalled{member.rank, member.last_operation});
      if (process.lost == 0) continue;
      confidence *= 0.7;
      NotKnown& gap = add_gap(NotKnownKind::CallsLost);
      gap.rank = member.rank;
      gap.count = process.lost;
    }
    facts_.too_soon = confidence <= 0.4;
    conclude(FindingKind::MissingRank, StallClue::NeverCalled, missing_, confidence);
    return true;
  }

  bool early_abort() {
    if (!stall_.one_clock) return false;
    int64_t first = kNoTime, second = kNoTime;
    int32_t rank = -1;
    for (const StallMember& member : stall_.members) {
      if (member.finalize_ns == kNoTime) continue;
      if (first == kNoTime || member.finalize_ns < first) {
        second = first;
        first = member.finalize_ns;
        rank = member.rank;
      } else if (second == kNoTime || member.finalize_ns < second) {
        second = member.finalize_ns;
      }
    }
    if (first == kNoTime || second == kNoTime) return false;
    const int64_t ahead = second - first;
    if (ahead < std::max<int64_t>(500'000'000, 20 * stall_.typical_ns)) return false;
    finding_.evidence.emplace_back(EarlyFinalize{rank, ahead});
    conclude(FindingKind::Aborted, StallClue::GaveUp, {rank}, 0.9);
    return true;
  }

  bool unrecorded_ranks() {
    if (not_recorded_.empty() || inside_.empty()) return false;
    if (stall_confidence() < 0.8) return true;
    conclude(FindingKind::MissingRank, StallClue::NotRecorded, not_recorded_, 0.4);
    return true;
  }

  void everybody_inside() {
    // A job that is killed or leaves without destroying its communicators ends with its last
    // operation open.
    if (stall_.by_calls) return;
    if (stall_confidence() < 0.8 || stall_.seconds < 0.5) {
      if (!stall_.running && !inside_.empty()) add_gap(NotKnownKind::InProgress);
      return;
    }
    const TransportVerdict transport = judge_transport(run_, stall_);
    finding_.evidence.insert(finding_.evidence.end(), transport.evidence.begin(),
                             transport.evidence.end());
    if (transport.not_known.has_value()) add_gap(*transport.not_known);
    facts_.peer = transport.peer;
    conclude(transport.kind, transport.clue, transport.culprits,
             transport.confidence * stall_confidence() / 0.95);
  }

  const RunTables& run_;
  const Stall& stall_;
  const OperationRow& expected_;
  std::vector<int32_t> inside_, passed_, elsewhere_, missing_, not_recorded_;
  Finding finding_;
  StallFacts facts_;
  Verdict verdict_;
};

}  // namespace

Verdict judge_stall(const RunTables& run, const Stall& stall) {
  return StallJudge(run, stall).judge();
}

}  // namespace lockstep::analysis
