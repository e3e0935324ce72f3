// Moves a file to another file system so that it can be interrupted at any point and called again:
// the copy grows under a name of its own, continues where it was, is read back and compared by
// checksum, and only then gets its name and the original goes.
#pragma once

#include <cstdint>
#include <string>

#include "lockstep/status.h"

namespace lockstep::cli {

// The result is how many bytes were copied now.
Result<uint64_t> move_file(const std::string& from, const std::string& to);

}  // namespace lockstep::cli
