// What `lockstep --version` prints.
#pragma once

#include <string>

namespace lockstep::cli {

// "lockstep 0.1.0 (commit 6b3ec5034c2a)"; without a commit when it was built outside git.
std::string version_text();

}  // namespace lockstep::cli
