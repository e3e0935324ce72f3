#include "live/serve/service_note.h"

#include <unistd.h>

#include <filesystem>

#include "base/json.h"
#include "base/output_file.h"
#include "base/system.h"
#include "dumper/run/process_state.h"
#include "live/serve/place.h"

namespace lockstep::serve {
namespace {

constexpr size_t kLargestNote = 8192;

std::string path_of(const std::string& place, const ServiceNote& note) {
  return place + "/" + note.host + "." + std::to_string(note.pid) + ".json";
}

Result<ServiceNote> read_service(const std::string& path) {
  const auto text = read_small_file(path, kLargestNote);
  if (!text.ok()) return text.status();
  json::Document document;
  if (!parse_json(text.value(), &document)) return Status::error(path + ": it is no JSON object");
  ServiceNote note;
  note.host = text_member(document, "host");
  note.boot_id = text_member(document, "boot_id");
  note.pid = static_cast<uint32_t>(uint_member(document, "pid"));
  note.process_start = uint_member(document, "process_start");
  note.url = text_member(document, "url");
  note.token_file = text_member(document, "token_file");
  if (note.url.empty() || note.pid < 2 || note.pid > INT32_MAX)
    return Status::error(path + ": it is no server's");
  return note;
}

}  // namespace

ServiceNote own_service(const std::string& url, const std::string& token_file) {
  ServiceNote note;
  note.host = this_host();
  note.boot_id = dumper::this_boot_id();
  note.pid = static_cast<uint32_t>(getpid());
  note.process_start = dumper::process_start_time(note.pid);
  note.url = url;
  note.token_file = token_file;
  return note;
}

Status write_service(const std::string& place, const ServiceNote& note) {
  JsonFields out;
  out.object([&] {
    out.string("host", note.host);
    out.string("boot_id", note.boot_id);
    out.number("pid", note.pid);
    out.number("process_start", note.process_start);
    out.string("url", note.url);
    out.string("token_file", note.token_file);
  });
  FileTerms terms;
  terms.mode = 0600;
  return write_file(path_of(place, note), std::string(out.text()) + "\n", IfExists::Replace, terms);
}

void remove_service(const std::string& place, const ServiceNote& note) {
  unlink(path_of(place, note).c_str());
}

bool is_here(const ServiceNote& note) { return note.boot_id == dumper::this_boot_id(); }

std::vector<ServiceNote> services_of(const std::string& run) {
  std::vector<ServiceNote> services;
  for (const std::string& place : {own_place(run, "serve"), cache_place(run, "serve")}) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(place, error)) {
      if (entry.path().extension() != ".json") continue;
      const auto note = read_service(entry.path().string());
      if (!note.ok()) continue;
      const bool gone = is_here(note.value()) &&
                        dumper::process_start_time(note.value().pid) != note.value().process_start;
      if (!gone) services.push_back(note.value());
    }
  }
  return services;
}

}  // namespace lockstep::serve
