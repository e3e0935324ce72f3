// Puts the files of a report in place.
#include <filesystem>

#include "analysis/report/report_text.h"

namespace lockstep::analysis {

Status write_report(const Report& report, const ReportOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  if (error)
    return Status::error(options.directory + ": cannot be made: " + error.message() +
                         "; choose another place with -o");
  const std::pair<const char*, std::string> files[] = {
      {"summary.md", report_markdown(report)},
      {"operations.csv", report_operations_csv(report)},
      {"aggregate.csv", report_aggregate_csv(report)},
      {"top.csv", report_top_csv(report, options.top)},
      {"report.html", report_html(report)}};
  for (const auto& [name, text] : files) {
    const std::string path = options.directory + "/" + name;
    if (options.if_exists == IfExists::Refuse && std::filesystem::exists(path, error))
      return Status::error(path +
                           " exists; replace the report with --force or write it elsewhere "
                           "with -o");
  }
  for (const auto& [name, text] : files) {
    auto file = OutputFile::create(options.directory + "/" + name, options.if_exists);
    if (!file.ok()) return file.status();
    file.value()->write(text);
    Status done = file.value()->commit();
    if (!done.ok()) return done;
  }
  return {};
}

}  // namespace lockstep::analysis
