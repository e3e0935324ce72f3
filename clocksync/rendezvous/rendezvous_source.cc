#include "clocksync/rendezvous/rendezvous_source.h"

#include <arpa/inet.h>

#include <optional>

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

struct Place {
  std::string address;
  uint16_t port = 0;
};
// Nothing: no numeric address with a port.
std::optional<Place> place_of(const json::Value& object) {
  Place place{text_member(object, "address")};
  const uint64_t port = uint_member(object, "port");
  if (!numeric_address(place.address) || port == 0 || port > 65535) return std::nullopt;
  place.port = static_cast<uint16_t>(port);
  return place;
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
  if (!entry.further.empty()) {
    writer.Key("further");
    writer.StartArray();
    for (const FurtherAddress& one : entry.further) {
      writer.StartObject();
      text("interface", one.interface);
      text("address", one.address);
      writer.Key("port");
      writer.Uint(one.port);
      writer.EndObject();
    }
    writer.EndArray();
  }
  writer.EndObject();
  return buffer.GetString();
}

Result<HostEntry> entry_from_json(const std::string& text) {
  json::Document document;
  if (!parse_json(text, &document)) {
    return Status::error("rendezvous entry \"" + text.substr(0, 100) + "\" is not a JSON object");
  }
  HostEntry entry;
  entry.name = text_member(document, "host");
  entry.pod = text_member(document, "pod");
  const std::optional<Place> first = place_of(document);
  if (!plain_name(entry.name) || !first) {
    return Status::error("rendezvous entry \"" + text.substr(0, 100) +
                         "\": expected host, a numeric address and a port");
  }
  entry.address = first->address;
  entry.port = first->port;
  entry.id = host_id_of(entry.name);
  for (const json::Value& one : elements_of(document, "further")) {
    if (!one.IsObject() || entry.further.size() + 1 == kMostInterfaces) break;
    const std::string interface = text_member(one, "interface");
    const std::optional<Place> place = place_of(one);
    if (plain_name(interface) && place)
      entry.further.push_back({interface, place->address, place->port});
  }
  return entry;
}

}  // namespace lockstep::clocksync
