// What CPython publishes at `_PyRuntime`: of 3.13 what 3.13.0 does on x86-64; of 3.14, which puts more words between
// them (Include/internal/pycore_debug_offsets.h at v3.14.0), the same structures.
#pragma once

#include <cstring>

#include "live/stacks/python_layout.h"

namespace lockstep::live {

inline PublishedOffsets published_3_13() {
  PublishedOffsets published{
      0,      0x30d00f0, 0,    // cookie, version, free-threaded
      283320, 608,       632,  // runtime
      194968, 7272,      7264, 7344, 7400, 7656, 7640, 7648, 16,  7752,
      0,      7768,      7760,                                          // interpreter
      304,    0,         8,    16,   72,   152,  160,  232,  32,        // thread
      80,     8,         0,    56,   72,   70,                          // frame
      208,    112,       120,  128,  136,  68,   52,   96,   104, 200,  // code
      16,     8,                                                        // object
      416,    24,        88,   168,                                     // type
      32,     24,        16,   40,   24,   16,   48,   32,   40,  24,
      16,     32,        16,   24,  // tuple, list, dict, float, long
      40,     16,        32,        // bytes
      64,     32,        16,   40,  // unicode
      240,    200};                 // gc
  std::memcpy(published.data(), "xdebugpy", 8);
  return published;
}

inline PublishedOffsets published_3_14() {
  const PublishedOffsets old = published_3_13();
  PublishedOffsets published{old[0], 0x030e00f0, old[2]};
  size_t at = 3;
  const auto copy = [&](size_t first, size_t end) {
    while (first < end) published[at++] = old[first++];
  };
  copy(3, 10);
  published[at++] = 0;  // threads_main
  copy(10, 19);
  at += 2;  // the generations of code objects and of their copies
  copy(19, 34);
  at += 2;  // stackpointer, tlbc_index
  copy(34, 44);
  at += 1;  // co_tlbc
  copy(44, 56);
  at += 4;  // sets
  copy(56, 73);
  return published;
}

}  // namespace lockstep::live
