#include "live/follow/run_summary.h"

#define XXH_INLINE_ALL
#include <sys/stat.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>

#include "analysis/logs/read_logs.h"
#include "analysis/report/kept_findings.h"
#include "base/json.h"
#include "base/output_file.h"
#include "base/system.h"
#include "base/text.h"
#include "dumper/run/capture_file.h"
#include "dumper/run/run_files.h"
#include "lockstep/version.h"

namespace lockstep::serve {
namespace {

constexpr int kFormat = 5;
constexpr size_t kMostSummaryBytes = size_t{256} << 20;

std::string path_in(const std::string& folder) { return folder + "/summary.json.zst"; }

std::string packed(std::string_view text) {
  constexpr int kZstdLevel = 3;
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const size_t size =
      ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), kZstdLevel);
  bytes.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return bytes;
}

// Empty: it is no such text.
std::string unpacked(const std::string& bytes) {
  const auto size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size > kMostSummaryBytes) return "";  // also where the size is not known
  std::string text(size, '\0');
  return ZSTD_decompress(text.data(), size, bytes.data(), bytes.size()) == size ? text : "";
}

// A log may be a link: its file counts.
void add_file(const std::string& path, std::string* text) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return;
  *text += path + " " + std::to_string(facts.st_size) + " " + std::to_string(facts.st_mtim.tv_sec) +
           "." + std::to_string(facts.st_mtim.tv_nsec) + "\n";
}

void add_folder(const std::string& folder, std::string* text) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) add_file(file, text);
}

}  // namespace

std::string summary_key(const std::string& directory, int64_t from_ns) {
  std::string text = std::string(kVersion) + "\n" + std::to_string(kFormat) + "\n" + directory +
                     "\n" + std::to_string(from_ns) + "\n";
  const auto files = dumper::run_files(directory);
  if (files.ok()) {
    for (const std::string& file : files.value()) add_file(file, &text);
  }
  add_folder(dumper::captures_folder(directory), &text);
  add_folder(analysis::logs_folder(directory), &text);
  add_file(analysis::kept_path(directory, analysis::kKeptDiagnosis), &text);
  return std::to_string(XXH3_64bits(text.data(), text.size()));
}

Status write_summary(const std::string& folder, const std::string& key, const RunSummary& summary) {
  JsonFields out;
  out.object([&] {
    out.string("made_of", key);
    out.number("from_ns", summary.from_ns);
    out.number("origin_unix_ns", summary.origin_unix_ns);
    out.boolean("one_clock", summary.one_clock);
    out.strings("damage", summary.damage);
    out.object("dimensions", [&] {
      for (const auto& [name, labels] : summary.dimensions)
        out.strings(name.c_str(), {labels.begin(), labels.end()});
    });
    out.string("report", summary.report);
  });
  return write_file(path_in(folder), packed(out.text()), IfExists::Replace, {0600});
}

Result<RunSummary> read_summary(const std::string& folder, const std::string& key) {
  const std::string path = path_in(folder);
  const auto bytes = read_small_file(path, kMostSummaryBytes);
  if (!bytes.ok()) return Status::error(path + ": " + bytes.message());
  json::Document document;
  if (!parse_json(unpacked(bytes.value()), &document) || text_member(document, "made_of") != key)
    return Status::error(path + ": it is of another state of the run");
  RunSummary summary;
  summary.from_ns = static_cast<int64_t>(uint_member(document, "from_ns"));
  summary.origin_unix_ns = static_cast<int64_t>(uint_member(document, "origin_unix_ns"));
  summary.one_clock = bool_member(document, "one_clock");
  summary.damage = texts_member(document, "damage");
  if (const json::Value* dimensions = member(document, "dimensions")) {
    for (const std::string& group : analysis::all_row_groups()) {
      for (std::string& label : texts_member(*dimensions, group.c_str()))
        summary.dimensions[group].insert(std::move(label));
    }
  }
  summary.report = text_member(document, "report");
  json::Document report;
  if (!parse_json(summary.report, &report)) return Status::error(path + ": its report is damaged");
  return summary;
}

}  // namespace lockstep::serve
