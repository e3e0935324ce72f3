// lockstep-replay: plays recorded call logs into a profiler plugin, one process per log.
// docs/drivers.md explains it.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/command_line.h"
#include "test/drivers/common/shared_memory.h"
#include "test/drivers/replay/player.h"
#include "test/drivers/replay/virtual_clock.h"

namespace lockstep::driver {
namespace {

struct ReplayOptions {
  PluginOptions plugin;
  PlayOptions play;
  std::vector<std::string> logs;
  double until_us = -1;
  double kill_after_us = -1;
  int repeat = 1;
  std::string end = "log";
  bool fast = false;
  bool at_log_times = false;
  bool expect = false;
};

std::string print_counts(const CountSum& sum, size_t processes) {
  return "{\"processes\":" + std::to_string(processes) + "," + sum.json_members() + "}";
}

int table_for(const ReplayOptions& options, const CallLog& log) {
  return options.plugin.table != 0 ? options.plugin.table : log.table;
}

// The counts a perfect plugin has: the log's calls, less what the table in use does not deliver.
CountSum expected_counts(const ReplayOptions& options, const std::vector<CallLog>& logs,
                         const PlayOptions& play) {
  CountSum sum;
  const auto times = static_cast<uint64_t>(options.repeat);
  for (const CallLog& log : logs) {
    const int table = table_for(options, log);
    const int version = table == 0 ? 7 : table;
    uint64_t finalizes = 0;
    uint64_t inits = 0;
    for (const uint32_t i : lines_until(log, play)) {
      const LogLine& line = log.lines[i];
      if (line.call == LoggedCall::Init) ++inits;
      if (line.call == LoggedCall::Finalize) ++finalizes;
      if (line.call <= LoggedCall::Finalize || !table_delivers(version, line.kind)) continue;
      if (line.call == LoggedCall::Record && !table_delivers(version, line.state)) continue;
      const Call call = line.call == LoggedCall::Start  ? Call::Start
                        : line.call == LoggedCall::Stop ? Call::Stop
                                                        : Call::State;
      sum.calls[static_cast<unsigned>(call)][static_cast<unsigned>(line.kind)] += times;
    }
    sum.inits += inits * times;
    sum.finalizes += (options.end == "finalize" ? inits : finalizes) * times;
  }
  return sum;
}

[[noreturn]] void end_process(const ReplayOptions& options) {
  if (options.end == "kill") raise(SIGKILL);
  exit(0);
}

// Where virtual time begins: one hour after a boot on 2026-01-01, the same for every replay.
constexpr int64_t kVirtualStartNs = 3'600'000'000'000;
constexpr int64_t kVirtualRealtimeNs = 1'767'225'600'000'000'000;

[[noreturn]] void run_child(const ReplayOptions& options, const CallLog& log, PlayOptions play,
                            int64_t span_ns, CallCounts* counts) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_TIMERSLACK, 1);
  PluginOptions plugin_options = options.plugin;
  plugin_options.table = table_for(options, log);
  if (play.pace == Pace::Virtual) {
    virtual_clock::switch_on(kVirtualRealtimeNs);
    virtual_clock::set_raw_ns(play.start_mono_ns);
  }
  auto loaded = Plugin::load(plugin_options, counts);
  if (!loaded.ok()) {
    fprintf(stderr, "lockstep-replay: %s\n", loaded.message().c_str());
    _exit(3);
  }
  // NCCL never unloads a plugin whose communicators live at exit.
  Plugin* plugin = loaded.value().release();
  for (int round = 0; round < options.repeat; ++round) {
    Player player(log, plugin, play);
    player.play();
    if (play.pace == Pace::Virtual && play.until_ns >= 0)
      virtual_clock::go_on_to(play.start_mono_ns + play.until_ns);
    if (options.end == "finalize") player.finalize_open_contexts();
    play.start_mono_ns += span_ns;
  }
  end_process(options);
}

int wait_for_children(size_t children, bool killed_is_fine) {
  int worst = 0;
  for (size_t i = 0; i < children; ++i) {
    int status = 0;
    const pid_t pid = wait(&status);
    if (WIFEXITED(status)) worst = std::max(worst, WEXITSTATUS(status));
    if (!WIFSIGNALED(status) || (killed_is_fine && WTERMSIG(status) == SIGKILL)) continue;
    fprintf(stderr, "lockstep-replay: process %d was ended by signal %d\n", pid, WTERMSIG(status));
    worst = 1;
  }
  return worst;
}

void kill_at(int64_t mono_ns, const std::vector<pid_t>& children) {
  const timespec due{mono_ns / 1'000'000'000, mono_ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr) != 0) {
  }
  for (const pid_t child : children) kill(child, SIGKILL);
}

