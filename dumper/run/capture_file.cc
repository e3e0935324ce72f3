#include "dumper/run/capture_file.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "base/clock_ns.h"
#include "base/json.h"
#include "base/output_file.h"
#include "base/system.h"
#include "base/text.h"

namespace lockstep::dumper {
namespace {

constexpr size_t kLargestFile = 64 << 20;  // 65,536 ranks take some 10 MiB
constexpr const char* kEnding = ".json";

template <class Number>
void put_known(JsonFields* out, const char* key, const std::optional<Number>& number) {
  if (number) return out->number(key, *number);
  put_key(&out->writer(), key);
  out->writer().Null();
}

std::optional<CaptureRank> rank_in(const json::Value& row) {
  CaptureRank rank;
  rank.rank = int_member(row, "rank", -1);
  rank.host = text_member(row, "host");
  rank.pid = static_cast<uint32_t>(uint_member(row, "pid"));
  const std::string state = text_member(row, "state");
  const auto* const found =
      std::find(std::begin(kCaptureStateNames), std::end(kCaptureStateNames), state);
  if (found == std::end(kCaptureStateNames)) return std::nullopt;
  rank.state = static_cast<CaptureState>(found - std::begin(kCaptureStateNames));
  rank.position = known_uint(row, "position");
  rank.start_ns = known_uint(row, "start_ns");
  rank.stop_ns = known_uint(row, "stop_ns");
  return rank;
}

// Regular files in it and below, by name.
void add_files(const std::string& folder, std::vector<std::string>* files) {
  DIR* opened = ::opendir(folder.c_str());
  if (opened == nullptr) return;
  std::vector<std::string> paths;
  while (const dirent* entry = ::readdir(opened)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") paths.push_back(folder + "/" + name);
  }
  ::closedir(opened);
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) != 0) continue;
    if (S_ISREG(facts.st_mode)) files->push_back(path);
    if (S_ISDIR(facts.st_mode)) add_files(path, files);
  }
}

}  // namespace

std::string capture_json(const Capture& capture) {
  JsonFields out;
  out.object([&] {
    out.string("id", capture.id);
    out.string("name", capture.name);
    out.string("by", capture.by);
    out.string("rule", capture.rule);
    out.string("events_before", capture.events_before);
    out.string("events_after", capture.events_after);
    out.list("ranks", capture.ranks, [&](const CaptureRank& rank) {
      out.object([&] {
        out.number("rank", rank.rank);
        out.string("host", rank.host);
        out.number("pid", rank.pid);
        out.string("state", kCaptureStateNames[static_cast<size_t>(rank.state)]);
        put_known(&out, "position", rank.position);
        put_known(&out, "start_ns", rank.start_ns);
        put_known(&out, "stop_ns", rank.stop_ns);
      });
    });
    put_known(&out, "spread_ns", capture.spread_ns);
    put_known(&out, "spread_bound_ns", capture.spread_bound_ns);
    out.number("bytes", capture.bytes);
    out.object("cost", [&] {
      out.number("overhead_ns", capture.cost.overhead_ns);
      out.number("records", capture.cost.records);
      out.number("calls_not_recorded", capture.cost.calls_not_recorded);
    });
  });
  return std::string(out.text());
}

