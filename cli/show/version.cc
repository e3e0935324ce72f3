#include "cli/show/version.h"

#include "lockstep/version.h"

#ifndef LOCKSTEP_COMMIT  // the Makefile's, for this source alone
#define LOCKSTEP_COMMIT ""
#endif

namespace lockstep::cli {

std::string version_text() {
  const std::string commit = LOCKSTEP_COMMIT;
  return std::string("lockstep ") + kVersion + (commit.empty() ? "" : " (commit " + commit + ")");
}

}  // namespace lockstep::cli
