// A set of kinds of events has a bit for each, as in NCCL's activation mask.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/event.h"

namespace lockstep {

constexpr uint32_t kind_bit(Kind kind) { return 1u << static_cast<unsigned>(kind); }

inline std::vector<std::string> kind_names(uint32_t kinds) {
  std::vector<std::string> names;
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    if ((kinds >> kind & 1u) != 0) names.emplace_back(kKindNames[kind]);
  }
  return names;
}

}  // namespace lockstep
