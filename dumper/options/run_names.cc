#include "dumper/options/run_names.h"

#include <unistd.h>

#include <climits>

namespace lockstep::dumper {
namespace {

std::string_view variable(const char* const* environment, std::string_view name) {
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    if (entry.size() > name.size() && entry[name.size()] == '=' &&
        entry.substr(0, name.size()) == name) {
      return entry.substr(name.size() + 1);
    }
  }
  return {};
}

template <size_t N>
std::string_view first_variable(const char* const* environment, const char* const (&names)[N]) {
  for (const char* name : names) {
    const std::string_view value = variable(environment, name);
    if (!value.empty() && value != "none")
      return value;  // torchrun's job id without a rendezvous is `none`
  }
  return {};
}

// Letters, digits, dot, dash and underscore stay; so no value can leave its folder, and none starts
// with a dot.
std::string file_name_part(std::string_view text) {
  constexpr size_t kLongest = 64;
  std::string part;
  for (char c : text.substr(0, kLongest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || (c == '.' && !part.empty());
    part += plain ? c : '_';
  }
  return part;
}

std::string machine_name() {
  char name[HOST_NAME_MAX + 1] = {};
  if (gethostname(name, sizeof(name) - 1) != 0) return "unknown";
  return name;
}

constexpr const char* kRankVariables[] = {"SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                          "PMI_RANK",     "FLUX_TASK_RANK",       "RANK"};
constexpr const char* kJobVariables[] = {"SLURM_JOB_ID", "TORCHELASTIC_RUN_ID", "PMIX_NAMESPACE",
                                         "PBS_JOBID",    "LSB_JOBID",           "FLUX_JOB_ID"};

std::string job_name(const char* const* environment) {
  const std::string_view job = first_variable(environment, kJobVariables);
  if (!job.empty()) return file_name_part(job);
  const std::string_view address = variable(environment, "MASTER_ADDR");
  const std::string_view port = variable(environment, "MASTER_PORT");
  if (address.empty() || port.empty()) return {};
  return file_name_part(std::string(address) + "-" + std::string(port));
}

}  // namespace

ProcessNames process_names(const Config& config, const char* const* environment) {
  ProcessNames names;
  names.host =
      file_name_part(config.is_set(Option::Host) ? config.text(Option::Host) : machine_name());
  names.pid = std::to_string(getpid());
  names.rank = file_name_part(first_variable(environment, kRankVariables));
  if (names.rank.empty()) names.rank = "p" + names.pid;
  names.job = job_name(environment);
  return names;
}

std::string expand_directory(std::string_view pattern, const ProcessNames& names) {
  if (pattern.empty()) pattern = names.job.empty() ? "lockstep-%h-%p" : "lockstep-%j";
  std::string path;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    switch (next) {
      case 'h':
        path += names.host;
        break;
      case 'p':
        path += names.pid;
        break;
      case 'r':
        path += names.rank;
        break;
      case 'j':
        path += names.job.empty() ? "nojob" : names.job;
        break;
      case '%':
        path += '%';
        break;
      default:
        path += pattern[i];
        continue;
    }
    ++i;
  }
  return path;
}

}  // namespace lockstep::dumper
