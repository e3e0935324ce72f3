#include "dumper/options/run_names.h"

#include <unistd.h>

#include "base/launcher.h"
#include "base/system.h"

namespace lockstep::dumper {
namespace {

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

std::string job_name(const Variables& variables) {
  const std::string job = launch_fact(LaunchFact::Job, variables);
  if (!job.empty()) return file_name_part(job);
  const std::string address = launch_fact(LaunchFact::Master, variables);
  const std::string port = launch_fact(LaunchFact::MasterPort, variables);
  if (address.empty() || port.empty()) return {};
  return file_name_part(address + "-" + port);
}

}  // namespace

ProcessNames process_names(const Config& config, const char* const* environment) {
  const Variables variables = variables_of(environment);
  ProcessNames names;
  names.host = file_name_part(config.is_set(Option::Host) ? config.text(Option::Host) : this_host());
  names.pid = std::to_string(getpid());
  names.rank = file_name_part(launch_fact(LaunchFact::Rank, variables));
  if (names.rank.empty()) names.rank = "p" + names.pid;
  names.job = job_name(variables);
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
