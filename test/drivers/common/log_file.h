// The text of a file, plain or zstd-compressed (told by its first bytes), up to a limit. Cold code,
// any thread.
#pragma once

#include <cstddef>
#include <string>

#include "lockstep/status.h"

namespace lockstep::driver {

Result<std::string> read_text_file(const std::string& path, size_t limit_bytes);

}  // namespace lockstep::driver
