// What ranks usually call: the call that followed, elsewhere in the run, on the same few calls before
// it. A training job repeats itself, so this tells which of two ranks that disagree is right, and who
// left the usual order. Reads the tables anew for each question; asked only about ties and circles.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/tables/run_tables.h"
#include "analysis/waits/passed_values.h"
#include "analysis/waits/stalls.h"

namespace lockstep::analysis {

// The one of `passed.groups` that passed what usually follows there, on earlier steps and on other
// communicators of as many ranks; none when that does not tell.
std::optional<size_t> usual_group(const RunTables& run, const Stall& stall,
                                  const PassedValues& passed);

// What the process of an operation called at such places before: after the same calls as here.
struct Precedent {
  bool never = false;  // it came to such places, and never called this there
  // Of the few places that are most like this one: how many there are, and in how many it called the same.
  uint32_t times = 0, same = 0;
};
enum class Sizes : uint8_t { Compared, Ignored };  // of what the calls move
// Linear in the calls of its process.
Precedent precedent_of(const RunTables& run, uint32_t operation, Sizes sizes);

// By process: the first of its last 512 calls that is out of order, and its next call on another
// communicator; kNoRow = it kept its order, or called nothing else. The sends and receives of a group call
// are one call. Linear in the operations.
struct Stray {
  uint32_t first = kNoRow, second = kNoRow;
};
std::vector<Stray> last_strays(const RunTables& run, Sizes sizes);

}  // namespace lockstep::analysis
