#include "analysis/whatif/followed_run.h"

#include "analysis/whatif/held_ends.h"
#include "analysis/whatif/overlapped_work.h"
#include "analysis/whatif/peers_ahead.h"
#include "analysis/whatif/predecessors.h"

namespace lockstep::analysis {

FollowedRun follow_run(const RunTables& run) {
  FollowedRun followed;
  followed.own = find_own_segments(run);
  followed.roles = find_roles(run, followed.own);
  choose_predecessors(followed.roles, &followed.own);
  find_held_ends(run, followed.roles, &followed.own);
  followed.excesses = measure_excesses(run, followed.own, followed.roles);
  bound_by_intervals(run, followed.own, followed.roles, &followed.excesses);
  forgive_leads_of_peers(run, followed.own, &followed.excesses);
  return followed;
}

}  // namespace lockstep::analysis
