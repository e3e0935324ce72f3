#include "analysis/report/report_scope.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/report/report_starts.h"
#include "analysis/say/table_coverage.h"
#include "analysis/say/words.h"
#include "analysis/tables/labels.h"
#include "analysis/tables/wall_time.h"
#include "base/system.h"
#include "lockstep/config.h"

namespace lockstep::analysis {
namespace {

std::string processes_text(size_t count) {
  return std::to_string(count) + (count == 1 ? " process" : " processes");
}

// Different texts of the processes, each once; empty ones left out.
template <typename Get>
std::string different(const RunTables& run, Get get) {
  std::set<std::string> texts;
  for (const ProcessRow& process : run.processes) {
    const std::string text = get(process);
    if (!text.empty()) texts.insert(text);
  }
  return listed({texts.begin(), texts.end()});
}

std::string version_text(const RunTables& run, const ProcessRow& process) {
  const uint32_t version = process.nccl_version;
  std::string text = run.text(process.nccl_library) == "rccl" ? "RCCL" : "NCCL";
  if (version == 0) return text + " of unknown version";
  return text + " " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
         "." + std::to_string(version % 100);
}

std::string who_ran(const RunTables& run) {
  std::set<Text> hosts;
  int32_t ranks = 0;
  uint32_t recorded = 0;
  for (const ProcessRow& process : run.processes) hosts.insert(process.host);
  for (const CommunicatorRow& comm : run.communicators) {
    if (comm.nranks <= ranks) continue;
    ranks = comm.nranks;
    recorded = comm.members;
  }
  const std::string job =
      different(run, [&](const ProcessRow& process) { return run.text(process.job); });
  std::string text = job.empty() ? "Ran: " : "Ran: job " + job + ", ";
  text += processes_text(run.processes.size()) + " on " + counted(hosts.size(), "host") + ", " +
          counted(run.communicators.size(), "communicator") + "; the largest has " +
          counted(static_cast<uint64_t>(std::max(0, ranks)), "rank");
  if (recorded < static_cast<uint32_t>(std::max(0, ranks)))
    text += ", of which " + std::to_string(recorded) + " recorded";
  return text + ".";
}

std::string when_it_ran(const RunTables& run) {
  int64_t first_ns = kNoTime, last_ns = kNoTime;
  for (const ProcessRow& process : run.processes) {
    if (process.first_ns == kNoTime || !knows_wall_time(process)) continue;
    const int64_t from_ns = wall_ns(process, process.first_ns);
    first_ns = first_ns == kNoTime ? from_ns : std::min(first_ns, from_ns);
    last_ns = std::max(last_ns, wall_ns(process, process.last_ns));
  }
  if (first_ns == kNoTime) return "When: not known.";
  constexpr const char* kFormat = "%Y-%m-%d %H:%M:%S";
  return "When: " + utc_text(kFormat, first_ns) + " to " + utc_text(kFormat, last_ns) + " UTC, " +
         duration(last_ns - first_ns) + ".";
}

std::string versions(const RunTables& run) {
  const auto table = different(run, [&](const ProcessRow& p) { return run.text(p.nccl_api); });
  const auto driver =
      different(run, [&](const ProcessRow& p) { return run.text(p.driver_version); });
  return "Versions: " + different(run, [&](const ProcessRow& p) { return version_text(run, p); }) +
         (table.empty() ? "" : ", profiler table " + table) +
         (driver.empty() ? ", driver not known" : ", driver " + driver) + ", lockstep " +
         different(run, [&](const ProcessRow& p) { return run.text(p.library); }) + ".";
}

std::string kinds_text(uint64_t kinds) {
  std::vector<std::string> names;
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    if ((kinds >> kind & 1u) != 0) names.emplace_back(kKindNames[kind]);
  }
  return listed(names);
}

// Only what is not as it would be anyway; `enable`, `dir` and `host` say nothing that is not said elsewhere.
std::string options_text(const RunTables& run) {
  std::set<std::string> set;
  for (const SettingRow& setting : run.settings) {
    const std::string &name = run.text(setting.option), &value = run.text(setting.value);
    for (const OptionRow& option : kOptions) {
      if (name == option.name && value != option.value && name != "dir" && name != "host" &&
          name != "enable")
        set.insert(name + "=" + value);
    }
  }
  return set.empty() ? "all options as they are by default"
                     : "options " + listed({set.begin(), set.end()});
}

std::string what_was_recorded(const RunTables& run) {
  std::set<uint64_t> masks;
  for (const ProcessRow& process : run.processes) masks.insert(process.kinds);
  std::string text = "Recorded: ";
  text += masks.size() == 1 ? kinds_text(*masks.begin())
                            : counted(masks.size(), "different choice") + " of kinds";
  return text + "; " + options_text(run) + ".";
}

std::string how_it_ended(const RunTables& run) {
  uint64_t lost = 0, records = 0, ended = 0;
  for (const ProcessRow& process : run.processes) {
    lost += process.lost;
    records += process.records;
    ended += process.life == Life::Ended ? 1 : 0;
  }
  return "Coverage: " + counted(records, "record") + ", " +
         (lost == 0 ? "no call lost" : counted(lost, "call") + " lost") + "; " +
         std::to_string(ended) + " of " + processes_text(run.processes.size()) +
         " closed their recording.";
}

// Operations that lack something, or came when nothing should come any more.
struct Strays {
  uint64_t orphans = 0, foreign = 0, late = 0;
};

Strays strays_of(const RunTables& run) {
  std::map<std::pair<uint32_t, uint32_t>, int64_t> finalized_ns;  // by process and communicator
  for (const MemberRow& member : run.members) {
    if (member.finalize_ns != kNoTime)
      finalized_ns[{member.process, member.communicator}] = member.finalize_ns;
  }
  Strays strays;
  for (const OperationRow& row : run.operations) {
    if (row.kind == OpKind::Assembled) continue;
    strays.orphans += (row.flags & kOrphan) != 0 ? 1 : 0;
    strays.foreign += (row.flags & kForeignChildren) != 0 ? 1 : 0;
    const auto end = finalized_ns.find({row.process, row.communicator});
    strays.late += end != finalized_ns.end() && row.called_ns() > end->second ? 1 : 0;
  }
  return strays;
}

std::string what_is_stray(const RunTables& run) {
  const Strays strays = strays_of(run);
  return "Strays: " + counted(strays.orphans, "operation") + " without the call that made them, " +
         std::to_string(strays.foreign) + " with network work of another process, " +
         std::to_string(strays.late) + " called after the end of their communicator.";
}

std::vector<std::string> versions_of(const RunTables& run, const CommunicatorRow& comm) {
  std::set<std::string> texts;
  for (uint32_t i = comm.first_member; i < comm.first_member + comm.members; ++i) {
    const uint32_t process = run.members[i].process;
    if (process >= run.processes.size()) continue;
    const ProcessRow& row = run.processes[process];
    texts.insert(version_text(run, row) +
                 (row.nccl_api == 0 ? "" : ", table " + run.text(row.nccl_api)));
  }
  return {texts.begin(), texts.end()};
}

}  // namespace

