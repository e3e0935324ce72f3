#include "clocksync/rendezvous/job_facts.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "clocksync/rendezvous/host_list.h"

namespace lockstep::clocksync {
namespace {

std::string first_line(const char* path) {
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return "";
  char line[256] = "";
  const bool read = std::fgets(line, sizeof line, file) != nullptr;
  std::fclose(file);
  std::string text = read ? line : "";
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string link_target(const char* path) {
  char target[256];
  const ssize_t size = readlink(path, target, sizeof target);
  return size > 0 ? std::string(target, static_cast<size_t>(size)) : "";
}

}  // namespace

Environment process_environment() {
  return [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
}

std::string job_name(const Environment& environment) {
  const std::string slurm_job = environment("SLURM_JOB_ID");
  if (!slurm_job.empty()) {
    const std::string step = environment("SLURM_STEP_ID");
    return "slurm:" + slurm_job + (step.empty() ? "" : "." + step);
  }
  // torchrun's default run id is the same for every job: it names nothing.
  const std::string torch = environment("TORCHELASTIC_RUN_ID");
  if (!torch.empty() && torch != "none") return "torch:" + torch;
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PBS_JOBID", "LSB_JOBID"}) {
    const std::string value = environment(name);
    if (!value.empty()) return std::string(name) + ":" + value;
  }
  const std::string master = environment("MASTER_ADDR");
  return master.empty() ? "" : "master:" + master + ":" + environment("MASTER_PORT");
}

std::string master_host(const Environment& environment) {
  std::string master = environment("MASTER_ADDR");
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
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  facts.name = name[0] == '\0' ? "localhost" : name;
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
