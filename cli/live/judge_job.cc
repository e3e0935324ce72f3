#include "cli/live/judge_job.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "analysis/judge/part_reach.h"
#include "analysis/load/run.h"
#include "analysis/say/not_known.h"
#include "analysis/why/explain.h"
#include "cli/live/ras_witness.h"
#include "cli/show/output.h"
#include "dumper/run/run_directory.h"

namespace lockstep::cli {
namespace {

constexpr int64_t kBeforeNs = 10'000'000'000;  // of what is judged again, before network steps came

// A hang is looked for in so much of a run's end, and then in ever more of it.
constexpr int64_t kFirstPartNs = 300'000'000'000;
constexpr int64_t kLongerEachTime = 8;

Result<Judged> judge_part(const std::string& directory, const dumper::Selection& selection) {
  analysis::LoadOptions load;
  load.selection = selection;
  load.memory = true;
  auto run = analysis::load_run(directory, load);
  if (!run.ok()) return run.status();
  if (run.value()->operations.empty() && run.value()->members.empty()) {
    return Status::error(
        directory + ": no communicator in it, so there is nothing to diagnose" +
        (run.value()->notes.empty() ? std::string() : "; " + run.value()->notes.front()));
  }
  Judged judged;
  judged.run = std::move(run.value());
  judged.judgement = analysis::judge(*judged.run);
  return judged;
}

// Whether a part that begins somewhere in the run leaves anything of it out.
bool leaves_out(const std::string& directory, const dumper::Selection& part) {
  auto run = dumper::RunDirectory::open(directory);
  if (!run.ok()) return false;
  const auto spans = dumper::select(part, &run.value());
  return spans.ok() && std::any_of(spans.value().begin(), spans.value().end(),
                                   [](const dumper::RawSpan& span) { return span.from_ns != 0; });
}

// The end of a run that hangs, as far back as its verdict needs; empty where the whole run is needed, or
// a part was chosen.
std::optional<Result<Judged>> judge_end(const std::string& directory, dumper::Selection selection) {
  if (selection.has_span() || selection.chosen) return std::nullopt;
  for (int64_t part_ns = kFirstPartNs;; part_ns *= kLongerEachTime) {
    selection.last_ns = part_ns;
    if (!leaves_out(directory, selection)) return std::nullopt;
    auto judged = judge_part(directory, selection);
    if (!judged.ok()) return std::nullopt;
    switch (analysis::reach_of(*judged.value().run, judged.value().judgement)) {
      case analysis::PartReach::Explains:
        judged.value().not_known.push_back(
            "What happened more than " + std::to_string(part_ns / 60'000'000'000) +
            " minutes before the end: the hang is explained without it, so it was not read "
            "(--from 0 reads it).");
        return judged;
      case analysis::PartReach::ShowsNone:
        return std::nullopt;
      case analysis::PartReach::IsTooShort:
        break;
    }
  }
}

}  // namespace

Result<Judged> judge_directory(const std::string& directory, const dumper::Selection& selection,
                               const std::vector<std::string>& unsaved) {
  auto part = judge_end(directory, selection);
  auto judged = part ? std::move(*part) : judge_part(directory, selection);
  if (!judged.ok()) return judged;
  const analysis::RunTables& tables = *judged.value().run;
  analysis::Judgement& judgement = judged.value().judgement;
  const std::vector<std::string> unread = analysis::explain(directory, tables, &judgement);
  std::vector<std::string> not_known = analysis::sentences(tables, judgement.not_known);
  const auto add = [&](const std::vector<std::string>& more) {
    not_known.insert(not_known.end(), more.begin(), more.end());
  };
  add(unread);
  add(hear_ras(directory, tables, &judgement));
  add(unsaved);
  add(judged.value().not_known);
  judged.value().not_known = std::move(not_known);
  return judged;
}

Result<LiveJudged> judge_live(const LiveRunArguments& arguments,
                              const dumper::Selection& selection) {
  auto live = LiveRun::gather(arguments, selection, LiveNeeds());
  if (!live.ok()) return live.status();
  const std::vector<std::string> silent = unanswered(live.value()->answers());
  if (live.value()->answers().hosts_answered == 0) {
    for (const std::string& why : silent) complain(why);
    return Status::error("no host answered");
  }
  auto judged = judge_directory(live.value()->directory(), live.value()->selection(), silent);
  if (!judged.ok()) {
    for (const std::string& why : silent) complain(why);
    return judged.status();
  }
  return LiveJudged{std::move(live.value()), std::move(judged.value())};
}

Result<LiveJudged> judge_with_steps(const LiveRunArguments& arguments, dumper::Selection selection,
                                    int64_t seconds, LiveJudged first) {
  const ProcessesOfHosts processes =
      processes_without_steps(*first.judged.run, first.judged.judgement);
  if (processes.empty()) return first;
  auto escalation = add_network_steps(arguments, processes, seconds);
  std::vector<std::string> refused =
      escalation.ok()
          ? escalation.value().refused
          : std::vector{"Network steps could not be recorded: " + escalation.status().message() +
                        "."};
  if (!escalation.ok() || escalation.value().processes == 0) {
    std::vector<std::string>& not_known = first.judged.not_known;
    not_known.insert(not_known.end(), refused.begin(), refused.end());
    return first;
  }
  complain("what they wait for is not known; network steps are recorded for " +
           std::to_string(seconds) + " s, then it is judged again");
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  selection.last_ns = std::max(*selection.last_ns, seconds * 1'000'000'000 + kBeforeNs);
  auto again = judge_live(arguments, selection);
  if (!again.ok()) return again;
  Judged& judged = again.value().judged;
  if (!processes_without_steps(*judged.run, judged.judgement).empty())
    refused.emplace_back(
        "What stands still was called before network steps were recorded, and NCCL records those "
        "of "
        "later calls only.");
  judged.not_known.insert(judged.not_known.end(), refused.begin(), refused.end());
  judged.escalation = std::move(escalation.value());
  return again;
}

}  // namespace lockstep::cli
