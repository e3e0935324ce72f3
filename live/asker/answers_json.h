// What hosts answered, as JSON for whoever hands it on. Pure functions.
#pragma once

#include <string>

#include "live/asker/ask_all.h"

namespace lockstep {
class JsonFields;
}

namespace lockstep::live {

// All hosts' rows in one JSON array.
std::string all_rows(const Answers& answers);
// "hosts_asked", "hosts_answered", "failed": [{"host", "reason"}], "oldest_data_ns" and "bytes", into an object
// that has begun.
void put_answers(const Answers& answers, JsonFields* out);

}  // namespace lockstep::live