std::vector<std::string> scope_sentences(const RunTables& run) {
  return {who_ran(run),      when_it_ran(run),   versions(run),      what_was_recorded(run),
          how_it_ended(run), what_is_stray(run), start_sentence(run)};
}

std::vector<std::pair<std::string, std::string>> scope_metrics(const RunTables& run) {
  const Strays strays = strays_of(run);
  return {{"operations_without_call", std::to_string(strays.orphans)},
          {"operations_with_foreign_work", std::to_string(strays.foreign)},
          {"operations_after_finalize", std::to_string(strays.late)}};
}

void add_coverage(const RunTables& run, const std::vector<Capability>& capabilities,
                  Report* report) {
  for (const Capability& known : capabilities)
    report->capabilities.push_back({communicator_label(run, known.communicator),
                                    versions_of(run, run.communicators[known.communicator]),
                                    known});
  report->operations_coverage = coverage_line(run, capabilities, kOnEnds | kOnWaits);
  if (!report->communicators.empty())
    report->ranks_coverage = coverage_line(
        run, {capabilities[report->communicators.front().communicator]}, kOnEnds | kOnWaits);
  for (SaidTable& table : report->accounts) {
    if (table.rests != 0) table.coverage = coverage_line(run, capabilities, table.rests);
  }
}

}  // namespace lockstep::analysis
