#include "analysis/judge/verdict.h"

#include <algorithm>
#include <map>

#include "analysis/judge/transport_verdict.h"
#include "analysis/judge/verdict_evidence.h"

namespace lockstep::analysis {
namespace {

// While the job runs, an operation must stand still this long before anybody is accused: longer
// than a slow checkpoint's pause between two ranks, yet known within 15 s.
constexpr double kPatienceS = 5, kMostPatienceS = 12;

class Judge {
 public:
  Judge(const RunTables& run, const Stall& stall)
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
    if (!dead_process() && !other_operation() && !other_values() && !missing_ranks() &&
        !early_abort() && !unrecorded_ranks()) {
      everybody_inside();
    }
    if (verdict_.finding.has_value()) add_members(run_, stall_, &*verdict_.finding);
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

  void conclude(const char* kind, std::vector<int32_t> culprits, double confidence,
                std::string text) {
    finding_.kind = kind;
    finding_.culprits = std::move(culprits);
    finding_.confidence = confidence;
    finding_.text = std::move(text);
    if (stall_.by_calls)
      finding_.text +=
          " This is told by the calls alone: nothing recorded says when operations end "
          "(LOCKSTEP_EVENTS=kernel or proxy would).";
    verdict_.finding = finding_;
  }

  std::string what() const {
    return operation_name(run_, expected_) + " on communicator " +
           communicator_name(run_, stall_.communicator);
  }
  std::string waiting() const {
    std::string who = "nobody waits";
    if (!inside_.empty()) who = rank_list(inside_) + (inside_.size() == 1 ? " waits" : " wait");
    who[0] = static_cast<char>(std::toupper(who[0]));
    return who + " in " + what() + " since " + seconds_text(stall_.seconds);
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
    if (!killed.empty())
      finding_.evidence.push_back("processes: " + rank_list(killed) +
                                  " died after waiting inside, as a watchdog ends a hang");
    if (dead.empty() || survivors == 0)
      return false;  // all killed at once: the end of the job, not its cause
    for (const StallMember& member : stall_.members) {
      if (member.process == kNoRow || run_.processes[member.process].life != Life::Dead) continue;
      finding_.evidence.push_back(death_of(run_, stall_, member));
    }
    std::vector<int32_t> waiting_ranks;
    for (const int32_t rank : inside_) {
      if (std::find(dead.begin(), dead.end(), rank) == dead.end()) waiting_ranks.push_back(rank);
    }
    finding_.ranks = inside_ = waiting_ranks;
    conclude("dead_process", dead, 0.95,
             "The process of " + rank_list(dead) + " died. " + waiting() + ".");
    return true;
  }

  bool other_operation() {
    if (elsewhere_.empty()) return false;
    std::string called;
    for (const StallMember& member : stall_.members) {
      if (member.stand != Stand::Elsewhere) continue;
      const OperationRow& row = run_.operations[member.operation];
      called = operation_name(run_, row);
      finding_.evidence.push_back("operations: rank " + std::to_string(member.rank) + " called " +
                                  called + " as collective no. " + std::to_string(row.position) +
                                  " of this communicator, the others " +
                                  operation_name(run_, expected_));
    }
    const bool even = elsewhere_.size() * 2 >= elsewhere_.size() + inside_.size() + passed_.size();
    std::vector<int32_t> culprits = elsewhere_;
    if (even) culprits.insert(culprits.end(), inside_.begin(), inside_.end());
    std::sort(culprits.begin(), culprits.end());
    conclude("wrong_order", culprits, even ? 0.6 : 0.95,
             waiting() + "; " + rank_list(elsewhere_) + " called " + called + " instead.");
    return true;
  }