Result<Capture> parse_capture(std::string_view json) {
  json::Document document;
  if (!parse_json(json, &document)) return Status::error("it is no JSON object");
  Capture capture;
  capture.id = text_member(document, "id");
  if (!is_capture_id(capture.id)) return Status::error("it has no id of a capture");
  capture.name = text_member(document, "name");
  capture.by = text_member(document, "by");
  capture.rule = text_member(document, "rule");
  capture.events_before = text_member(document, "events_before");
  capture.events_after = text_member(document, "events_after");
  const json::Value* ranks = list_member(document, "ranks");
  if (ranks == nullptr) return Status::error("it has no ranks");
  for (const json::Value& row : ranks->GetArray()) {
    auto rank = rank_in(row);
    if (!rank) return Status::error("a rank of it has no state that is known");
    capture.ranks.push_back(std::move(*rank));
  }
  capture.spread_ns = known_int(document, "spread_ns");
  capture.spread_bound_ns = known_int(document, "spread_bound_ns");
  capture.bytes = uint_member(document, "bytes");
  if (const json::Value* cost = member(document, "cost")) {
    capture.cost.overhead_ns = uint_member(*cost, "overhead_ns");
    capture.cost.records = uint_member(*cost, "records");
    capture.cost.calls_not_recorded = uint_member(*cost, "calls_not_recorded");
  }
  return capture;
}

std::string new_capture_id() {
  char tail[8];
  std::snprintf(tail, sizeof tail, "%04x", static_cast<unsigned>(random_u64() & 0xffff));
  return utc_text("capture-%Y%m%dT%H%M%SZ-", real_now_ns()) + tail;
}

bool is_capture_id(std::string_view id) {
  constexpr size_t kLongest = 64;
  const auto fits = [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  return !id.empty() && id.size() <= kLongest && id.front() != '.' &&
         std::all_of(id.begin(), id.end(), fits);
}

std::string captures_folder(const std::string& run) { return run + "/captures"; }
std::string capture_path(const std::string& run, const std::string& id) {
  return captures_folder(run) + "/" + id + kEnding;
}
std::string capture_copies(const std::string& run, const std::string& id) {
  return captures_folder(run) + "/" + id;
}

std::vector<std::string> capture_files(const std::string& run) {
  std::vector<std::string> files;
  add_files(captures_folder(run), &files);
  const std::string folder = captures_folder(run) + "/";
  std::stable_partition(files.begin(), files.end(), [&](const std::string& path) {
    return path.find('/', folder.size()) != std::string::npos;
  });
  return files;
}

bool capture_has_file(const std::string& run, const std::string& id) {
  struct stat facts {};
  return ::stat(capture_path(run, id).c_str(), &facts) == 0;
}

std::vector<std::string> capture_ids(const std::string& run) {
  std::vector<std::string> ids;
  DIR* folder = ::opendir(captures_folder(run).c_str());
  if (folder == nullptr) return ids;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string name = entry->d_name;
    if (!has_ending(name, kEnding)) continue;
    std::string id = name.substr(0, name.size() - std::strlen(kEnding));
    if (is_capture_id(id)) ids.push_back(std::move(id));
  }
  ::closedir(folder);
  std::sort(ids.begin(), ids.end());
  return ids;
}

Status write_capture(const std::string& run, const Capture& capture) {
  const std::string folder = captures_folder(run);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return Status::error(folder + ": cannot be made: " + std::strerror(errno));
  return write_file(capture_path(run, capture.id), capture_json(capture) + "\n", IfExists::Refuse,
                    {0600});
}

Result<Capture> read_capture(const std::string& run, const std::string& id) {
  if (!is_capture_id(id)) return Status::error("'" + id + "' is no id of a capture");
  const std::string path = capture_path(run, id);
  const auto text = read_small_file(path, kLargestFile);
  if (!text.ok()) return Status::error(path + ": " + text.message());
  auto capture = parse_capture(text.value());
  if (!capture.ok()) return Status::error(path + ": " + capture.message());
  if (capture.value().id != id)
    return Status::error(path + ": it is of another capture, " + capture.value().id);
  return capture;
}

std::vector<Capture> read_captures(const std::string& run, std::vector<std::string>* damage) {
  std::vector<Capture> captures;
  for (const std::string& id : capture_ids(run)) {
    auto capture = read_capture(run, id);
    if (capture.ok()) {
      captures.push_back(std::move(capture.value()));
    } else {
      damage->push_back(capture.message());
    }
  }
  return captures;
}

}  // namespace lockstep::dumper
