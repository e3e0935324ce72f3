// Whether a late call may be what the operation before brought late. Where no end of it is recorded, the
// time that its data took and the time that the rank's own code took are one stretch. They can be told
// apart where the job runs ahead: if another rank called the late operation while the one before had not
// even begun, calls there wait for nothing, and the rank's own code was late. Nor is data of a collective that all
// have at once late by far on one of them.
#pragma once

#include "analysis/follow/roles.h"
#include "analysis/whatif/culprits.h"

namespace lockstep::analysis {

struct HeldCalls {
  double share = 0;  // of a culprit's excess: data may have brought it as well, 0 to 1
  // Others call most operations while the one before has not begun: a late call then costs them less than it is late.
  bool run_ahead = false;
};
HeldCalls held_calls_of(const RunTables& run, const OwnSegments& own, const Roles& roles,
                        const Culprit& culprit);

}  // namespace lockstep::analysis
