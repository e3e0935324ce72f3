#include "live/registry/registration.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/json.h"
#include "base/output_file.h"
#include "base/system.h"
#include "base/text.h"
#include "clocksync/wire/key_file.h"
#include "dumper/run/process_state.h"

namespace lockstep::live {
namespace {

constexpr size_t kLargestFile = 4096;

std::string folder_of(const std::string& run) { return run + "/agents"; }
std::string path_of(const std::string& run, const std::string& host) {
  return folder_of(run) + "/" + host + ".json";
}

Status make_folder(const std::string& run) {
  const std::string folder = folder_of(run);
  if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return Status();
  return Status::error(folder + ": cannot make the folder: " + std::strerror(errno));
}

bool is_gone(const Registration& registration) {
  return registration.boot_id == dumper::this_boot_id() &&
         dumper::process_start_time(registration.pid) != registration.process_start;
}

}  // namespace

std::string registration_json(const Registration& registration) {
  JsonFields out;
  out.object([&] {
    out.string("host", registration.host);
    out.string("address", registration.address);
    out.number("port", registration.port);
    out.number("pid", registration.pid);
    out.number("process_start", registration.process_start);
    out.string("boot_id", registration.boot_id);
    out.string("net_namespace", registration.net_namespace);
    out.string("started", registration.started);
    out.string("version", registration.version);
    out.string("key_id", registration.key_name);
  });
  return std::string(out.text()) + "\n";
}

Result<Registration> parse_registration(std::string_view json) {
  json::Document document;
  if (!parse_json(json, &document)) return Status::error("it is no JSON object");
  Registration registration;
  registration.host = text_member(document, "host");
  registration.address = text_member(document, "address");
  const uint64_t port = uint_member(document, "port"), pid = uint_member(document, "pid");
  registration.port = static_cast<uint16_t>(port);
  registration.pid = static_cast<uint32_t>(pid);
  registration.process_start = uint_member(document, "process_start");
  registration.boot_id = text_member(document, "boot_id");
  registration.net_namespace = text_member(document, "net_namespace");
  registration.started = text_member(document, "started");
  registration.version = text_member(document, "version");
  registration.key_name = text_member(document, "key_id");
  // The host becomes part of a file name.
  const bool named = !registration.host.empty() && registration.host.find('/') == std::string::npos;
  if (!named || port > UINT16_MAX || pid == 0 || pid > INT32_MAX)
    return Status::error("it is no agent's registration");
  return registration;
}

Status write_registration(const std::string& run, const Registration& registration) {
  Status made = make_folder(run);
  if (!made.ok()) return made;
  return write_file(path_of(run, registration.host), registration_json(registration),
                    IfExists::Replace, {0600});
}

void remove_registration(const std::string& run, const Registration& registration) {
  const std::string path = path_of(run, registration.host);
  const auto text = read_small_file(path, kLargestFile);
  if (text.ok() && text.value() == registration_json(registration)) unlink(path.c_str());
}

std::map<std::string, Registration> read_registrations(const std::string& run) {
  std::map<std::string, Registration> found;
  const std::string folder = folder_of(run);
  DIR* entries = opendir(folder.c_str());
  if (entries == nullptr) return found;
  while (const dirent* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (!has_ending(name, ".json")) continue;
    const auto text = read_small_file(folder + "/" + name, kLargestFile);
    if (!text.ok()) continue;
    auto registration = parse_registration(text.value());
    if (!registration.ok() || name != registration.value().host + ".json" ||
        is_gone(registration.value()))
      continue;
    found.emplace(registration.value().host, std::move(registration.value()));
  }
  closedir(entries);
  return found;
}

std::string socket_path(const std::string& run, const std::string& host) {
  return folder_of(run) + "/" + host + ".sock";
}

std::string run_key_path(const std::string& run) { return folder_of(run) + "/key"; }

Result<clocksync::SecretKey> run_key(const std::string& run) {
  Status made = make_folder(run);
  if (!made.ok()) return made;
  return clocksync::read_or_create_key(run_key_path(run));
}

}  // namespace lockstep::live
