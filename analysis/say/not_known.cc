#include "analysis/say/not_known.h"

#include <algorithm>
#include <set>

#include "analysis/say/names.h"
#include "analysis/say/words.h"
#include "analysis/tables/labels.h"
#include "lockstep/shared_kinds.h"

namespace lockstep::analysis {
namespace {

// "12 calls were", "1 call was"
std::string were(uint64_t count, const char* noun) {
  return counted(count, noun) + (count == 1 ? " was" : " were");
}

std::string some_of(const NotKnown& gap, const char* noun) {
  return std::to_string(gap.count) + " of " + counted(gap.of, noun);
}

std::string no_operations(const NotKnown& gap) {
  std::string text = "What the ranks did is not known: no operation was recorded";
  if (gap.count != 0)
    text += (gap.count == gap.of ? ", because"
                                 : ", and in " + std::to_string(gap.count) + " of " +
                                       std::to_string(gap.of) + " processes") +
            " the kinds of events that tell of operations were switched off";
  return text +
         ". LOCKSTEP_EVENTS=proxy, the default, records those that NCCL is asked for between two "
         "or more ranks while the plugin is loaded; `lockstep info` names the processes and what "
         "each recorded.";
}

std::string ranks_not_recorded(const RunTables& run, const NotKnown& gap) {
  const std::string comm = communicator_label(run, gap.communicator);
  const std::string who = gap.ranks.empty() ? std::to_string(gap.count) + " of the " +
                                                  counted(gap.of, "rank") + " of " + comm
                                            : rank_list(gap.ranks) + " of " + comm;
  return "Nothing is known of " + who + ": " +
         (gap.count == 1 ? "it was not recorded. It" : "they were not recorded. They") +
         " may be missing, or may only run without the plugin.";
}

std::string who_holds_up(const RunTables& run, const NotKnown& gap) {
  std::string text = "Nobody stands out as late on " + communicator_label(run, gap.communicator) +
                     ", yet its ranks arrive " + duration(gap.typical_ns) + " apart (median of " +
                     counted(gap.count, "operation");
  // Operations overlap where several streams are busy: then the sum is no share of the time.
  if (gap.share_percent <= 100)
    text += ", " + std::to_string(gap.share_percent) + " % of its time in all";
  if (!gap.ranks.empty())
    return text + "). " + capitalized(rank_list(gap.ranks)) + " came last in " +
           std::to_string(gap.of) + " of these" +
           (gap.ends_known
                ? ", but the others lost little by it, as far as is recorded."
                : "; what the others lost by it is not known, as calls that run ahead do "
                  "not show who waits.");
  return text +
         "). Ranks that share processors with other work look like this; one that is late by less "
         "would not stand out.";
}

constexpr uint64_t kFewTimes = 20;

std::string how_often(const NotKnown& gap) {
  return (gap.count == 1 ? "it happened once, by " + duration(gap.typical_ns)
                         : "it happened " + std::to_string(gap.count) + " times, by " +
                               duration(gap.typical_ns) + " at most") +
         ". Without that the run would be " + std::to_string(gap.share_percent) + " % shorter.";
}
std::string by_chance(const RunTables& run, const NotKnown& gap) {
  return "Whether more than chance made " + rank_list(gap.ranks) + " of " +
         communicator_label(run, gap.communicator) + " late is not known: " + how_often(gap) +
         (gap.count < kFewTimes ? " A longer recording tells." : "");
}
std::string cost_at_most(const RunTables& run, const NotKnown& gap) {
  return "Whether " + rank_list(gap.ranks) + " of " + communicator_label(run, gap.communicator) +
         " cost the run anything by being late for " + counted(gap.count, "operation") +
         " is not known: it is at most " + std::to_string(gap.share_percent) +
         " %, as calls run ahead of the GPUs and kernels were not recorded.";
}
std::string late_or_no_work(const RunTables& run, const NotKnown& gap) {
  return "Whether " + rank_list(gap.ranks) + " of " + communicator_label(run, gap.communicator) +
         " was late with its broadcasts or had no work to hand out is not known: " + how_often(gap);
}

std::string slow_or_more_work(const RunTables& run, const NotKnown& gap) {
  const bool one = gap.ranks.size() == 1;
  return "Whether " + rank_list(gap.ranks) + " of " + communicator_label(run, gap.communicator) +
         (one ? " is slow or has more to do than others is not known: no other rank does the same. "
                "Its"
              : " are slow or have more to do than others is not known: no other rank does what "
                "either does. Their") +
         " own work is " + std::to_string(gap.share_percent) + " % of what the run took.";
}

std::string only_way(const RunTables& run, const NotKnown& gap) {
  const OperationRow& operation = run.operations[gap.operation];
  const CommunicatorRow& comm = run.communicators[operation.communicator];
  std::set<std::string> hosts;
  for (uint32_t m = comm.first_member; m < comm.first_member + comm.members; ++m)
    hosts.insert(run.text(run.processes[run.members[m].process].host));
  std::string text = "Whether the network between " + listed({hosts.begin(), hosts.end()}) +
                     " is slow all the time is not known: there are no other hosts to compare "
                     "with. Most of its time goes to " +
                     run.text(operation.func) + " of " + bytes(operation.size_bytes) + " on " +
                     communicator_label(run, operation.communicator);
  if (gap.busbw_gbs > 0)
    text +=
        ", each at a bus bandwidth of " + bandwidth(gap.busbw_gbs) +
        " (median). Compare that with what the adapters can do; operations that run at the same "
        "time share them";
  return text + ". If the network were twice as fast, the run would be " +
         std::to_string(gap.share_percent) + " % shorter.";
}

// Whether a process recorded some kinds of a share of the operations only.
bool has_shares(const RunTables& run) {
  return std::any_of(run.settings.begin(), run.settings.end(), [&](const SettingRow& row) {
    return run.text(row.option) == "events" && one_operation_in(run.text(row.value)) != 1;
  });
}

std::string lost(const RunTables& run, const NotKnown& gap) {
  const std::string calls = were(gap.count, "call");
  switch (gap.loss) {
    case Loss::Filtered:
      return calls + " not recorded because their kind is switched off" +
             (has_shares(run) ? ", or on for other operations." : ".");
    case Loss::Memory:
      return calls +
             " not recorded because the memory cap was reached (`lockstep verify` has details).";
    case Loss::Disk:
      return were(gap.count, "record") +
             " dropped because of the disk limit or a full disk (`lockstep verify` has details).";
    default:
      return calls + " not recorded because this version does not know their kind.";
  }
}

// Gaps about one operation that stands still.
std::string about_operation(const RunTables& run, const NotKnown& gap) {
  const std::string operation = operation_on(run, gap.operation);
  switch (gap.kind) {
    case NotKnownKind::CallsLost:
      return capitalized(rank_name(gap.rank)) + " lost " + counted(gap.count, "record") +
             ", so it may have called " + operation + " unseen.";
    case NotKnownKind::RecordingBehind:
      return "Where " + rank_list(gap.ranks) + " of " + communicator_label(run, gap.communicator) +
             " is cannot be told: " + operation_name(run, run.operations[gap.operation]) +
             " ended, which needs it, and its recording does not reach that far.";
    case NotKnownKind::InProgress:
      return operation +
             " was in progress when the recording ended, for too short a time to tell more.";
    case NotKnownKind::InsideHost:
      return "Where " + operation +
             " is stuck inside a host cannot be seen: its transports report nothing.";
    case NotKnownKind::WhichLink:
      return "Which link " + operation +
             " is stuck on is not known: its network steps were not recorded (LOCKSTEP_EVENTS=step "
             "records them; switched on while a job runs, those of operations called afterwards).";
    default:
      return "Whose data stopped first in " + operation +
             " cannot be told from the open network steps.";
  }
}

std::string slow_paths(const NotKnown& gap) {
  return std::string(gap.count != 0 ? "Which links are slow is not known, and a slow proxy thread "
                                      "shows only if it begins far too late"
                                    : "Which links and proxy threads are slow is not known") +
         ": network steps were not recorded (LOCKSTEP_EVENTS=step records them).";
}

// "ranks 0 and 1" where the processes' ranks tell them apart, else "node7 pid 4711, ...".
std::string whose(const RunTables& run, const std::vector<size_t>& processes) {
  std::set<int32_t> all;
  for (const ProcessRow& row : run.processes) all.insert(row.rank);
  const bool by_rank = all.size() == run.processes.size() && all.count(-1) == 0;
  std::vector<int32_t> ranks;
  for (const size_t process : processes) ranks.push_back(run.processes[process].rank);
  std::sort(ranks.begin(), ranks.end());
  if (by_rank) return rank_list(ranks);
  constexpr size_t kShown = 4;
  std::vector<std::string> items;
  for (size_t i = 0; i < processes.size() && i < kShown; ++i) {
    const ProcessRow& row = run.processes[processes[i]];
    items.push_back(run.text(row.host) + " pid " + std::to_string(row.pid));
  }
  if (processes.size() > kShown)
    items.push_back(std::to_string(processes.size() - kShown) + " more");
  return listed(items);
}

std::string different_settings(const RunTables& run, const NotKnown& gap) {
  std::string text = "Not all processes recorded with the same settings: ";
  const char* between = "";
  for (const SettingValue& value : gap.setting.values) {
    text += between + gap.setting.option + "=" + value.value + " in " + whose(run, value.processes);
    between = "; ";
  }
  return text + ". What is missing in some of them may only not have been recorded there.";
}

std::string damage(const NotKnown& gap) {
  return counted(gap.count, "chunk") + " of the recording " +
         (gap.count == 1 ? "is damaged or missing and was" : "are damaged or missing and were") +
         " skipped.";
}

}  // namespace

std::string sentence(const RunTables& run, const NotKnown& gap) {
  switch (gap.kind) {
    case NotKnownKind::Operations:
      return no_operations(gap);
    case NotKnownKind::RanksNotRecorded:
      return ranks_not_recorded(run, gap);
    case NotKnownKind::CallsLost:
    case NotKnownKind::RecordingBehind:
    case NotKnownKind::InProgress:
    case NotKnownKind::InsideHost:
    case NotKnownKind::WhichLink:
    case NotKnownKind::WhoStopped:
      return about_operation(run, gap);
    case NotKnownKind::WhoHoldsUp:
      return who_holds_up(run, gap);
    case NotKnownKind::ByChance:
      return by_chance(run, gap);
    case NotKnownKind::CostAtMost:
      return cost_at_most(run, gap);
    case NotKnownKind::LateOrNoWork:
      return late_or_no_work(run, gap);
    case NotKnownKind::SlowOrMoreWork:
      return slow_or_more_work(run, gap);
    case NotKnownKind::OnlyWay:
      return only_way(run, gap);
    case NotKnownKind::WhoCameLast:
      return "Who arrived last is not known for " + some_of(gap, "operation") +
             ": their ranks are on hosts whose clocks are not aligned (`lockstep align` aligns "
             "them).";
    case NotKnownKind::AssumedClocks:
      return "Which hosts are always late is not known: nothing connects their clocks. Lateness is "
             "judged as if all hosts made the median collective at the same time (probes between "
             "the hosts, or LOCKSTEP_EVENTS=kernel, tell more).";
    case NotKnownKind::WithinClocks:
      return "Which ways between hosts are slow on " + communicator_label(run, gap.communicator) +
             " is not fully known: transfers there seem " + duration(gap.typical_ns) +
             " longer than others, but the clocks of their hosts are known to +-" +
             duration(gap.clock_error_ns) +
             " only (`lockstep clock` says why; probes between hosts tell far better).";
    case NotKnownKind::SlowPaths:
      return slow_paths(gap);
    case NotKnownKind::SlowGpus:
      return "Which GPUs are slow is not known: kernels were not recorded, so ranks are compared "
             "by "
             "when they called (LOCKSTEP_EVENTS=kernel or proxy records kernels).";
    case NotKnownKind::Ends:
      return "When " + some_of(gap, "operation") +
             " ended is not known: nothing in the recording tells (inside a host without kernel "
             "events, copy engines, calls without launch events).";
    case NotKnownKind::Lost:
      return lost(run, gap);
    case NotKnownKind::GpuTimes:
      return "The GPU times of " + counted(gap.count, "operation") +
             " contradict the host's clock and are not used.";
    case NotKnownKind::Damage:
      return damage(gap);
    case NotKnownKind::Settings:
      return different_settings(run, gap);
    case NotKnownKind::Note:
      break;
  }
  return gap.note;
}

std::vector<std::string> sentences(const RunTables& run, const std::vector<NotKnown>& gaps) {
  std::vector<std::string> texts;
  for (const NotKnown& gap : gaps) texts.push_back(sentence(run, gap));
  return texts;
}

std::vector<std::string> table_notes(const RunTables& run) {
  std::vector<std::string> notes = run.notes;
  if (!run.aligned)
    notes.push_back(
        "The hosts are not on one clock: waits are known within each host only. `lockstep align` "
        "puts them on one.");
  return notes;
}

}  // namespace lockstep::analysis
