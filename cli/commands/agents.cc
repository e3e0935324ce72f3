// `lockstep agents start RUN --hosts LIST`: starts an agent on each of these hosts by ssh.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/system.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/job/child_process.h"
#include "cli/job/run_finish.h"
#include "cli/show/output.h"
#include "clocksync/rendezvous/host_list.h"
#include "dumper/recovery/memory_files.h"

namespace lockstep::cli {
namespace {

constexpr size_t kMostAtOnce = 32;  // logins
constexpr size_t kLargestLog = 65536;

struct AgentsArguments {
  std::string run, hosts, key_file;
  double timeout_s = 20;
};

// For the shell of the other host: the agent outlives the login, which waits for its first line.
std::string remote_script(const AgentsArguments& arguments, const std::string& run) {
  CommandLine agent = {this_command(), "agent", run};
  if (!arguments.key_file.empty())
    agent.insert(agent.end(), {"--key", std::filesystem::absolute(arguments.key_file).string()});
  const std::string folder = shown({run + "/agents"});
  return "umask 077; mkdir -p " + folder + " && log=" + folder +
         "/$(hostname).log && : >\"$log\" && "
         "{ setsid " +
         shown(agent) +
         " >\"$log\" 2>&1 </dev/null & } && agent=$! && "
         "for i in $(seq 100); do if grep -q '^agent of ' \"$log\"; then cat \"$log\"; exit 0; fi; "
         "kill -0 $agent 2>/dev/null || break; sleep 0.1; done; cat \"$log\" >&2; exit 3";
}

CommandLine login(const std::string& host, const std::string& script) {
  // -T: what is printed comes as it is. No password can be asked for here.
  return {"ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "--", host, script};
}

// What the login printed, on one line.
std::string said(const std::string& path) {
  const auto text = read_small_file(path, kLargestLog);
  std::string line = text.ok() ? text.value() : "";
  while (!line.empty() && line.back() == '\n') line.pop_back();
  for (char& c : line) c = c == '\n' ? ';' : c;
  return line.empty() ? "it said nothing" : line;
}

// How many of these could be started.
size_t start_on(const std::vector<std::string>& hosts, const AgentsArguments& arguments,
                const std::string& run, const std::string& scratch) {
  const ChildProcess process;
  std::vector<CommandLine> commands;
  std::vector<std::string> outputs;
  for (const std::string& host : hosts) {
    commands.push_back(login(host, remote_script(arguments, run)));
    outputs.push_back(scratch + "/" + std::to_string(outputs.size()));
  }
  const auto codes = process.run_helpers(commands, outputs, arguments.timeout_s);
  size_t started = 0;
  for (size_t i = 0; i < hosts.size(); ++i) {
    if (codes[i] == 0) {
      ++started;
      print(hosts[i] + ": " + said(outputs[i]) + "\n");
    } else {
      complain("host " + hosts[i] +
               ": no agent: " + (codes[i] < 0 ? "the login took too long" : said(outputs[i])));
    }
  }
  return started;
}

int start(const AgentsArguments& arguments) {
  const auto hosts = clocksync::expand_nodelist(arguments.hosts);
  if (!hosts.ok()) return bad_usage(hosts.message());
  for (const std::string& host : hosts.value()) {
    if (!clocksync::is_host_name(host)) return bad_usage("\"" + host + "\" is no host's name");
  }
  if (hosts.value().empty()) return bad_usage("--hosts names nobody; expected gpu[001-003],login1");
  const std::string run = dumper::real_path(arguments.run);
  struct stat facts {};
  if (stat(run.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode))
    return bad_input(arguments.run + ": there is no such run directory");
  char scratch[] = "/tmp/lockstep-agents.XXXXXX";
  if (mkdtemp(scratch) == nullptr) return bad_input("cannot make a folder in /tmp");
  size_t started = 0;
  for (size_t at = 0; at < hosts.value().size(); at += kMostAtOnce) {
    const size_t end = std::min(at + kMostAtOnce, hosts.value().size());
    started += start_on({hosts.value().begin() + static_cast<ptrdiff_t>(at),
                         hosts.value().begin() + static_cast<ptrdiff_t>(end)},
                        arguments, run, scratch);
  }
  std::error_code ignored;
  std::filesystem::remove_all(scratch, ignored);
  if (started == 0) return kBadInput;
  return started == hosts.value().size() ? kOk : kFinding;
}

}  // namespace

void add_agents(base::Command& lockstep) {
  const auto arguments = std::make_shared<AgentsArguments>();
  base::Command agents = lockstep.group("agents", "Start agents on other hosts");
  base::Command command =
      agents.command("start", "Start an agent of a run on each of these hosts, by ssh",
                     [arguments] { return start(*arguments); });
  command.option("RUN", &arguments->run, "The run directory, which these hosts see as well")
      .required();
  command.option("--hosts", &arguments->hosts, "Where, as in gpu[001-003,7],login1")
      .shown_as("LIST")
      .required();
  command
      .option("--key", &arguments->key_file,
              "The run's key, as these hosts see it (default: the run's own)")
      .shown_as("FILE");
  command.option("--timeout", &arguments->timeout_s, "Wait no longer than this for a login")
      .between(0.1, 3600.0)
      .shown_as("SECONDS");
}

}  // namespace lockstep::cli
