#include "cli/live/live_arguments.h"

#include "base/clock_ns.h"
#include "base/json.h"
#include "cli/live/job_run.h"
#include "cli/show/output.h"

namespace lockstep::cli {

void add_live_arguments(base::Command& command, LiveArguments* arguments, bool needs_run) {
  command.option(
      "RUN", &arguments->run,
      needs_run ? "The run directory" : "The run directory; without it all of your processes here");
  add_live_options(command, arguments);
  arguments->needs_run = needs_run;
}

void add_live_options(base::Command& command, LiveArguments* arguments) {
  command
      .option("--agents", &arguments->agents,
              "In place of RUN: where its agents listen, as in n[01-16]:4711,10.0.0.9:4711")
      .shown_as("HOST:PORT,...");
  command
      .option("--job", &arguments->job,
              "In place of RUN: the newest run of this SLURM job, here or where it was submitted")
      .shown_as("ID");
  command
      .option("--key", &arguments->key_file,
              "The run's key, 32 bytes with mode 0600; with RUN its own, agents/key")
      .shown_as("FILE");
  command.flag("--json", &arguments->json, "Print JSON");
  command
      .option("--timeout", &arguments->timeout_s, "Wait no longer than this for the slowest host")
      .between(0.1, 3600.0)
      .shown_as("SECONDS");
}

int check_live_arguments(const LiveArguments& arguments) {
  const int named =
      int{!arguments.run.empty()} + int{!arguments.agents.empty()} + int{!arguments.job.empty()};
  if (named > 1)
    return bad_usage("one of a run directory, --job and --agents: each says whom to ask");
  if (named == 0 && arguments.needs_run)
    return bad_usage("whom to ask: give a run directory, --job, or --agents with --key");
  return kOk;
}

Result<std::string> live_run(const LiveArguments& arguments) {
  return arguments.job.empty() ? Result<std::string>(arguments.run) : run_of_job(arguments.job);
}

Result<live::Targets> find_live_targets(const LiveArguments& arguments) {
  const Result<std::string> run = live_run(arguments);
  if (!run.ok()) return run.status();
  return live::find_targets({run.value(), arguments.agents, arguments.key_file});
}

live::AskTerms live_terms(const LiveArguments& arguments) {
  live::AskTerms terms;
  terms.deadline_ns = mono_now_ns() + static_cast<int64_t>(arguments.timeout_s * 1e9);
  return terms;
}

Result<live::Answers> ask_live(const LiveArguments& arguments, const std::string& word,
                               const std::string& question_arguments) {
  const live::AskTerms terms = live_terms(arguments);
  const Result<live::Targets> targets = find_live_targets(arguments);
  if (!targets.ok()) return targets.status();
  return live::ask_all(targets.value(), {word, question_arguments, live::this_asker()}, terms,
                       nullptr);
}

std::string live_json(const live::Answers& answers, const std::string& name,
                      const std::string& rows) {
  JsonFields out;
  out.object([&] {
    put_answers(answers, &out);
    out.raw(name, rows);
  });
  return std::string(out.text());
}

int print_live(const LiveArguments& arguments, const live::Answers& answers,
               const std::string& name, const std::string& rows, const std::string& text) {
  if (arguments.json) {
    print_json(live_json(answers, name, rows));
  } else {
    print(text);
    for (const live::FailedHost& failed : answers.failed)
      complain("host " + failed.host + ": " + failed.reason);
    if (answers.hosts_answered != answers.hosts_asked)
      complain(std::to_string(answers.hosts_answered) + " of " +
               std::to_string(answers.hosts_asked) + " hosts answered");
  }
  if (answers.hosts_answered == 0) return kBadInput;
  return answers.failed.empty() ? kOk : kFinding;
}

}  // namespace lockstep::cli
