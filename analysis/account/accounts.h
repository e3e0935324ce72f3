// The tables of a run that cost a replay (tables_account.h), all at once. Called by commands that show or
// export them; what only judges needs none of it. One thread.
#pragma once

#include "analysis/account/expected_times.h"
#include "analysis/follow/followed_run.h"

namespace lockstep::analysis {

// What they rest on, for who asks more of it.
struct Accounts {
  FollowedRun followed;
  ExpectedTimes expected;
};

// Fills critical_path, path_gains, expected_times and peer_traffic.
Accounts add_accounts(RunTables* run);

}  // namespace lockstep::analysis
