// `lockstep agent RUN...`: answers for the recording processes of this host, until the job ends.
#include "live/agent/agent.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/end_signals.h"
#include "cli/commands.h"
#include "cli/job/agent_snapshots.h"
#include "cli/show/output.h"
#include "clocksync/rendezvous/host_list.h"
#include "clocksync/wire/interfaces.h"
#include "clocksync/wire/key_file.h"
#include "dumper/recovery/memory_files.h"
#include "live/local/local_processes.h"

namespace lockstep::cli {
namespace {

struct AgentArguments {
  std::vector<std::string> runs;
  std::vector<std::string> records;
  std::string listen, key_file;
  bool stay = false;
};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The address that NCCL would choose: it is known to reach the other hosts.
std::string chosen_address() {
  const clocksync::InterfaceRules rules = {
      environment("NCCL_SOCKET_IFNAME"),
      clocksync::parse_family(environment("NCCL_SOCKET_FAMILY"))};
  const auto chosen = clocksync::choose_interfaces(clocksync::system_interfaces(), rules);
  return chosen.empty() ? "" : chosen.front().address;
}

Result<std::optional<live::LiveKey>> find_key(const AgentArguments& arguments,
                                              const std::vector<std::string>& runs) {
  if (arguments.key_file.empty() && runs.empty()) return std::optional<live::LiveKey>();
  const auto key = arguments.key_file.empty() ? live::run_key(runs.front())
                                              : clocksync::read_key_file(arguments.key_file);
  if (!key.ok()) return key.status();
  const auto derived = live::derive_live_key(key.value());
  if (!derived) return Status::error("this machine has no random numbers: no agent");
  return derived;
}

Result<live::AgentOptions> options_of(const AgentArguments& arguments) {
  live::AgentOptions options;
  options.host = live::own_host();
  options.stay = arguments.stay;
  for (const std::string& run : arguments.runs) options.runs.push_back(dumper::real_path(run));
  for (const std::string& place : arguments.records)
    options.records.push_back(dumper::real_path(place));
  const auto key = find_key(arguments, options.runs);
  if (!key.ok()) {
    if (!arguments.key_file.empty() || !arguments.listen.empty()) return key.status();
    complain("no TCP, only a Unix socket: " + key.message());
    return options;
  }
  options.key = key.value();
  options.listen_address = chosen_address();
  if (arguments.listen.empty() && options.listen_address.empty()) {
    complain("no TCP, only a Unix socket: no interface fits NCCL_SOCKET_IFNAME");
    options.key.reset();
  }
  if (arguments.listen.empty()) return options;
  if (!options.key)
    return Status::error("--listen needs the run's key: a run directory, or --key FILE");
  const auto where = clocksync::parse_host_port(arguments.listen);
  if (!where.ok()) return where.status();
  options.listen_address = where.value().host;
  options.listen_port = where.value().port;
  return options;
}

int run(const AgentArguments& arguments) {
  const int stop = end_signals_fd();
  Result<live::AgentOptions> options = options_of(arguments);
  if (!options.ok()) return bad_input(options.message());
  AgentSnapshots snapshots(options.value().runs);
  options.value().at_look = [&snapshots] { return snapshots.look(); };
  std::vector<std::string> complaints;
  auto agent = live::Agent::start(options.value(), &complaints);
  for (const std::string& sentence : complaints) complain(sentence);
  if (!agent.ok()) return bad_input(agent.message());
  const live::Registration& registration = agent.value()->registration();
  const bool is_v6 = registration.address.find(':') != std::string::npos;
  print("agent of " + registration.process.host +
        (registration.port == 0
             ? ": on this machine only, no TCP"
             : " listens on " + (is_v6 ? "[" + registration.address + "]" : registration.address) +
                   ":" + std::to_string(registration.port)) +
        "\n");
  std::fflush(stdout);
  agent.value()->serve(stop);
  return kOk;
}

}  // namespace

void add_agent(base::Command& lockstep) {
  const auto arguments = std::make_shared<AgentArguments>();
  base::Command command =
      lockstep.command("agent", "Answer questions about this host's recording processes, for a run",
                       [arguments] { return run(*arguments); });
  command.option("RUN", &arguments->runs, "Run directories whose processes it answers for")
      .required();
  command
      .option("--listen", &arguments->listen,
              "Where to listen on TCP (default: the interface that NCCL would choose, a free port)")
      .shown_as("ADDR:PORT");
  command
      .option("--key", &arguments->key_file,
              "The run's key, 32 bytes with mode 0600 (default: RUN/agents/key, which it makes)")
      .shown_as("FILE");
  command
      .option("--records", &arguments->records,
              "Where the processes of RUN record, if not there: lockstep run --node-local")
      .one_each()
      .shown_as("DIR");
  command.flag("--stay", &arguments->stay, "Go on when no process records any more");
}

}  // namespace lockstep::cli
