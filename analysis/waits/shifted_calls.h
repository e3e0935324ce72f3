// Whether one rank's calls on a communicator are another's, moved by one place: then it made one call
// more there, or left one out, and whatever the two disagree about later follows from that. A pure
// function of the tables, linear in the operations; asked only where ranks disagree.
#pragma once

#include <cstdint>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

enum class Shift : uint8_t {
  None,     // nothing shows one
  OneMore,  // its calls come one place later than the other's
  OneLess,  // one place earlier
};

// Of the rank of `odd` against that of `other`, from where they called these two: operations at one
// place of one communicator. Shown only where they disagree at a later place, too, and nowhere once
// moved.
Shift shift_of(const RunTables& run, uint32_t odd, uint32_t other);

}  // namespace lockstep::analysis
