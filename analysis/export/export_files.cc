#include "analysis/export/export_files.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <vector>

#include "analysis/export/output_directory.h"
#include "analysis/export/torch_names.h"
#include "base/text.h"

namespace lockstep::analysis {
namespace {

std::string path_of(const std::string& folder, const std::string& host) {
  return folder + "/" + host + ".rows";
}

void replace(std::string* text, std::string_view what, const std::string& with) {
  for (size_t at = 0; (at = text->find(what, at)) != std::string::npos; at += with.size())
    text->replace(at, what.size(), with);
}

Result<std::vector<std::string>> file_names(const RunTables& run, const std::string& pattern) {
  const std::vector<std::string> ranks = rank_names(run);
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (uint32_t i = 0; i < run.processes.size(); ++i) {
    const ProcessRow& process = run.processes[i];
    std::string name = pattern;
    replace(&name, "%p", std::to_string(process.pid));
    replace(&name, "%r", ranks[i]);
    replace(&name, "%h", run.text(process.host));
    std::replace(name.begin(), name.end(), '/', '_');
    if (!seen.insert(name).second)
      return Status::error("two processes would have the file " + name +
                           "; put %r, the rank, into the name");
    names.push_back(name);
  }
  return names;
}

}  // namespace

Status write_process_files(const RunTables& run, const ExportOptions& options,
                           const ProcessFiles& files) {
  std::string pattern = options.name.empty() ? files.name : options.name;
  if (options.gzip && !has_ending(pattern, ".gz")) pattern += ".gz";
  const auto names = file_names(run, pattern);
  if (!names.ok()) return names.status();
  auto directory = OutputDirectory::create(options.output, options.if_exists);
  if (!directory.ok()) return directory.status();
  std::vector<std::vector<uint32_t>> operations(run.processes.size());
  for (uint32_t i = 0; i < run.operations.size(); ++i) {
    const uint32_t process = run.operations[i].process;
    if (process < operations.size()) operations[process].push_back(i);
  }
  const Status written = for_each_process(run, options, [&](uint32_t process) {
    auto file = ExportFile::create(directory.value()->path() + "/" + names.value()[process],
                                   IfExists::Refuse);
    if (!file.ok()) return file.status();
    files.write(process, operations[process], file.value().get());
    return file.value()->commit();
  });
  return written.ok() ? directory.value()->commit(files.mark) : written;
}

Status write_row_counts(const std::string& folder, const std::string& host, const RowCounts& rows) {
  auto file = OutputFile::create(path_of(folder, host), IfExists::Refuse);
  if (!file.ok()) return file.status();
  for (const auto& [table, count] : rows)
    file.value()->write(table + " " + std::to_string(count) + "\n");
  return file.value()->commit();
}

Status add_row_counts(const std::string& folder, const std::string& host, RowCounts* rows) {
  std::ifstream file(path_of(folder, host));
  if (!file) return Status::error("no node has converted the details of host " + host);
  std::string table;
  for (uint64_t count = 0; file >> table >> count;) (*rows)[table] += count;
  return {};
}

Status append_file(const std::string& from, OutputFile* to) {
  std::ifstream file(from, std::ios::binary);
  if (!file) return Status::error(from + ": cannot be read");
  std::vector<char> bytes(1 << 20);
  while (file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) || file.gcount() > 0)
    to->write({bytes.data(), static_cast<size_t>(file.gcount())});
  return file.bad() ? Status::error(from + ": cannot be read to its end") : Status();
}

}  // namespace lockstep::analysis
