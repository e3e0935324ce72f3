#include "analysis/export/export.h"

namespace lockstep::analysis {

const std::vector<ExportFormat>& export_formats() {
  static const std::vector<ExportFormat> formats = {
      {"perfetto", "one file for ui.perfetto.dev: every event, each overlap on its own track",
       export_perfetto},
      {"chrome", "one JSON file for chrome://tracing, for small runs", export_chrome},
      {"csv", "a directory with one CSV file per table (docs/schema.md)", export_csv,
       export_csv_host, false, true},
      {"parquet", "a directory of Parquet files per table and host, for SQL engines (needs DuckDB)",
       export_parquet, export_parquet_host, false, true},
      {"sqlite", "one SQLite file with every table, for sqlite3, Python and BI tools",
       export_sqlite, nullptr, false, true},
      {"inspector", "a directory of NCCL Inspector JSON lines, one file per process",
       export_inspector, nullptr, true},
      {"kineto", "a directory of PyTorch profiler traces, one per rank, for HTA and TraceLens",
       export_kineto, nullptr, true},
      {"flight-recorder", "a directory of PyTorch NCCL flight recorder dumps, one per rank",
       export_flight_recorder, nullptr, true},
  };
  return formats;
}

const ExportFormat* find_export_format(const std::string& name) {
  for (const ExportFormat& format : export_formats()) {
    if (name == format.name) return &format;
  }
  return nullptr;
}

Status export_run(const ExportInput& input, const ExportOptions& options, ExportSummary* summary) {
  const ExportFormat* format = find_export_format(options.format);
  if (format != nullptr) return format->write(input, options, summary);
  std::string known;
  for (const ExportFormat& one : export_formats())
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  return Status::error("there is no format '" + options.format + "'; these are known: " + known);
}

Status export_host(const ExportInput& input, const ExportOptions& options,
                   const std::string& host) {
  const ExportFormat* format = find_export_format(options.format);
  if (format != nullptr && format->write_host != nullptr)
    return format->write_host(input, options, host);
  return Status::error("'" + options.format + "' is not written host by host");
}

std::vector<std::string> hosts_of(const RunTables& run) {
  std::vector<std::string> hosts;
  for (const ProcessRow& process : run.processes) {
    const std::string& host = run.text(process.host);
    if (hosts.empty() || hosts.back() != host) hosts.push_back(host);
  }
  return hosts;
}

}  // namespace lockstep::analysis
