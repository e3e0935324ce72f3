// Which kinds to record in this process, from what the user said, what the feeds need and what is
// known of the library that loaded us. A plain function of its arguments; called once, at the first
// init.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plugin/process/host_library.h"

namespace lockstep::plugin {

struct KindRequest {
  uint32_t events = 0;  // LOCKSTEP_EVENTS, or its default
  bool given = false;   // it was set, and is no default
  uint32_t needed = 0;  // by the feeds that were asked for
  int table = 0;        // version of the table that the library bound
};

struct KindChoice {
  uint32_t wanted = 0;
  uint32_t known = 0;              // bits of the mask whose meaning is known; no other is asked for
  std::vector<std::string> notes;  // sentences: where the choice is not the user's or the default
};

KindChoice choose_kinds(const KindRequest& request, const HostLibrary& library);

// "2.31.2" of 23102.
std::string version_text(uint32_t version);

}  // namespace lockstep::plugin
