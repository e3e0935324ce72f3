// What a program asks its machine: its name, the time of day as text, random numbers, a small file.
// Cold code, any thread; reads only, and waits for nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "lockstep/status.h"

namespace lockstep {

// The machine's own name; `unknown` when it has none.
std::string this_host();

// As strftime(), in UTC; of an instant in ns since 1970.
std::string utc_text(const char* format, int64_t real_ns);

// From the kernel. Where it refuses, or has none yet early at boot, from the clock and the process id:
// then good for names, not for secrets. Never 0.
uint64_t random_u64();

// Where a symbolic link leads; empty when there is none.
std::string link_target(const std::string& path);

// All of it, zero bytes included. The error is the reason alone: it cannot be opened, is no ordinary
// file, or holds more than `limit` bytes.
Result<std::string> read_small_file(const std::string& path, size_t limit);

}  // namespace lockstep
