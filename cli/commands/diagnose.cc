// `lockstep diagnose DIR`: what hangs, and who slows the job down. Works while the job runs.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/judge.h"
#include "analysis/report/kept_findings.h"
#include "analysis/say/evidence.h"
#include "analysis/say/findings.h"
#include "analysis/say/times.h"
#include "analysis/say/words.h"
#include "base/system.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/live/judge_job.h"
#include "cli/show/diagnosis_json.h"
#include "cli/show/output.h"
#include "cli/show/selection_options.h"
#include "dumper/recovery/recover.h"

namespace lockstep::cli {
namespace {

using analysis::Finding;
using analysis::Judgement;
using analysis::RunTables;

// The first of `lines`, and how many more there are.
std::string indented(const std::vector<std::string>& lines, size_t most) {
  std::string text;
  for (size_t i = 0; i < lines.size() && i < most; ++i) text += "    " + lines[i] + "\n";
  if (lines.size() > most)
    text += "    and " + std::to_string(lines.size() - most) + " more (--json lists them)\n";
  return text;
}

std::string finding_text(const RunTables& run, const Finding& finding) {
  std::vector<std::string> consequences;
  for (const analysis::Consequence& consequence : finding.consequences)
    consequences.push_back("consequence: " + clause(run, consequence));
  return std::string(name_of(finding.kind)) + " (" + analysis::percent(finding.confidence) +
         " sure): " + sentence(run, finding) + "\n" + indented(evidence_lines(run, finding), 12) +
         indented(consequences, 6);
}

void print_for_people(const Judged& judged) {
  const RunTables& run = *judged.run;
  const std::vector<Finding>& findings = judged.judgement.findings;
  const std::vector<std::string>& not_known = judged.not_known;
  std::string text;
  if (findings.empty()) text += analysis::no_finding(run) + "\n";
  for (const Finding& finding : findings) text += finding_text(run, finding);
  if (!not_known.empty()) text += "Not known:\n";
  for (const std::string& line : not_known) text += "    " + line + "\n";
  const std::string gpu_times = gpu_times_sentence(run);
  if (!gpu_times.empty()) text += gpu_times + "\n";
  if (judged.escalation) text += in_words(*judged.escalation) + ".\n";
  print(text);
}

// What killed processes left in memory belongs to the picture; a sentence for each that could not
// be saved.
std::vector<std::string> recover_dead(const std::string& directory) {
  std::vector<std::string> sentences;
  const auto recovered = dumper::recover_run(directory);
  if (!recovered.ok()) return sentences;  // load_run() says it better
  for (const dumper::RecoveredProcess& process : recovered.value()) {
    if (process.outcome == dumper::RecoveredProcess::Outcome::Failed)
      sentences.push_back(process.sentence);
  }
  return sentences;
}

// What could not be saved may be why there is nothing.
int nothing_to_diagnose(const std::string& sentence, const std::vector<std::string>& unsaved) {
  for (const std::string& why : unsaved) complain(why);
  return bad_input(sentence);
}

constexpr int64_t kJudgedPartNs = 60'000'000'000;  // the end of a running job that is judged
constexpr int64_t kEscalationS = 30, kMostEscalationS = 600;

struct DiagnoseArguments : LiveRunArguments {
  SelectionArguments selection;
  int64_t escalate_s = 0;
};

int exit_code(const Judged& judged) {
  return with_damage(judged.judgement.findings.empty() ? kOk : kFinding, judged.run->damage);
}

// "Found while it ran, 2026-11-25 15:04:05 UTC:" and what that was.
std::string kept_text(const std::string& directory, const analysis::KeptFindings& kept) {
  constexpr const char* kFormat = "%Y-%m-%d %H:%M:%S UTC";
  std::string text;
  if (kept.taken_unix_ns != 0)
    text += "Found while it ran, " + utc_text(kFormat, kept.taken_unix_ns) + ":\n";
  for (const analysis::KeptFindings::One& one : kept.findings)
    text +=
        "    " + one.kind + " (" + analysis::percent(one.confidence) + " sure): " + one.text + "\n";
  const int64_t stacks_ns = analysis::kept_stacks_unix_ns(directory);
  if (stacks_ns != 0)
    text += "Stacks of " + utc_text(kFormat, stacks_ns) +
            " are kept: `lockstep serve` and `lockstep report` show them.\n";
  return text;
}

// With what was found while it ran, where the whole run is judged.
int print_recorded(const Judged& judged, const DiagnoseArguments& arguments) {
  const bool whole = !arguments.selection.given();
  const auto kept = whole ? analysis::kept_findings(arguments.run) : analysis::KeptFindings();
  if (arguments.json) {
    print_json(diagnosis_json(judged, nullptr, kept));
  } else {
    print_for_people(judged);
    if (whole) print(kept_text(arguments.run, kept));
  }
  return exit_code(judged);
}

// Findings about all of the run: of a part they would take the place of more.
void keep(const DiagnoseArguments& arguments, const Judged& judged, const std::string& json) {
  const auto directory = live_run(arguments);
  const SelectionArguments& part = arguments.selection;
  if (judged.judgement.findings.empty() || !directory.ok() || directory.value().empty() ||
      !arguments.target.empty() || !part.ranks.empty() || !part.comm.empty())
    return;
  analysis::keep_answer(directory.value(), analysis::kKeptDiagnosis, json + "\n");
}

// What did not answer is not known; a verdict without it is no kOk.
int diagnose_live(const DiagnoseArguments& arguments, dumper::Selection selection) {
  if (!selection.has_span()) selection.last_ns = kJudgedPartNs;
  auto judged = judge_live(arguments, selection);
  if (judged.ok() && arguments.escalate_s != 0)
    judged = judge_with_steps(arguments, std::move(selection), arguments.escalate_s,
                              std::move(judged.value()));
  if (!judged.ok()) return bad_input(judged.message());
  const live::Answers& answers = judged.value().live->answers();
  const Judged& found = judged.value().judged;
  const std::string json = diagnosis_json(found, &answers, {});
  keep(arguments, found, json);
  if (arguments.json) {
    print_json(json);
  } else {
    print_for_people(found);
  }
  return with_damage(exit_code(found), unanswered(answers));
}

int check_escalation(const DiagnoseArguments& arguments, const dumper::Selection& selection) {
  if (arguments.escalate_s == 0) return kOk;
  if (!arguments.live) return bad_usage("--escalate asks the running job: it needs --live");
  if (arguments.escalate_s < 1 || arguments.escalate_s > kMostEscalationS)
    return bad_usage("--escalate takes 1 to 600 seconds");
  if (selection.from || selection.to)
    return bad_usage("--escalate judges the end of the run again: --last, not --from or --to");
  if (parse_number<uint32_t>(arguments.target))
    return bad_usage("--escalate asks all ranks that stand there, not one process (-t)");
  return kOk;
}

int run_diagnose(const DiagnoseArguments& arguments) {
  if (!arguments.live && arguments.run.empty()) return bad_usage("DIR is required");
  auto selection = arguments.selection.selection();
  if (!selection.ok()) return bad_usage(selection.message());
  const auto kinds = wanted_kinds(arguments);
  if (!kinds.ok()) return bad_usage(kinds.message());
  if (arguments.live && !arguments.selection.capture.empty())
    return bad_usage("--capture is of what was recorded: without --live");
  const int wrong = check_escalation(arguments, selection.value());
  if (wrong != kOk) return wrong;
  if (arguments.live) return diagnose_live(arguments, std::move(selection.value()));
  const std::vector<std::string> unsaved = recover_dead(arguments.run);
  std::string directory = arguments.run;
  const Status captured = arguments.selection.take_capture(&directory, &selection.value());
  if (!captured.ok()) return bad_input(captured.message());
  const auto judged = judge_directory(directory, selection.value(), unsaved);
  return judged.ok() ? print_recorded(judged.value(), arguments)
                     : nothing_to_diagnose(judged.message(), unsaved);
}

}  // namespace

void add_diagnose(base::Command& lockstep) {
  const auto arguments = std::make_shared<DiagnoseArguments>();
  base::Command command = lockstep.command(
      "diagnose",
      "Find what hangs, who is late and who waits for whom, even while the job runs; exit 1 on a "
      "finding",
      [arguments] { return run_diagnose(*arguments); });
  command.option("DIR", &arguments->run, "The run directory");
  command.flag("--json", &arguments->json, "Print JSON");
  arguments->selection.add_to(&command, "--to");
  add_live_run_options(command, arguments.get());
  command.flag(
      "--escalate", kEscalationS, &arguments->escalate_s,
      "With --live: where a hang cannot be explained without network steps, record them for "
      "so many seconds in the ranks concerned and judge again; default 30");
}

}  // namespace lockstep::cli
