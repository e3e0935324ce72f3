// `lockstep diagnose DIR`: what hangs, and who slows the job down. Works while the job runs.
#include "analysis/judge/diagnose.h"

#include <cstdio>

#include "analysis/report/gpu_times_text.h"
#include "analysis/tables/labels.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/show/output.h"
#include "dumper/recovery/recover.h"

namespace lockstep::cli {
namespace {

using analysis::Diagnosis;
using analysis::Finding;
using analysis::RunTables;

void put_finding(JsonFields& out, const RunTables& run, const Finding& finding) {
  analysis::CommunicatorRow comm;
  if (finding.communicator != analysis::kNoRow) comm = run.communicators[finding.communicator];
  const auto rank = [&](int32_t number) { out.writer().Int(number); };
  out.object([&] {
    out.string("kind", finding.kind);
    out.string("comm", analysis::hex_text(comm.comm_id));
    out.string("comm_name", run.text(comm.name));
    out.string("op", run.text(finding.func));
    out.number("ordinal", finding.ordinal);
    out.list("ranks", finding.ranks, rank);
    out.list("culprits", finding.culprits, rank);
    out.number("since_s", finding.since_s);
    out.number("confidence", finding.confidence);
    out.strings("evidence", finding.evidence);
    out.string("text", finding.text);
  });
}

void print_as_json(const RunTables& run, const Diagnosis& diagnosis) {
  JsonFields out;
  out.writer().SetMaxDecimalPlaces(6);
  out.object([&] {
    out.list("findings", diagnosis.findings,
             [&](const Finding& finding) { put_finding(out, run, finding); });
    out.strings("not_known", diagnosis.not_known);
    out.string("gpu_times", analysis::gpu_times_sentence(run));
  });
  print_json(out.text());
}

void print_for_people(const RunTables& run, const Diagnosis& diagnosis) {
  std::string text;
  if (diagnosis.findings.empty()) text += "Nothing wrong found.\n";
  for (const Finding& finding : diagnosis.findings) {
    char sure[32];
    snprintf(sure, sizeof sure, "%.0f %%", finding.confidence * 100);
    text += finding.kind + " (" + sure + " sure): " + finding.text + "\n";
    constexpr size_t kShown = 12;
    for (size_t i = 0; i < finding.evidence.size() && i < kShown; ++i) {
      text += "    " + finding.evidence[i] + "\n";
    }
    if (finding.evidence.size() > kShown) {
      text += "    and " + std::to_string(finding.evidence.size() - kShown) + " more (--json)\n";
    }
  }
  if (!diagnosis.not_known.empty()) text += "Not known:\n";
  for (const std::string& line : diagnosis.not_known) text += "    " + line + "\n";
  const std::string gpu_times = analysis::gpu_times_sentence(run);
  if (!gpu_times.empty()) text += gpu_times + "\n";
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

int run_diagnose(const RunArguments& arguments) {
  const std::vector<std::string> unsaved = recover_dead(arguments.directory);
  const auto run = analysis::load_run(arguments.directory, {});
  if (!run.ok()) return bad_input(run.message());
  if (run.value()->operations.empty() && run.value()->members.empty()) {
    return bad_input(
        arguments.directory + ": no communicator in it, so there is nothing to diagnose" +
        (run.value()->notes.empty() ? std::string() : "; " + run.value()->notes.front()));
  }
  Diagnosis diagnosis = analysis::diagnose(*run.value());
  diagnosis.not_known.insert(diagnosis.not_known.end(), unsaved.begin(), unsaved.end());
  if (arguments.json) {
    print_as_json(*run.value(), diagnosis);
  } else {
    print_for_people(*run.value(), diagnosis);
  }
  return diagnosis.findings.empty() ? kOk : kFinding;
}

}  // namespace

void add_diagnose(base::Command& lockstep) {
  add_run_command(
      lockstep, "diagnose",
      "What hangs, who is late, who waits for whom, also while the job runs; exit 1 when "
      "something is wrong",
      std::make_shared<RunArguments>(), run_diagnose);
}

}  // namespace lockstep::cli
