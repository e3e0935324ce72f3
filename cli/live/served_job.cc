#include "cli/live/served_job.h"

#include <algorithm>

#include "cli/live/live_arguments.h"
#include "live/asker/flush_job.h"

namespace lockstep::cli {
namespace {

// Some 190,000 operations, which take about a second to read and to relate.
constexpr uint64_t kLiveTableBytes = uint64_t{128} << 20;

// Tells all processes that can be reached to write down what they have. Whether there are any.
bool write_down(const std::string& directory) {
  LiveArguments arguments;
  arguments.run = directory;
  arguments.timeout_s = 1;
  auto targets = find_live_targets(arguments);
  if (!targets.ok()) return false;
  auto& hosts = targets.value().hosts;
  hosts.erase(std::remove_if(hosts.begin(), hosts.end(),
                             [](const live::Target& host) {
                               return host.way == live::Target::Way::Unreachable;
                             }),
              hosts.end());
  if (hosts.empty()) return false;
  const live::Answers answers = live::flush_job(targets.value(), live_terms(arguments));
  // Who did not answer in time may well go on.
  return !answers.failed.empty() ||
         std::any_of(answers.hosts.begin(), answers.hosts.end(),
                     [](const live::HostRows& host) { return host.rows.size() > 2; });
}

}  // namespace

Result<std::unique_ptr<serve::ServedRun>> read_served_job(const std::string& directory,
                                                          serve::ServeOptions options) {
  options.goes_on = write_down(directory);
  if (options.goes_on)
    options.most_table_bytes = std::min(options.most_table_bytes, kLiveTableBytes);
  return serve::ServedRun::open(directory, options);
}

}  // namespace lockstep::cli
