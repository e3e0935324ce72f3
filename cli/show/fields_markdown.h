// The list of fields in docs/format.md, made from the table of fields (lockstep/record_fields.h) so
// that it cannot go stale; test/cli/format.sh compares the two.
#pragma once

#include <string>

namespace lockstep::cli {

std::string fields_markdown();

}  // namespace lockstep::cli
