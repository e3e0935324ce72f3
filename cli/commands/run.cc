// `lockstep run [options] -- srun ... program`: records one start of a program, in a batch script
// or by hand.
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock_ns.h"
#include "base/system.h"
#include "cli/commands.h"
#include "cli/job/job_agents.h"
#include "cli/job/nccl_by_name.h"
#include "cli/job/run_finish.h"
#include "cli/job/run_marker.h"
#include "cli/job/run_note.h"
#include "cli/job/snapshot_clock.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

constexpr const char* kPluginFile = "libnccl-profiler.so";

struct LaunchArguments {
  std::vector<std::string> command;
  std::string parent = ".", events, node_local;
  double interval_s = 0, snapshot_every_s = 0;
  int top = 0;
  bool metrics = false, full = false, dry_run = false, no_agents = false;
};

using Settings = std::vector<std::pair<std::string, std::string>>;

// Beside the command where it was built, ../lib where it was installed.
Result<std::string> find_plugin() {
  const std::filesystem::path folder = std::filesystem::path(this_command()).parent_path();
  std::error_code error;
  for (const auto& place : {folder / kPluginFile, folder.parent_path() / "lib" / kPluginFile}) {
    if (std::filesystem::exists(place, error)) return place.string();
  }
  return Status::error(std::string("there is no ") + kPluginFile + " in " + folder.string() +
                       " nor in ../lib beside it; `make` builds it, `make install` puts it there");
}

// Percent signs are patterns in LOCKSTEP_DIR.
std::string as_pattern(const std::string& directory) {
  std::string pattern;
  for (char c : directory) pattern += c == '%' ? "%%" : std::string(1, c);
  return pattern;
}

// By path, which needs nothing else. Where NCCL takes names only: by name, its folder the last to
// be searched.
Settings plugin_settings(const std::string& plugin, const std::string& nccl_by_name) {
  if (nccl_by_name.empty()) return {{"NCCL_PROFILER_PLUGIN", plugin}};
  const char* before = getenv("LD_LIBRARY_PATH");
  const std::string searched =
      before != nullptr && before[0] != '\0' ? before + std::string(":") : "";
  const std::string folder = std::filesystem::path(plugin).parent_path();
  return {{"NCCL_PROFILER_PLUGIN", "lockstep"}, {"LD_LIBRARY_PATH", searched + folder}};
}

// A directory for each host, so that thousands of processes do not share one; all hosts meet, and
// leave what their clocks said, in the run directory.
Settings settings_of(const LaunchArguments& arguments, Settings settings, const FinishPlan& plan) {
  const std::string& place = plan.local.empty() ? plan.directory : plan.local;
  settings.emplace_back("LOCKSTEP_DIR", as_pattern(place) + "/%h");
  settings.emplace_back("LOCKSTEP_CLOCK_OUT", plan.directory);
  if (!arguments.events.empty()) settings.emplace_back("LOCKSTEP_EVENTS", arguments.events);
  if (arguments.interval_s > 0) {
    const auto us = std::llround(arguments.interval_s * 1e6);
    settings.emplace_back("LOCKSTEP_DUMP_INTERVAL_US", std::to_string(us));
  }
  return settings;
}

// The words after the first `--`, as they are: the parser would take [a,b] for a list.
std::vector<std::string> words_after_mark() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  bool marked = false;
  for (std::string word; std::getline(file, word, '\0');) {
    if (marked) words.push_back(word);
    marked = marked || word == "--";
  }
  return words;
}

// Absolute, and of this run alone: jobs number their runs by the folder they are in, of which there
// may be several.
std::string local_place(const std::string& parent, const std::string& directory) {
  const std::filesystem::path run = std::filesystem::path(directory).filename();
  std::error_code error;
  return (std::filesystem::absolute(parent, error).lexically_normal() / run).string() + "-" +
         std::to_string(getpid());
}

std::string utc_now() { return utc_text("%Y-%m-%dT%H-%M-%SZ", real_now_ns()); }

int show_plan(const LaunchArguments& arguments, const Settings& settings, const FinishPlan& plan) {
  std::string text;
  for (const auto& [name, value] : settings) text += "export " + shown({name + "=" + value}) + "\n";
  if (!arguments.no_agents) {
    for (const CommandLine& agent : agent_commands(plan)) text += shown(agent) + " &\n";
  }
  text += shown(arguments.command) + "\n";
  for (const FinishStep& step : finish_steps(plan))
    text += shown(step.command) + " >" + shown({step.to}) + "\n";
  print(text);
  return kOk;
}

