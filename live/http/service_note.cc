#include "live/http/service_note.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/json.h"
#include "base/output_file.h"
#include "base/system.h"
#include "dumper/run/process_note.h"
#include "live/http/place.h"

namespace lockstep::serve {
namespace {

constexpr size_t kLargestNote = 8192;

std::string path_of(const std::string& place, const ServiceNote& note) {
  return place + "/" + note.process.host + "." + std::to_string(note.process.pid) + ".json";
}

Result<ServiceNote> read_service(const std::string& path) {
  const auto text = read_small_file(path, kLargestNote);
  if (!text.ok()) return text.status();
  json::Document document;
  auto process = dumper::process_of_note(text.value());
  if (!process.ok()) return Status::error(path + ": " + process.message());
  if (!parse_json(text.value(), &document)) return Status::error(path + ": it is no JSON object");
  ServiceNote note;
  note.process = std::move(process.value());
  struct stat facts {};
  note.ours = lstat(path.c_str(), &facts) == 0 && facts.st_uid == geteuid();
  note.url = text_member(document, "url");
  note.token_file = text_member(document, "token_file");
  if (note.url.empty() || note.process.pid == 1) return Status::error(path + ": it is no server's");
  return note;
}

}  // namespace

ServiceNote own_service(const std::string& url, const std::string& token_file) {
  ServiceNote note;
  note.process = dumper::process_here(this_host(), static_cast<uint32_t>(getpid()));
  note.ours = true;
  note.url = url;
  note.token_file = token_file;
  return note;
}

Status write_service(const std::string& place, const ServiceNote& note) {
  JsonFields out;
  out.object([&] {
    dumper::put_process(note.process, &out);
    out.string("url", note.url);
    out.string("token_file", note.token_file);
  });
  return write_file(path_of(place, note), std::string(out.text()) + "\n", IfExists::Replace,
                    {0600});
}

void remove_service(const std::string& place, const ServiceNote& note) {
  unlink(path_of(place, note).c_str());
}

bool is_here(const ServiceNote& note) { return note.process.boot_id == dumper::this_boot_id(); }

std::vector<ServiceNote> services_of(const std::string& run) {
  std::vector<ServiceNote> services;
  for (const std::string& place : {own_place(run, "serve"), cache_place(run, "serve")}) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(place, error)) {
      if (entry.path().extension() != ".json") continue;
      const auto note = read_service(entry.path().string());
      if (note.ok() && dumper::process_state(note.value().process) != dumper::ProcessState::Dead)
        services.push_back(note.value());
    }
  }
  return services;
}

}  // namespace lockstep::serve
