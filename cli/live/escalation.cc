#include "cli/live/escalation.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <variant>

#include "base/json.h"
#include "live/wire/channel.h"

namespace lockstep::cli {
namespace {

using analysis::kNoRow;
using analysis::RunTables;

// Steps belong to network operations, and these to collectives.
constexpr std::string_view kSteps = "coll,ProxyOp,ProxyStep";

// Nothing but calls was recorded, and everybody has called the same.
bool stands_still_by_calls(const analysis::Finding& finding) {
  const auto* stall = std::get_if<analysis::StallFacts>(&finding.facts);
  return stall != nullptr && stall->clue == analysis::StallClue::NobodyCalls;
}

// Of several ranks one is to blame, and nothing tells which; steps would.
bool one_of_several(const RunTables& run, const analysis::Finding& finding) {
  const auto* stall = std::get_if<analysis::StallFacts>(&finding.facts);
  if (stall == nullptr || finding.kind != analysis::FindingKind::StuckInTransport || !stall->one_of)
    return false;
  return std::none_of(run.open_transports.begin(), run.open_transports.end(),
                      [&](const analysis::OpenTransportRow& row) {
                        return row.last_state != analysis::kNoState &&
                               run.operations[row.operation].communicator == finding.communicator;
                      });
}

std::string question_for(const ProcessesOfHosts& processes, int64_t seconds) {
  JsonFields question;
  question.object([&] {
    question.string("request",
                    "events +" + std::string(kSteps) + " for " + std::to_string(seconds) + "s");
    question.object("only", [&] {
      for (const auto& [host, pids] : processes)
        question.list(host.c_str(), pids, [&](uint32_t pid) { question.writer().Uint(pid); });
    });
  });
  return std::string(question.text());
}

void read_rows(const std::string& rows, Escalation* escalation) {
  json::Document document;
  parse_json_list(rows, &document);
  for (const json::Value& row : document.GetArray()) {
    const json::Value* answer = member(row, "answer");
    const std::string who =
        text_member(row, "host") + " pid " + std::to_string(uint_member(row, "pid"));
    if (answer == nullptr) continue;
    const bool steps = text_member(*answer, "events").find("ProxyStep") != std::string::npos;
    if (steps) {
      ++escalation->processes;
    } else {
      const std::string why = text_member(*answer, "error");
      escalation->refused.push_back(
          "Network steps could not be recorded in " + who + ": " +
          (why.empty() ? "its overhead budget or its NCCL does not let them" : why) + ".");
    }
  }
}

}  // namespace

ProcessesOfHosts processes_without_steps(const RunTables& run,
                                         const analysis::Judgement& judgement) {
  std::set<uint32_t> communicators;
  for (const analysis::NotKnown& gap : judgement.not_known) {
    if (gap.kind == analysis::NotKnownKind::WhichLink && gap.operation != kNoRow)
      communicators.insert(run.operations[gap.operation].communicator);
  }
  for (const analysis::Finding& finding : judgement.findings) {
    if (stands_still_by_calls(finding) || one_of_several(run, finding))
      communicators.insert(finding.communicator);
  }
  std::set<uint32_t> concerned;
  for (const analysis::MemberRow& member : run.members) {
    if (member.process != kNoRow && communicators.count(member.communicator) != 0)
      concerned.insert(member.process);
  }
  ProcessesOfHosts processes;
  for (const uint32_t row : concerned) {
    const analysis::ProcessRow& process = run.processes[row];
    processes[run.text(process.host)].push_back(process.pid);
  }
  return processes;
}

Result<Escalation> add_network_steps(const LiveArguments& arguments,
                                     const ProcessesOfHosts& processes, int64_t seconds) {
  const std::string question = question_for(processes, seconds);
  if (question.size() > live::kMostFrameBytes / 2)
    return Status::error("too many processes stand there to be told in one question");
  const auto answers = ask_live(arguments, "ctl", question);
  if (!answers.ok()) return answers.status();
  Escalation escalation;
  escalation.seconds = seconds;
  for (const live::HostRows& host : answers.value().hosts) read_rows(host.rows, &escalation);
  for (const live::FailedHost& failed : answers.value().failed)
    escalation.refused.push_back("Network steps could not be asked for on " + failed.host + ": " +
                                 failed.reason + ".");
  return escalation;
}

std::string in_words(const Escalation& escalation) {
  return "Network steps were recorded for " + std::to_string(escalation.seconds) + " s in " +
         std::to_string(escalation.processes) +
         (escalation.processes == 1 ? " process" : " processes");
}

}  // namespace lockstep::cli
