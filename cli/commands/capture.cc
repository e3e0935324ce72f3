// `lockstep capture RUN`: the same moment of a running job, closely, on all of its ranks.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "base/clock_ns.h"
#include "base/number_ranges.h"
#include "base/text.h"
#include "cli/capture/capture_past.h"
#include "cli/capture/capture_session.h"
#include "cli/capture/capture_text.h"
#include "cli/capture/orchestrator.h"
#include "cli/capture/trigger.h"
#include "cli/capture/trigger_watch.h"
#include "cli/live/live_arguments.h"
#include "cli/show/output.h"
#include "cli/show/selection_options.h"
#include "clocksync/rendezvous/host_list.h"

namespace lockstep::cli {
namespace {

struct CaptureArguments : LiveArguments {
  std::string last, name, duration, at, limit = "60s", events = "step", ranks, hosts, when;
  std::string orchestrator;
  uint64_t at_most = 6;
  std::optional<uint64_t> steps, operations;
  uint64_t max_bytes = uint64_t{256} << 20;
  bool dry_run = false, verbose = false;
};

constexpr int64_t kDurationNs = 2'000'000'000;  // of a capture of which nothing is said
constexpr int64_t kHourNs = 3'600'000'000'000;
constexpr int64_t kTriggerPauseNs = 1'000'000'000;
constexpr int64_t kLongestNs = 600'000'000'000;  // that a process stays armed

// A line of progress: where JSON goes to stdout, people read on stderr.
void tell(const CaptureArguments& arguments, const std::string& line) {
  if (arguments.json) {
    complain(line);
  } else {
    print(line + "\n");
    std::fflush(stdout);  // also where it is a pipe
  }
}

// Prints what came of it. 0: all ranks, 1: some, 3: none.
int finish(const CaptureArguments& arguments, const std::string& run,
           const dumper::Capture& capture, const live::Answers& answers) {
  const Status written = dumper::write_capture(run, capture);
  if (!written.ok()) return bad_input(written.message());
  for (const std::string& line : host_lines(capture)) tell(arguments, line);
  for (const std::string& line : missing_ranks(capture)) complain(line);
  for (const live::FailedHost& failed : answers.failed)
    complain("host " + failed.host + ": " + failed.reason);
  if (arguments.json) {
    complain(capture_banner(capture, run));
    print_json(dumper::capture_json(capture));
  } else {
    print(capture_banner(capture, run));
  }
  const CaptureCount count = count_of(capture);
  if (count.whole == 0) return kBadInput;
  return count.whole == count.all && answers.failed.empty() ? kOk : kFinding;
}

int capture_past(const CaptureArguments& arguments, const std::string& run,
                 const live::Targets& targets, dumper::Capture capture) {
  const int64_t last_ns = duration_ns(arguments.last).value_or(0);
  capture.rule = "last:" + std::to_string(last_ns);
  live::Answers answers;
  const Status kept =
      keep_past({run, last_ns, arguments.max_bytes}, targets, arguments, &capture, &answers);
  if (!kept.ok()) {
    for (const live::FailedHost& failed : answers.failed)
      complain("host " + failed.host + ": " + failed.reason);
    return bad_input(kept.message());
  }
  return finish(arguments, run, capture, answers);
}

// A date, or +TIME from now.
std::optional<int64_t> instant_of(const std::string& text) {
  if (!starts_with(text, "+")) return utc_ns(text);
  const auto ahead_ns = duration_ns(text.substr(1));
  return ahead_ns ? std::optional<int64_t>(real_now_ns() + *ahead_ns) : std::nullopt;
}

// The error is wrong usage.
Status read_scope(const CaptureArguments& arguments, CaptureScope* scope) {
  if (!arguments.ranks.empty()) {
    const auto ranks = parse_number_ranges(arguments.ranks);
    if (!ranks) return Status::error("--ranks " + arguments.ranks + ": numbers and ranges: 0-3,8");
    scope->ranks = *ranks;
  }
  if (arguments.hosts.empty()) return Status();
  const auto hosts = clocksync::expand_nodelist(arguments.hosts);
  if (!hosts.ok()) return hosts.status();
  scope->hosts.insert(hosts.value().begin(), hosts.value().end());
  return Status();
}

// A length of time that a process can stay armed.
Result<int64_t> length_of(const char* option, const std::string& text, int64_t otherwise_ns) {
  if (text.empty()) return otherwise_ns;
  const auto length_ns = duration_ns(text);
  if (length_ns && *length_ns > 0 && *length_ns <= kLongestNs) return *length_ns;
  return Status::error(std::string(option) + " " + text +
                       ": a length of time up to ten minutes, such as 2s");
}

Status read_beginning(const CaptureArguments& arguments, CaptureTerms* terms) {
  if (arguments.at.empty()) return Status();
  terms->at_unix_ns = instant_of(arguments.at);
  if (!terms->at_unix_ns)
    return Status::error("--at " + arguments.at +
                         ": a date in UTC, such as 2026-11-22T13:05:00Z, or +5s from now");
  const int64_t ahead_ns = *terms->at_unix_ns - real_now_ns();
  if (ahead_ns <= 0) return Status::error("--at " + arguments.at + ": that is over");
  if (ahead_ns + terms->duration_ns > kLongestNs - kDurationNs)
    return Status::error("--at " + arguments.at + ": that ends more than ten minutes from now");
  return Status();
}

Status read_terms(const CaptureArguments& arguments, CaptureTerms* terms) {
  terms->events = arguments.events;
  if (terms->events.empty() || terms->events.find_first_of(" \n%") != std::string::npos)
    return Status::error("--events " + arguments.events +
                         ": a preset or kinds, such as step or coll,ProxyOp");
  const int lengths = int{arguments.steps.has_value()} + int{arguments.operations.has_value()} +
                      int{!arguments.duration.empty() || !arguments.at.empty()} +
                      int{!arguments.last.empty()};
  if (!arguments.when.empty()) {
    const auto trigger = parse_trigger(arguments.when);
    if (!trigger.ok()) return trigger.status();
  }
  if (!orchestrator_of(arguments.orchestrator, arguments.job))
    return Status::error("--orchestrator " + arguments.orchestrator + ": slurm, ssh or kubectl");
  if (lengths > 1)
    return Status::error(
        "one of --last, --steps, --operations and --duration: each says how long it is");
  if (!arguments.last.empty() && duration_ns(arguments.last).value_or(0) <= 0)
    return Status::error("--last " + arguments.last +
                         ": a length of time, such as 30s, 5m or 1.5h");
  terms->steps = arguments.steps;
  terms->operations = arguments.operations;
  const auto duration = length_of("--duration", arguments.duration, kDurationNs);
  if (!duration.ok()) return duration.status();
  terms->duration_ns = duration.value();
  const auto limit = length_of("--limit", arguments.limit, 0);
  if (!limit.ok()) return limit.status();
  terms->limit_ns = limit.value();
  const Status beginning = read_beginning(arguments, terms);
  return beginning.ok() ? read_scope(arguments, &terms->scope) : beginning;
}

int capture_next(const CaptureArguments& arguments, const std::string& run,
                 const live::Targets& targets, CaptureTerms terms, dumper::Capture capture) {
  terms.run = run;
  terms.dry = arguments.dry_run;
  terms.verbose = arguments.verbose;
  live::Answers answers;
  const Status taken = take_capture(
      terms, targets, arguments, [&](const std::string& line) { tell(arguments, line); }, &capture,
      &answers);
  if (!taken.ok()) {
    for (const live::FailedHost& failed : answers.failed)
      complain("host " + failed.host + ": " + failed.reason);
    return bad_input(taken.message());
  }
  return terms.dry ? int{kOk} : finish(arguments, run, capture, answers);
}

int capture_once(const CaptureArguments& arguments, const std::string& run,
                 const live::Targets& targets, const CaptureTerms& terms) {
  dumper::Capture capture;
  capture.id = dumper::new_capture_id();
  capture.name = arguments.name;
  capture.by = live::this_asker();
  return arguments.last.empty() ? capture_next(arguments, run, targets, terms, std::move(capture))
                                : capture_past(arguments, run, targets, std::move(capture));
}

// Hosts without an agent get one as long as `agents` is there, or are told in --dry-run how they would.
Result<live::Targets> reach_all(const CaptureArguments& arguments, const std::string& run,
                                std::unique_ptr<StartedAgents>* agents) {
  auto targets = find_live_targets(arguments);
  if (!targets.ok()) return targets;
  std::vector<std::string> hosts;
  for (const live::Target& host : targets.value().hosts) {
    if (host.way == live::Target::Way::Unreachable) hosts.push_back(host.host);
  }
  if (hosts.empty()) return targets;
  const auto orchestrator = orchestrator_of(arguments.orchestrator, arguments.job);
  const auto commands = commands_for_agents(*orchestrator, arguments.job, run, hosts);
  for (const CommandLine& command : commands) {
    if (arguments.dry_run || arguments.verbose) tell(arguments, shown(command));
  }
  if (arguments.dry_run) return targets;
  *agents = std::make_unique<StartedAgents>(commands, run, hosts, arguments.timeout_s);
  return find_live_targets(arguments);
}

// Until the job ends; each at most so often. The exit code is the worst of them.
int capture_whenever(const CaptureArguments& arguments, const std::string& run,
                     const CaptureTerms& terms) {
  const Trigger trigger = parse_trigger(arguments.when).value();
  TriggerWatch watch(run, trigger);
  std::deque<int64_t> taken_ns;
  int worst = kOk;
  bool said = false;               // that no more are made for now
  std::set<std::string> not_seen;  // said already
  while (true) {
    const auto targets = find_live_targets(arguments);
    if (!targets.ok()) break;
    const auto reason = watch.look(targets.value(), live_terms(arguments));
    for (const live::FailedHost& failed : watch.not_seen()) {
      if (not_seen.insert(failed.host + failed.reason).second)
        complain("host " + failed.host + ": " + failed.reason);
    }
    const int64_t now_ns = mono_now_ns();
    while (!taken_ns.empty() && now_ns - taken_ns.front() > kHourNs) taken_ns.pop_front();
    const bool may = taken_ns.size() < arguments.at_most;
    if (reason && !may && !said) {
      said = true;
      tell(arguments, *reason + "; no capture: --at-most " + std::to_string(arguments.at_most) +
                          " an hour are made");
    } else if (reason && may) {
      tell(arguments, *reason);
      taken_ns.push_back(now_ns);
      said = false;
      worst = std::max(worst, capture_once(arguments, run, targets.value(), terms));
    }
    pause_ns(kTriggerPauseNs);
  }
  tell(arguments, run + ": no process records there any more");
  return worst;
}

int run_capture(const CaptureArguments& arguments) {
  CaptureTerms terms;
  const Status read = read_terms(arguments, &terms);
  if (!read.ok()) return bad_usage(read.message());
  const auto run = live_run(arguments);
  if (!run.ok()) return bad_input(run.message());
  std::error_code ignored;
  if (!std::filesystem::is_directory(run.value(), ignored))
    return bad_input(run.value() + ": there is no such run directory");
  std::unique_ptr<StartedAgents> agents;
  const auto targets = reach_all(arguments, run.value(), &agents);
  if (!targets.ok()) return bad_input(targets.message());
  if (arguments.when.empty() || arguments.dry_run)
    return capture_once(arguments, run.value(), targets.value(), terms);
  return capture_whenever(arguments, run.value(), terms);
}

int run(const CaptureArguments& arguments) {
  if (!arguments.agents.empty())
    return bad_usage("a capture is kept in the run's folder: give RUN or --job, not --agents");
  const int wrong = check_live_arguments(arguments);
  return wrong != kOk ? wrong : run_capture(arguments);
}

void add_rule_options(base::Command& command, CaptureArguments* arguments) {
  command
      .option("--operations", &arguments->operations,
              "So many collectives of the largest communicator, from the same one on all ranks")
      .positive()
      .shown_as("N");
  command
      .option("--steps", &arguments->steps,
              "So many steps as the program marks them, from the same one on all ranks")
      .positive()
      .shown_as("N");
  command
      .option("--duration", &arguments->duration,
              "As many collectives as are called in this time, from the same one on all ranks; "
              "default 2s")
      .shown_as("TIME");
  command
      .option("--at", &arguments->at,
              "Begin by the hosts' common clock instead, at a date in UTC or in +TIME")
      .shown_as("TIME");
  command
      .option("--limit", &arguments->limit,
              "Every process ends it so long after it was armed, come what may; default 60s")
      .shown_as("TIME");
  command
      .option("--events", &arguments->events,
              "What to record: a preset or kinds, as in LOCKSTEP_EVENTS; default step")
      .shown_as("KINDS");
  command.option("--ranks", &arguments->ranks, "Only processes with one of these ranks: 0-7,64")
      .shown_as("LIST");
  command.option("--hosts", &arguments->hosts, "Only these hosts: n[01-16],login1")
      .shown_as("LIST");
}

}  // namespace

void add_capture(base::Command& lockstep) {
  const auto arguments = std::make_shared<CaptureArguments>();
  base::Command command =
      lockstep.command("capture", "Look closely at the same moment of a running job on all ranks",
                       [arguments] { return run(*arguments); });
  add_live_arguments(command, arguments.get(), true);
  command
      .option("--last", &arguments->last,
              "Keep what has been recorded in this time already: 30s, 5m; nothing is switched")
      .shown_as("TIME");
  add_rule_options(command, arguments.get());
  command
      .option("--when", &arguments->when,
              "Wait until this happens, and again: 'operation AllReduce > 50 ms', 'operation any > "
              "2s'; until the job ends")
      .shown_as("CONDITION");
  command.option("--at-most", &arguments->at_most, "With --when: captures in an hour; default 6")
      .positive()
      .shown_as("N");
  command
      .option(
          "--orchestrator", &arguments->orchestrator,
          "Start agents on hosts that have none by slurm, ssh or kubectl; default: what the job "
          "runs under")
      .shown_as("NAME");
  command.flag("--dry-run", &arguments->dry_run,
               "Look at the job and print what would be run and sent; change nothing");
  command.flag("--verbose", &arguments->verbose, "Print what is run and sent as well");
  command.option("--name", &arguments->name, "What you call it").shown_as("TEXT");
  command
      .option("--max-bytes", &arguments->max_bytes,
              "With --last: refuse a host's part that is larger; default 256M")
      .bytes();
}

}  // namespace lockstep::cli
