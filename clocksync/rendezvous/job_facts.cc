#include "clocksync/rendezvous/job_facts.h"

#include <sys/utsname.h>

#include "base/launcher.h"
#include "base/system.h"
#include "clocksync/rendezvous/host_list.h"

namespace lockstep::clocksync {
namespace {

std::string first_line(const char* path) {
  const Result<std::string> file = read_small_file(path, 4096);
  std::string text = file.ok() ? file.value().substr(0, file.value().find('\n')) : "";
  while (!text.empty() && (text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

std::string job_name(const Environment& environment) {
  const LaunchValue job = launch_value(LaunchFact::Job, environment);
  if (job.variable != nullptr) {
    // A job of SLURM runs several programs, one a step.
    const std::string step = job.variable->launcher == Launcher::Slurm
                                 ? launch_fact(LaunchFact::Step, environment, Launcher::Slurm)
                                 : "";
    const std::string launcher = job.variable->launcher == Launcher::Slurm      ? "slurm"
                                 : job.variable->launcher == Launcher::Torchrun ? "torch"
                                                                                : job.variable->name;
    return launcher + ":" + job.text + (step.empty() ? "" : "." + step);
  }
  const std::string master = launch_fact(LaunchFact::Master, environment);
  if (master.empty()) return "";
  return "master:" + master + ":" + launch_fact(LaunchFact::MasterPort, environment);
}

std::string master_host(const Environment& environment) {
  std::string master = launch_fact(LaunchFact::Master, environment);
  if (!master.empty()) return master;
  const std::string comm_id = environment("NCCL_COMM_ID");
  if (comm_id.empty()) return "";
  const Result<HostPort> parsed = parse_host_port(comm_id);
  return parsed.ok() ? parsed.value().host : "";
}

std::string pod_from_environment(const Environment& environment) {
  // "spine.leaf7.node12" of pattern "switch.switch.node": the pod is everything but the node.
  const std::string address = environment("SLURM_TOPOLOGY_ADDR");
  const size_t last_dot = address.rfind('.');
  return last_dot == std::string::npos ? "" : address.substr(0, last_dot);
}

HostFacts host_facts() {
  HostFacts facts;
  facts.name = this_host();
  facts.boot_id = first_line("/proc/sys/kernel/random/boot_id");
  facts.clock_namespace = link_target("/proc/self/ns/time");
  facts.net_namespace = link_target("/proc/self/ns/net");
  facts.clocksource =
      first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  utsname system{};
  if (uname(&system) == 0) facts.kernel = system.release;
  return facts;
}

}  // namespace lockstep::clocksync
