// The version of the library and the command, as `lockstep --version` prints it and every segment's
// facts carry it.
#pragma once

namespace lockstep {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace lockstep
