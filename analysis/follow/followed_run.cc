#include "analysis/follow/followed_run.h"

#include "analysis/follow/held_ends.h"
#include "analysis/follow/overlapped_work.h"
#include "analysis/follow/peers_ahead.h"
#include "analysis/follow/predecessors.h"

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
