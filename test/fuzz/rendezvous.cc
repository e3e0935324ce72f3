// What the rendezvous learns of other hosts: entries from a socket or a shared folder, and lists of
// names from the job's environment.
#include "clocksync/rendezvous/host_list.h"
#include "clocksync/rendezvous/rendezvous_source.h"

using namespace lockstep::clocksync;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto entry = entry_from_json(text);
  if (entry.ok()) {
    // The name becomes part of a file name.
    if (entry.value().name.find('/') != std::string::npos) __builtin_trap();
    const auto again = entry_from_json(entry_to_json(entry.value()));
    if (!again.ok() || !(again.value() == entry.value())) __builtin_trap();
  }
  static_cast<void>(parse_host_port(text));
  static_cast<void>(expand_nodelist(text));
  return 0;
}