  bool other_values() {
    std::map<std::string, std::vector<int32_t>> values;
    bool with_type = true;
    for (const StallMember& member : stall_.members) {
      if (member.operation == kNoRow) continue;
      with_type = with_type && (run_.operations[member.operation].flags & kOrphan) == 0;
    }
    for (const StallMember& member : stall_.members) {
      if (member.operation == kNoRow) continue;
      values[value_of(run_, run_.operations[member.operation], with_type)].push_back(member.rank);
    }
    if (values.size() < 2) return false;
    size_t most = 0;
    for (const auto& [value, ranks] : values) {
      most = std::max(most, ranks.size());
      finding_.evidence.push_back("operations: " + rank_list(ranks) + " passed " + value);
    }
    std::vector<int32_t> culprits;
    // The group of the largest size counts as right, if it is the only one.
    const bool tie = std::count_if(values.begin(), values.end(),
                                   [&](const auto& v) { return v.second.size() == most; }) > 1;
    for (const auto& [value, ranks] : values) {
      if (!tie && ranks.size() == most) continue;
      culprits.insert(culprits.end(), ranks.begin(), ranks.end());
    }
    std::sort(culprits.begin(), culprits.end());
    conclude(
        "mismatch", culprits, tie ? 0.7 : 0.95,
        waiting() + ": the ranks do not agree on the size, type or root; " + rank_list(culprits) +
            (tie ? " differ from each other."
                 : " differ" + std::string(culprits.size() == 1 ? "s" : "") + " from the others."));
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
      finding_.evidence.push_back(absence_of(run_, member));
      if (process.lost == 0) continue;
      confidence *= 0.7;
      verdict_.not_known.push_back(
          "Rank " + std::to_string(member.rank) + " lost " + std::to_string(process.lost) +
          " records, so it may have called " + operation_name(run_, expected_) + " unseen.");
    }
    std::string text = waiting() + "; " + rank_list(missing_) + " never entered it.";
    if (confidence <= 0.4)
      text += " The recording ends so soon after that it may only have been on its way.";
    conclude("missing_rank", missing_, confidence, text);
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
    finding_.evidence.push_back("members: rank " + std::to_string(rank) +
                                " finalized its communicator " + nanoseconds_text(ahead) +
                                " before the others");
    conclude("aborted", {rank}, 0.9,
             "Rank " + std::to_string(rank) + " gave up " + what() +
                 " while the others were inside. " + waiting() + ".");
    return true;
  }

  bool unrecorded_ranks() {
    if (not_recorded_.empty() || inside_.empty()) return false;
    verdict_.not_known.push_back("There is no recording of " + rank_list(not_recorded_) +
                                 " of communicator " +
                                 communicator_name(run_, stall_.communicator) +
                                 ": they may be missing, or only run without the plugin.");
    if (stall_confidence() < 0.8) return true;
    conclude("missing_rank", not_recorded_, 0.4,
             waiting() + "; nothing is known of " + rank_list(not_recorded_) + ".");
    return true;
  }

  void everybody_inside() {
    // A job that is killed or leaves without destroying its communicators ends with its last
    // operation open.
    if (stall_.by_calls) return;
    if (stall_confidence() < 0.8 || stall_.seconds < 0.5) {
      if (!stall_.running && !inside_.empty()) {
        verdict_.not_known.push_back(
            what() + " was in progress when the recording ended, too short to tell more.");
      }
      return;
    }
    const TransportVerdict transport = judge_transport(run_, stall_);
    finding_.evidence.insert(finding_.evidence.end(), transport.evidence.begin(),
                             transport.evidence.end());
    if (!transport.not_known.empty()) verdict_.not_known.push_back(transport.not_known);
    conclude(transport.kind, transport.culprits, transport.confidence * stall_confidence() / 0.95,
             waiting() + ", all are inside. " + transport.text);
  }

  const RunTables& run_;
  const Stall& stall_;
  const OperationRow& expected_;
  std::vector<int32_t> inside_, passed_, elsewhere_, missing_, not_recorded_;
  Finding finding_;
  Verdict verdict_;
};

}  // namespace

Verdict judge_stall(const RunTables& run, const Stall& stall) { return Judge(run, stall).judge(); }

}  // namespace lockstep::analysis
