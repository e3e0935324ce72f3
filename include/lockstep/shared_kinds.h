// Kinds inside an operation that may be recorded of one operation in so many only (LOCKSTEP_EVENTS=step:1/16).
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

#include "lockstep/event.h"
#include "lockstep/kind_mask.h"

namespace lockstep {

constexpr uint32_t kSharedKinds =
    kind_bit(Kind::ProxyStep) | kind_bit(Kind::NetPlugin) | kind_bit(Kind::KernelPhase);
// In the text of the option, before the number.
constexpr const char* kShareText = ":1/";

// They are recorded of one operation in so many, by the text of the option; 1 where it names no share.
inline uint32_t one_operation_in(std::string_view events) {
  const size_t at = events.find(kShareText);
  uint32_t one_in = 1;
  if (at == std::string_view::npos) return one_in;
  events.remove_prefix(at + std::string_view(kShareText).size());
  std::from_chars(events.data(), events.data() + events.size(), one_in);
  return one_in;
}

}  // namespace lockstep
