// What NCCL's RAS service said, for people.
#pragma once

#include <string>

#include "live/ras/ras_report.h"

namespace lockstep::cli {

// Each communicator with its ranks, those that launched the same in one line, and those that did not
// answer.
std::string ras_text(const live::RasReport& report);
// All ranks answered, and none has an error or gave up.
bool all_well(const live::RasReport& report);

}  // namespace lockstep::cli
