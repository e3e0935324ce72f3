// docs/configuration.md, made from the table of options so that it cannot go stale; a test compares
// the two.
#pragma once

#include <string>

namespace lockstep::cli {

std::string configuration_markdown();

}  // namespace lockstep::cli
