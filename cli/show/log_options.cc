#include "cli/show/log_options.h"

#include "analysis/logs/read_logs.h"

namespace lockstep::cli {

void LogArguments::add_to(base::Command* command) {
  command
      ->option(
          "--logs", &patterns,
          "Show the lines of these logs of the job among its operations; those in DIR/logs are "
          "shown anyway. Quote a pattern; repeat the option for several")
      .shown_as("GLOB")
      .one_each();
  command
      ->option("--logs-zone", &zone,
               "Zone of times in them that say none: UTC, +01:00; default: this machine's")
      .shown_as("ZONE");
}

Status LogArguments::check() const {
  if (zone.empty() || analysis::zone_of(zone)) return {};
  return Status::error("--logs-zone " + zone +
                       ": UTC, or hours east of it such as +01:00 or -0330");
}

Status LogArguments::read(const std::string& run_directory, analysis::RunTables* run) const {
  analysis::LogOptions options;
  options.patterns = patterns;
  options.zone_s = analysis::zone_of(zone);
  for (std::string& own : analysis::own_logs(run_directory))
    options.patterns.push_back(std::move(own));
  return analysis::read_logs(options, run);
}

}  // namespace lockstep::cli
