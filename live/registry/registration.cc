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
#include "dumper/run/process_note.h"

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

}  // namespace

std::string registration_json(const Registration& registration) {
  JsonFields out;
  out.object([&] {
    dumper::put_process(registration.process, &out);
    out.string("address", registration.address);
    out.number("port", registration.port);
    out.string("net_namespace", registration.net_namespace);
    out.string("started", registration.started);
    out.string("version", registration.version);
    out.string("key_id", registration.key_name);
  });
  return std::string(out.text()) + "\n";
}

Result<Registration> parse_registration(std::string_view json) {
  json::Document document;
  auto process = dumper::process_of_note(json);
  if (!process.ok()) return process.status();
  if (!parse_json(json, &document)) return Status::error("it is no JSON object");
  Registration registration;
  registration.process = std::move(process.value());
  registration.address = text_member(document, "address");
  const uint64_t port = uint_member(document, "port");
  registration.port = static_cast<uint16_t>(port);
  registration.net_namespace = text_member(document, "net_namespace");
  registration.started = text_member(document, "started");
  registration.version = text_member(document, "version");
  registration.key_name = text_member(document, "key_id");
  // The host becomes part of a file name.
  const std::string& host = registration.process.host;
  if (host.empty() || host.find('/') != std::string::npos || port > UINT16_MAX)
    return Status::error("it is no agent's registration");
  return registration;
}

Status write_registration(const std::string& run, const Registration& registration) {
  Status made = make_folder(run);
  if (!made.ok()) return made;
  return write_file(path_of(run, registration.process.host), registration_json(registration),
                    IfExists::Replace, {0600});
}

void remove_registration(const std::string& run, const Registration& registration) {
  const std::string path = path_of(run, registration.process.host);
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
    if (!registration.ok()) continue;
    const dumper::ProcessIdentity process = registration.value().process;
    if (name != process.host + ".json" ||
        dumper::process_state(process) == dumper::ProcessState::Dead)
      continue;
    found.emplace(process.host, std::move(registration.value()));
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
