#include "clocksync/rendezvous/rendezvous_source.h"

#include <arpa/inet.h>

#include "base/json.h"
#include "clocksync/wire/packet_auth.h"

namespace lockstep::clocksync {
namespace {

bool numeric_address(const std::string& text) {
  unsigned char bytes[16];
  return inet_pton(AF_INET, text.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

// A host's name becomes a file name: nothing that could leave a directory or break a line.
bool plain_name(const std::string& name) {
  if (name.empty() || name.size() > 255 || name[0] == '.') return false;
  for (char c : name) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '/' || c == '"' || c == '\\') return false;
  }
  return true;
}

}  // namespace

std::string entry_to_json(const HostEntry& entry) {
  json::StringBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  const auto text = [&writer](const char* key, const std::string& value) {
    writer.Key(key);
    writer.String(value.data(), static_cast<json::SizeType>(value.size()));
  };
  text("host", entry.name);
  text("address", entry.address);
  writer.Key("port");
  writer.Uint(entry.port);
  text("pod", entry.pod);
  writer.EndObject();
  return buffer.GetString();
}

Result<HostEntry> entry_from_json(const std::string& text) {
  json::Document document;
  document.Parse<json::kParseIterativeFlag>(text.data(), text.size());
  const auto string_at = [&document](const char* key) {
    const bool there = document.HasMember(key) && document[key].IsString();
    return there ? std::string(document[key].GetString(), document[key].GetStringLength()) : "";
  };
  if (document.HasParseError() || !document.IsObject()) {
    return Status::error("rendezvous entry \"" + text.substr(0, 100) + "\" is not a JSON object");
  }
  HostEntry entry;
  entry.name = string_at("host");
  entry.address = string_at("address");
  entry.pod = string_at("pod");
  const bool has_port = document.HasMember("port") && document["port"].IsUint();
  const unsigned port = has_port ? document["port"].GetUint() : 0;
  if (!plain_name(entry.name) || !numeric_address(entry.address) || port == 0 || port > 65535) {
    return Status::error("rendezvous entry \"" + text.substr(0, 100) +
                         "\": expected host, a numeric address and a port");
  }
  entry.port = static_cast<uint16_t>(port);
  entry.id = host_id_of(entry.name);
  return entry;
}

}  // namespace lockstep::clocksync