int replay(const ReplayOptions& options, const std::vector<CallLog>& logs) {
  PlayOptions play = options.play;
  play.pace = options.at_log_times ? Pace::Virtual : options.fast ? Pace::Fast : Pace::Recorded;
  play.until_ns = options.until_us < 0 ? -1 : static_cast<int64_t>(options.until_us * 1000);
  play.schedule_zero_ns = logs[0].zero_mono_ns;
  int64_t end_ns = 0;
  for (const CallLog& log : logs)
    play.schedule_zero_ns = std::min(play.schedule_zero_ns, log.zero_mono_ns);
  for (const CallLog& log : logs) {
    if (log.lines.empty()) continue;
    end_ns = std::max(end_ns, log.zero_mono_ns - play.schedule_zero_ns + log.lines.back().time_ns);
  }
  if (options.expect) {
    printf("%s\n", print_counts(expected_counts(options, logs, play), logs.size()).c_str());
    return 0;
  }
  CallCounts* counts = map_shared<CallCounts>(logs.size());
  if (counts == nullptr) return 3;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  constexpr int64_t kLeadNs = 200'000'000;  // for the forks and loads, so that nobody starts late
  play.start_mono_ns =
      now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec + (options.fast ? 0 : kLeadNs);
  if (play.pace == Pace::Virtual) play.start_mono_ns = kVirtualStartNs;
  fflush(nullptr);
  std::vector<pid_t> children(logs.size());
  for (size_t i = 0; i < logs.size(); ++i) {
    children[i] = fork();
    if (children[i] == 0) run_child(options, logs[i], play, end_ns + 1'000'000, counts + i);
  }
  if (options.kill_after_us >= 0)
    kill_at(play.start_mono_ns + static_cast<int64_t>(options.kill_after_us * 1000), children);
  const int worst =
      wait_for_children(logs.size(), options.end == "kill" || options.kill_after_us >= 0);
  CountSum sum;
  for (size_t i = 0; i < logs.size(); ++i) sum.add(counts[i]);
  printf("%s\n", print_counts(sum, logs.size()).c_str());
  return worst;
}

int run(int argc, char** argv) {
  ReplayOptions options;
  base::Program program(
      "Plays recorded NCCL profiler call logs into a plugin: one process per log, one thread per "
      "recorded "
      "thread. Prints the calls made, as one JSON line.");
  program.option("plugin", &options.plugin.path, "the plugin's .so").required();
  program.option("logs", &options.logs, "call logs, plain or .zst").required();
  program
      .option("--table", &options.plugin.table,
              "use this table, v1 to v7, instead of the newest exported")
      .one_of_named(table_names());
  program.flag("--fast", &options.fast, "as fast as it goes, instead of at the recorded pace");
  program.flag(
      "--virtual", &options.at_log_times,
      "as fast as it goes, while the plugin's clocks say the recorded times: the recording "
      "is the same on any machine at any load");
  program.option("--until", &options.until_us,
                 "stop after this many microseconds of the common schedule; with --virtual, time "
                 "goes on to there "
                 "however early the last call is");
  program.option("--kill-after", &options.kill_after_us,
                 "SIGKILL all processes this many microseconds after the start, wherever they are");
  program
      .option("--end", &options.end,
              "afterwards: as the log does, finalize what is open, exit without, or SIGKILL")
      .one_of({"log", "finalize", "exit", "kill"});
  program.option("--repeat", &options.repeat, "play everything this many times")
      .between(1, 1'000'000);
  program.flag("--apply-mask", &options.play.apply_mask,
               "leave out what NCCL would not call under the plugin's mask");
  program.flag("--expect", &options.expect, "only print the counts as read from the logs");
  if (const auto status = program.parse(argc, argv)) return *status;
  if (options.at_log_times && (options.fast || options.kill_after_us >= 0)) {
    fprintf(stderr,
            "lockstep-replay: --virtual has no pace of its own: leave out --fast and "
            "--kill-after\n");
    return 2;
  }
  std::vector<CallLog> logs;
  for (const std::string& path : options.logs) {
    Result<CallLog> log = read_call_log(path);
    if (!log.ok()) {
      fprintf(stderr, "lockstep-replay: %s\n", log.message().c_str());
      return 3;
    }
    logs.push_back(std::move(log.value()));
  }
  setenv("NCCL_PROFILER_PLUGIN", options.plugin.path.c_str(), 1);
  setenv("LOCKSTEP_HOST_LOAD", "0", 0);  // a replay says nothing of the machine it runs on
  return replay(options, logs);
}

}  // namespace
}  // namespace lockstep::driver

int main(int argc, char** argv) { return lockstep::driver::run(argc, argv); }
