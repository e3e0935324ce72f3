#include "test/drivers/common/counts.h"

namespace lockstep::driver {

void CountSum::add(const CallCounts& counts) {
  for (unsigned call = 0; call < kCalls; ++call) {
    for (unsigned kind = 0; kind <= kKinds; ++kind) {
      calls[call][kind] += counts.calls[call][kind].load(std::memory_order_relaxed);
    }
  }
  inits += counts.inits.load(std::memory_order_relaxed);
  finalizes += counts.finalizes.load(std::memory_order_relaxed);
}

std::string CountSum::json_members() const {
  std::string json =
      "\"communicators\":" + std::to_string(inits) + ",\"finalizes\":" + std::to_string(finalizes);
  for (unsigned call = 0; call < kCalls; ++call) {
    json += std::string(",\"") + kCallNames[call] + "\":{";
    const char* separator = "";
    for (unsigned kind = 0; kind <= kKinds; ++kind) {
      if (calls[call][kind] == 0) continue;
      json += std::string(separator) + "\"" + kKindNames[kind] +
              "\":" + std::to_string(calls[call][kind]);
      separator = ",";
    }
    json += "}";
  }
  return json;
}

}  // namespace lockstep::driver
