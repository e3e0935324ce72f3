// A run handed to another tool. One function per format, each in its own file export_<format>.cc;
// `lockstep export` calls export_run() on its main thread. Every format keeps every operation and
// says how many it wrote; what a format cannot hold is counted in ExportSummary::left_out with its
// reason. Output appears whole or not at all (output_file.h, output_directory.h). Memory does not grow with events and
// network steps, which are streamed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/load/stream_process.h"
#include "base/output_file.h"

namespace lockstep::analysis {

struct ExportOptions {
  std::string format, output;
  std::string name;   // of each file, for formats with one per process: ProcessFiles::name
  bool gzip = false;  // those files compressed, under names that end in ".gz"
  IfExists if_exists = IfExists::Refuse;
  unsigned threads = 0;                  // 0 = as many as the machine has
  std::function<void(double)> progress;  // 0..1; may be empty
  // Folder where export_host() has written the streamed tables of all hosts; empty: they are
  // streamed here.
  std::string details;
  uint64_t most_bytes = 0;  // a single file that would be longer is not written; 0: any length
};

struct ExportCount {
  std::string what;  // "operations", "slices", ...
  uint64_t count = 0;
};

struct ExportSummary {
  std::vector<ExportCount> written;
  std::vector<ExportCount> left_out;  // `what` says what and why
  std::vector<std::string> notes;     // for people
  bool too_large = false;             // ExportOptions::most_bytes did not suffice

  void add(std::string what, uint64_t count) { written.push_back({std::move(what), count}); }
  void leave_out(std::string what, uint64_t count) {
    if (count != 0) left_out.push_back({std::move(what), count});
  }
};

struct ExportFormat {
  const char* name;
  const char* help;
  Status (*write)(const ExportInput& input, const ExportOptions& options, ExportSummary* summary);
  // The streamed tables of one host into options.output, for `write` to find there as
  // options.details; null where a format cannot be put together from hosts.
  Status (*write_host)(const ExportInput& input, const ExportOptions& options,
                       const std::string& host) = nullptr;
  bool per_process = false;  // a directory with a file for each process, which takes a name
  bool of_tables = false;    // it has those of add_accounts() too
};
const std::vector<ExportFormat>& export_formats();
const ExportFormat* find_export_format(const std::string& name);  // null: there is none

Status export_run(const ExportInput& input, const ExportOptions& options, ExportSummary* summary);
Status export_host(const ExportInput& input, const ExportOptions& options, const std::string& host);

// The hosts of a run, in the order of its processes.
std::vector<std::string> hosts_of(const RunTables& run);

Status export_perfetto(const ExportInput&, const ExportOptions&, ExportSummary*);
Status export_chrome(const ExportInput&, const ExportOptions&, ExportSummary*);
Status export_csv(const ExportInput&, const ExportOptions&, ExportSummary*);
Status export_csv_host(const ExportInput&, const ExportOptions&, const std::string& host);
Status export_parquet(const ExportInput&, const ExportOptions&, ExportSummary*);
Status export_parquet_host(const ExportInput&, const ExportOptions&, const std::string& host);
Status export_sqlite(const ExportInput&, const ExportOptions&, ExportSummary*);
Status export_inspector(const ExportInput&, const ExportOptions&, ExportSummary*);
Status export_kineto(const ExportInput&, const ExportOptions&, ExportSummary*);
Status export_flight_recorder(const ExportInput&, const ExportOptions&, ExportSummary*);

inline void report(const ExportOptions& options, double done) {
  if (options.progress) options.progress(done);
}

}  // namespace lockstep::analysis
