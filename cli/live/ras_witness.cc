#include "cli/live/ras_witness.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <variant>

#include "base/clock_ns.h"
#include "base/output_file.h"
#include "base/system.h"
#include "base/text.h"
#include "live/ras/ras_client.h"

namespace lockstep::cli {
namespace {

using analysis::kNoRow;
using analysis::Life;
using analysis::ProcessRow;
using analysis::RunTables;

constexpr int64_t kPatienceNs = 12'000'000'000;  // NCCL's own limit for all of it is 10 s
constexpr size_t kLongestEnvironment = size_t{1} << 20;

bool runs_here(const ProcessRow& process) {
  return process.life == Life::Running || process.life == Life::Stopped ||
         process.life == Life::Blocked;
}

std::string version_text(uint32_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

// A variable of a process that runs on this host; empty where it has none or may not be read.
std::string variable_of(uint32_t pid, const std::string& name) {
  const Result<std::string> text =
      read_small_file("/proc/" + std::to_string(pid) + "/environ", kLongestEnvironment);
  if (!text.ok()) return {};
  const std::string all = std::string(1, '\0') + text.value(), wanted = '\0' + name + "=";
  const size_t at = all.find(wanted);
  if (at == std::string::npos) return {};
  const size_t from = at + wanted.size();
  return all.substr(from, all.find('\0', from) - from);
}

// Why this version is not asked; empty where it may be.
std::string too_risky(const ProcessRow& process, const RunTables& run) {
  if (run.text(process.nccl_library) == "rccl")
    return "RAS was not asked: this job uses RCCL, whose service is not known.";
  if (process.nccl_version == 0) return "RAS was not asked: NCCL's version is not known.";
  if (process.nccl_version >= live::kOldestSafeRas) return {};
  return "RAS was not asked: NCCL " + version_text(process.nccl_version) +
         ", which may crash when asked (2.29.2 and later do not).";
}

// The answer as it came, for whoever reads it later.
Status keep(const std::string& directory, const std::string& answer) {
  const std::string folder = directory + "/ras";
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
    return Status::error(folder + ": cannot make it: " + std::strerror(errno));
  const int64_t now_ns = real_now_ns();
  const std::string millis = std::to_string(1000 + now_ns / 1'000'000 % 1000).substr(1);
  return write_file(folder + "/" + utc_text("%Y%m%dT%H%M%S", now_ns) + "." + millis + "Z.json",
                    answer, IfExists::Refuse);
}

size_t ranks_of_run(const RunTables& run, const live::RasReport& report) {
  size_t ours = 0;
  for (const live::RasCommunicator& comm : report.communicators) {
    for (const live::RasRank& rank : comm.ranks)
      ours += member_of(run, comm, rank.rank, rank.pid) != kNoRow ? 1u : 0u;
    for (const live::RasMissingRank& rank : comm.missing)
      ours += member_of(run, comm, rank.rank, rank.pid) != kNoRow ? 1u : 0u;
  }
  return ours;
}

bool accused(const analysis::Finding& finding, int32_t rank) {
  return std::find(finding.culprits.begin(), finding.culprits.end(), rank) !=
         finding.culprits.end();
}

void add_evidence(const RunTables& run, const live::RasCommunicator& comm,
                  analysis::Finding* finding) {
  const auto add = [&](int32_t rank, uint32_t pid, analysis::RasSeen::Said said,
                       uint64_t launched) {
    const uint32_t member = member_of(run, comm, rank, pid);
    if (member == kNoRow || run.members[member].communicator != finding->communicator ||
        !accused(*finding, rank))
      return;
    finding->evidence.emplace_back(
        analysis::RasSeen{said, rank, run.members[member].process, launched});
  };
  for (const live::RasMissingRank& rank : comm.missing)
    add(rank.rank, rank.pid,
        rank.considered_dead ? analysis::RasSeen::Said::ConsideredDead
                             : analysis::RasSeen::Said::Unresponsive,
        0);
  // That a rank answers tells something of one that never called, and nothing of one inside.
  if (finding->kind != analysis::FindingKind::MissingRank) return;
  for (const live::RasRank& rank : comm.ranks) {
    const auto launched = rank.launched.find(run.text(finding->func));
    if (launched != rank.launched.end())
      add(rank.rank, rank.pid, analysis::RasSeen::Said::Answers, launched->second);
  }
}

}  // namespace

uint32_t member_of(const RunTables& run, const live::RasCommunicator& comm, int32_t rank,
                   uint32_t pid) {
  for (uint32_t i = 0; i < run.members.size(); ++i) {
    const analysis::MemberRow& member = run.members[i];
    if (member.rank != rank || member.process == kNoRow || member.communicator == kNoRow) continue;
    const analysis::CommunicatorRow& known = run.communicators[member.communicator];
    if (known.comm_id == comm.hash && known.nranks == comm.size &&
        run.processes[member.process].pid == pid)
      return i;
  }
  return kNoRow;
}

RasDoor ras_door(const RunTables& run) {
  RasDoor door;
  const ProcessRow* here = nullptr;
  for (const ProcessRow& process : run.processes) {
    if (here == nullptr && runs_here(process)) here = &process;
  }
  if (here == nullptr) return door;
  for (const ProcessRow& process : run.processes) {
    door.why_not = too_risky(process, run);
    if (!door.why_not.empty()) return door;
  }
  if (variable_of(here->pid, "NCCL_RAS_ENABLE") == "0") {
    door.why_not = "RAS was not asked: the job runs with NCCL_RAS_ENABLE=0.";
    return door;
  }
  const std::string given = variable_of(here->pid, "NCCL_RAS_ADDR");
  door.address = given.empty() ? live::kRasAddress : given;
  return door;
}

Result<live::RasReport> ask_run_ras(const std::string& directory, const RunTables& run,
                                    const std::string& address) {
  const auto where = live::parse_ras_address(address);
  if (!where.ok()) return where.status();
  live::RasTerms terms;
  terms.deadline_ns = mono_now_ns() + kPatienceNs;
  const Result<std::string> answer = live::ask_ras(where.value(), terms);
  if (!answer.ok()) return answer.status();
  auto report = live::parse_ras_report(answer.value());
  if (!report.ok()) return report;
  if (ranks_of_run(run, report.value()) == 0)
    return Status::error("RAS at " + address +
                         ": another job answered, which shares the port; none of its processes is "
                         "in this run");
  if (const Status kept = keep(directory, answer.value()); !kept.ok()) return kept;
  return report;
}

std::vector<std::string> hear_ras(const std::string& directory, const RunTables& run,
                                  analysis::Judgement* judgement) {
  const auto stalls = [](const analysis::Finding& finding) {
    return std::holds_alternative<analysis::StallFacts>(finding.facts);
  };
  if (std::none_of(judgement->findings.begin(), judgement->findings.end(), stalls)) return {};
  const RasDoor door = ras_door(run);
  if (door.address.empty())
    return door.why_not.empty() ? std::vector<std::string>() : std::vector{door.why_not};
  const auto report = ask_run_ras(directory, run, door.address);
  if (!report.ok()) return {"What NCCL's RAS knows is not known: " + report.message() + "."};
  for (analysis::Finding& finding : judgement->findings) {
    if (!stalls(finding)) continue;
    for (const live::RasCommunicator& comm : report.value().communicators)
      add_evidence(run, comm, &finding);
  }
  return {};
}

}  // namespace lockstep::cli