int record(const LaunchArguments& arguments, const Settings& settings, const FinishPlan& plan) {
  const bool first = plan.job.task == "0";
  for (const auto& [name, value] : settings) setenv(name.c_str(), value.c_str(), 1);
  if (first) complain("recording to " + plan.directory);
  RunNote note{plan.directory, plan.job, shown(arguments.command), utc_now(), plan.local};
  if (first) note.write();
  const RunMarker marker(first ? plan.job.job : "", plan.directory);
  ChildProcess process;
  std::optional<JobAgents> agents;
  if (!arguments.no_agents) agents.emplace(process, plan);
  SnapshotClock snapshots(plan.directory, first ? arguments.snapshot_every_s : 0);
  const int code = process.run_program(
      arguments.command, first ? snapshots.look_s() : 0, [&] { return snapshots.due(); },
      [&] { take_snapshot(process, plan); });
  agents.reset();
  if (first) take_snapshot_wish(plan.directory);  // of a process whose teardown came later
  note.exit_code = code;
  note.ended = utc_now();
  if (first) note.write();
  finish_run(process, plan);
  if (first) {
    complain("the program ended with " + std::to_string(code) + "; summaries are in " +
             plan.directory + "/summary");
  }
  return code;
}

int run(LaunchArguments arguments) {
  const std::string first_word = arguments.command.front();
  arguments.command = words_after_mark();
  if (arguments.command.empty() || arguments.command.front() != first_word)
    return bad_usage("the program comes after --, as in `lockstep run -- srun program`");
  if (int(arguments.metrics) + int(arguments.full) + int(!arguments.events.empty()) > 1)
    return bad_usage("-P, -A and --events each say what to record; give one of them");
  if (arguments.metrics) arguments.events = "coll";
  if (arguments.full) arguments.events = "all";
  const Result<std::string> plugin = find_plugin();
  if (!plugin.ok()) return bad_input(plugin.message());
  FinishPlan plan;
  plan.job = job_facts();
  if (!arguments.node_local.empty() && plan.job.inside_step())
    return bad_usage(
        "--node-local collects from all nodes when the program has ended, so `lockstep run` comes "
        "before srun and not after it");
  if (!arguments.node_local.empty() && arguments.snapshot_every_s > 0)
    return bad_usage(
        "--snapshot-every reads the run directory, where nothing is while --node-local records on "
        "the nodes' own disks");
  plan.top = arguments.top;
  const auto directory = new_run_directory(arguments.parent, plan.job,
                                           arguments.dry_run ? NewRun::NameOnly : NewRun::Make);
  if (!directory.ok()) return bad_input(directory.message());
  plan.directory = directory.value();
  if (!arguments.node_local.empty()) plan.local = local_place(arguments.node_local, plan.directory);
  const std::string nccl_by_name = find_nccl_by_name_only();
  if (!nccl_by_name.empty() && plan.job.task == "0")
    complain(nccl_by_name + ": NCCL 2.27.3 loads no plugin by its path, so " + kPluginFile +
             " is found by name, its folder at the end of LD_LIBRARY_PATH");
  const Settings settings =
      settings_of(arguments, plugin_settings(plugin.value(), nccl_by_name), plan);
  return arguments.dry_run ? show_plan(arguments, settings, plan)
                           : record(arguments, settings, plan);
}

}  // namespace

void add_run(base::Command& lockstep) {
  const auto arguments = std::make_shared<LaunchArguments>();
  base::Command command =
      lockstep.command("run", "Record a program: lockstep run [options] -- srun ... program",
                       [arguments] { return run(*arguments); });
  command.option("command", &arguments->command, "The program and its arguments, after --")
      .required()
      .shown_as("PROGRAM...");
  command.option("--dir", &arguments->parent,
                 "Folder visible on all nodes; each run gets a new directory in it");
  command
      .option("--node-local", &arguments->node_local,
              "Record to this folder on each node's own disk and collect at the end")
      .shown_as("DIR");
  command.option("--events", &arguments->events, "What to record (LOCKSTEP_EVENTS)")
      .shown_as("EVENTS");
  command.flag("-P,--metrics", &arguments->metrics,
               "Record operations and their calls alone: --events coll");
  command.flag("-A,--full", &arguments->full, "Record every event of every kind: --events all");
  command
      .option("--interval", &arguments->interval_s,
              "Longest time a record waits before it is written")
      .between(0.001, 3600.0)
      .shown_as("SECONDS");
  command
      .option(
          "-I,--snapshot-every", &arguments->snapshot_every_s,
          "Report on the running program this often, and not only at its teardown, to summary/TIME")
      .between(0.1, 1e6)
      .shown_as("SECONDS");
  command.option("-N,--top", &arguments->top, "Rows in the report's lists")
      .between(1, 1000000)
      .shown_as("N");
  command.flag("--no-agents", &arguments->no_agents,
               "Start no agents: `lockstep ps` and the like reach only the host they run on");
  command.flag("--dry-run", &arguments->dry_run, "Print what would be set and run");
}

}  // namespace lockstep::cli
