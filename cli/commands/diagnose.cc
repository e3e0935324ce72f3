// `lockstep diagnose DIR`: what hangs, and who slows the job down. Works while the job runs.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/judge.h"
#include "analysis/judge/places.h"
#include "analysis/say/evidence.h"
#include "analysis/say/findings.h"
#include "analysis/say/times.h"
#include "analysis/say/words.h"
#include "analysis/tables/labels.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/live/judge_job.h"
#include "cli/show/output.h"
#include "cli/show/selection_options.h"
#include "dumper/recovery/recover.h"

namespace lockstep::cli {
namespace {

using analysis::Finding;
using analysis::Judgement;
using analysis::RunTables;

// Unknown numbers are null.
void put_number(JsonFields& out, const char* key, int64_t number, bool known) {
  if (known) {
    out.number(key, number);
  } else {
    out.raw(key, "null");
  }
}

void put_place(JsonFields& out, const RunTables& run, const analysis::Place& place) {
  const analysis::ProcessRow& process = run.processes[place.process];
  out.object([&] {
    put_number(out, "rank", place.rank, place.rank >= 0);
    put_number(out, "world_rank", place.world_rank, place.world_rank >= 0);
    out.string("host", run.text(process.host));
    out.number("pid", process.pid);
    if (place.gpu != 0)
      out.string("gpu", run.text(place.gpu));
    else
      out.raw("gpu", "null");
  });
}

void put_consequence(JsonFields& out, const RunTables& run,
                     const analysis::Consequence& consequence) {
  const analysis::OperationRow& row = run.operations[consequence.operation];
  const analysis::CommunicatorRow& comm = run.communicators[row.communicator];
  out.object([&] {
    out.string("comm", analysis::hex_text(comm.comm_id));
    out.string("comm_name", run.text(comm.name));
    out.string("op", run.text(row.func));
    out.number("ordinal", row.ordinal);
    const auto rank = [&](int32_t number) { out.writer().Int(number); };
    out.list("ranks", consequence.waiting, rank);
    out.list("held_up", consequence.held, rank);
    out.string("text", clause(run, consequence));
  });
}

// The hosts of the culprits; of a machine that is overloaded, itself.
std::vector<std::string> hosts_of(const RunTables& run, const Finding& finding,
                                  const std::vector<analysis::Place>& places) {
  const auto* machine = std::get_if<analysis::MachineFacts>(&finding.facts);
  if (machine != nullptr) return {run.text(machine->host)};
  std::vector<std::string> hosts;
  for (const analysis::Place& place : places)
    hosts.push_back(run.text(run.processes[place.process].host));
  return hosts;
}

// The culprits once more, by what people look for: one entry of each list for each of them.
void put_culprits(JsonFields& out, const RunTables& run, const Finding& finding) {
  const std::vector<analysis::Place> places = culprits_of(run, finding);
  const auto number_or_null = [&](int64_t number, bool known) {
    if (known)
      out.writer().Int64(number);
    else
      out.writer().Null();
  };
  out.list("culprits_at", places,
           [&](const analysis::Place& place) { put_place(out, run, place); });
  out.list("culprits_world", places, [&](const analysis::Place& place) {
    number_or_null(place.world_rank, place.world_rank >= 0);
  });
  out.strings("hosts", hosts_of(run, finding, places));
  out.list("pids", places, [&](const analysis::Place& place) {
    out.writer().Uint(run.processes[place.process].pid);
  });
  out.list("gpus", places, [&](const analysis::Place& place) {
    if (place.gpu != 0)
      out.writer().String(run.text(place.gpu).c_str());
    else
      out.writer().Null();
  });
}

void put_lateness(JsonFields& out, const analysis::LateFacts& late) {
  out.number("gain_ns", late.gain_ns);
  out.number("gain_share", late.gain_share);
  out.string("when", analysis::kWhenLateNames[static_cast<unsigned>(late.pattern.when)]);
}

// Numbers that are not known are left out, and names that do not apply.
void put_why(JsonFields& out, const analysis::WhyFacts& facts) {
  out.string("why", name_of(facts.why));
  out.list("why_evidence", facts.seen, [&](const analysis::WhySeen& seen) {
    out.object([&] {
      const auto what = static_cast<unsigned>(seen.what);
      out.string("what", analysis::kWhatNames[what]);
      out.number("amount", seen.amount);
      if (seen.of != 0) out.number("of", seen.of);
      out.string("unit", analysis::kWhatUnits[what]);
      out.number("others", seen.others);
      if (!seen.where.empty()) out.string("where", seen.where);
      if (seen.port != 0) out.number("port", seen.port);
    });
  });
}

void put_machine(JsonFields& out, const analysis::MachineFacts& machine) {
  out.number("gain_ns", machine.gain_ns);
  out.number("gain_share", machine.gain_share);
  out.number("processors", machine.processors);
  out.number("runnable", machine.runnable);
  out.number("wait_ns", machine.wait_ns);
  out.number("late_ns", machine.late_ns);
}

void put_slower(JsonFields& out, const RunTables& run, const analysis::SlowerFacts& facts) {
  const analysis::ExpectedTimeRow& worst = facts.slower.worst;
  out.number("gain_ns", facts.slower.gain_ns);
  out.number("gain_share", facts.gain_share);
  out.number("factor", facts.factor);
  out.number("took_ns", facts.slower.took_ns);
  out.number("expected_ns", worst.expected_ns);
  out.string("expected_by", analysis::kExpectedByNames[static_cast<unsigned>(worst.by)]);
  out.number("size_bytes", worst.size_bytes);
  out.string("algo", run.text(worst.algo));
  out.string("proto", run.text(worst.proto));
  out.number("slow", worst.slow);
  out.number("operations", worst.operations);
  out.number("kinds", facts.slower.kinds);
}

void put_finding(JsonFields& out, const RunTables& run, const Finding& finding) {
  analysis::CommunicatorRow comm;
  if (finding.communicator != analysis::kNoRow) comm = run.communicators[finding.communicator];
  const auto rank = [&](int32_t number) { out.writer().Int(number); };
  out.object([&] {
    out.string("kind", name_of(finding.kind));
    out.string("comm", analysis::hex_text(comm.comm_id));
    out.string("comm_name", run.text(comm.name));
    out.string("op", run.text(finding.func));
    out.number("ordinal", finding.ordinal);
    out.list("ranks", finding.ranks, rank);
    out.list("culprits", finding.culprits, rank);
    if (const auto* stall = std::get_if<analysis::StallFacts>(&finding.facts))
      out.boolean("one_of", stall->one_of);
    put_culprits(out, run, finding);
    out.number("since_s", finding.since_s);
    out.number("confidence", finding.confidence);
    out.list("consequences", finding.consequences, [&](const analysis::Consequence& consequence) {
      put_consequence(out, run, consequence);
    });
    if (const auto* path = std::get_if<analysis::PathFacts>(&finding.facts)) {
      if (path->replayed) {
        out.number("gain_ns", path->gain_ns);
        out.number("gain_share", path->gain_share);
      }
    }
    if (const auto* late = std::get_if<analysis::LateFacts>(&finding.facts))
      put_lateness(out, *late);
    if (const auto* machine = std::get_if<analysis::MachineFacts>(&finding.facts))
      put_machine(out, *machine);
    if (const auto* slower = std::get_if<analysis::SlowerFacts>(&finding.facts))
      put_slower(out, run, *slower);
    if (finding.why) put_why(out, *finding.why);
    out.strings("evidence", evidence_lines(run, finding));
    out.string("text", sentence(run, finding));
  });
}

// `answers`: of a job that was asked while it runs, else null.
void print_as_json(const Judged& judged, const live::Answers* answers) {
  const RunTables& run = *judged.run;
  const std::vector<Finding>& findings = judged.judgement.findings;
  const std::vector<std::string>& not_known = judged.not_known;
  JsonFields out;
  out.writer().SetMaxDecimalPlaces(6);
  out.object([&] {
    if (answers != nullptr) put_answers(*answers, &out);
    if (judged.escalation) {
      out.object("escalation", [&] {
        out.number("seconds", judged.escalation->seconds);
        out.number("processes", judged.escalation->processes);
      });
    }
    out.list("findings", findings, [&](const Finding& finding) { put_finding(out, run, finding); });
    out.strings("not_known", not_known);
    out.string("gpu_times", gpu_times_sentence(run));
  });
  print_json(out.text());
}

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

int print_judged(const Judged& judged, bool json, const live::Answers* answers) {
  if (json) {
    print_as_json(judged, answers);
  } else {
    print_for_people(judged);
  }
  return with_damage(judged.judgement.findings.empty() ? kOk : kFinding, judged.run->damage);
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
  const int code = print_judged(judged.value().judged, arguments.json, &answers);
  return with_damage(code, unanswered(answers));
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
  return judged.ok() ? print_judged(judged.value(), arguments.json, nullptr)
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
