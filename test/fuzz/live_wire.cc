// What asker and agent read of each other: hellos and frame lengths of anybody, and of a peer with the
// key questions, ends, parts and registrations. What is understood says the same when it is written
// again; a part never leaves its folder.
#include "base/json.h"
#include "live/asker/relay_groups.h"
#include "live/registry/registration.h"
#include "live/wire/channel.h"
#include "live/wire/hello.h"
#include "live/wire/messages.h"

using namespace lockstep::live;

namespace {

const LiveKey& key() {
  static const LiveKey derived = *derive_live_key(lockstep::clocksync::SecretKey{});
  return derived;
}

void expect(bool holds) {
  if (!holds) __builtin_trap();
}

void hellos(const std::string& bytes) {
  if (const auto client = parse_client_hello(bytes)) {
    const std::string again = client_hello(key(), *client);
    expect(bytes.compare(0, bytes.size() - 32, again, 0, again.size() - 32) == 0);
    expect(is_proved(key(), bytes) == (bytes == again));
  }
  if (const auto server = parse_server_hello(bytes)) {
    const std::string again = server_hello(key(), *server, "client");
    expect(bytes.compare(0, bytes.size() - 32, again, 0, again.size() - 32) == 0);
    expect(is_proved(key(), bytes, "client") == (bytes == again));
  }
  if (bytes.size() >= 4) {
    const auto* length = reinterpret_cast<const uint8_t*>(bytes.data());
    expect(parse_frame_length(length, 17) <= kMostFrameBytes + 18);
  }
}

// The rows that one list is made of are exactly those that read as a list of objects.
void rows(const std::string& bytes) {
  lockstep::json::Document document;
  bool objects =
      lockstep::parse_json_list(bytes, &document) && bytes.front() == '[' && bytes.back() == ']';
  for (const auto& one : document.GetArray()) objects = objects && one.IsObject();
  expect(lockstep::is_list_of_objects(bytes) == objects);
}

void messages(const std::string& bytes) {
  const auto question = parse_question(bytes);
  if (question.ok()) {
    const std::string json = question_json(question.value());
    expect(question_json(parse_question(json).value()) == json);
  }
  const auto end = parse_end(bytes);
  if (end.ok()) expect(end_json(parse_end(end_json(end.value())).value()) == end_json(end.value()));
  if (const auto part = parse_part(bytes)) {
    expect(part->name.find("..") == std::string::npos ||
           part->name.find("/.") == std::string::npos);
    expect(part->name[0] != '/' && part->name[0] != '.');
    expect(part_frame(part->name, part->bytes) == bytes);
  }
  static_cast<void>(parse_relay_part(bytes, 7));
  if (const auto relay = parse_relay_arguments({"relay", bytes, "me@n1"}); relay.ok()) {
    const std::string json = relay_arguments(relay.value());
    expect(relay_arguments(parse_relay_arguments({"relay", json, "me@n1"}).value()) == json);
  }
  for (size_t hosts = 0; hosts < 3; ++hosts) {
    const auto rows = parse_relay_rows(bytes, hosts);
    if (rows.ok()) expect(parse_relay_rows(relay_rows(rows.value()), hosts).ok());
  }
  const auto registration = parse_registration(bytes);
  if (registration.ok()) {
    expect(registration.value().process.host.find('/') == std::string::npos);
    const std::string json = registration_json(registration.value());
    expect(registration_json(parse_registration(json).value()) == json);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  hellos(bytes);
  rows(bytes);
  messages(bytes);
  return 0;
}
