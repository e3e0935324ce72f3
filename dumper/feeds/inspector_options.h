// What the environment says to NVIDIA's Inspector plugin, honoured by ours: a script made for the
// one works with the other. Variables that only size its pools and rings are accepted and said to
// be unnecessary. Read once at the plugin's start.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dumper/options/config.h"

namespace lockstep::dumper {

struct InspectorOptions {
  bool enabled = false;
  bool p2p = true;
  bool at_end_only = false;  // the Inspector's dump thread switched off
  bool verbose = false;
  bool prometheus = false;  // metrics instead of JSON lines
  // Set to 1: operations without the GPU's own time are left out (and counted). Unset: they are
  // written, and say where their time comes from.
  bool require_kernel_timing = false;
  bool has_interval = false;
  uint64_t interval_us = 0;
  uint64_t min_size_bytes = 0;  // unlike the Inspector's 8192: everything unless asked
  std::string directory;
};

// Empty options unless NCCL_INSPECTOR_ENABLE is 1.
InspectorOptions read_inspector_options(const char* const* environment,
                                        std::vector<Notice>* notices);

}  // namespace lockstep::dumper
