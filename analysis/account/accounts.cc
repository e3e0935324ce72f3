#include "analysis/account/accounts.h"

#include "analysis/account/critical_path.h"
#include "analysis/account/path_gains.h"
#include "analysis/account/peer_traffic.h"

namespace lockstep::analysis {

Accounts add_accounts(RunTables* run) {
  Accounts made;
  made.followed = follow_run(*run);
  const OwnSegments& own = made.followed.own;
  made.expected = find_expected_times(*run, own);
  const PathExcesses excesses{made.followed.excesses.ns, made.expected.excess_ns};
  run->critical_path = find_critical_path(*run, own, excesses);
  run->path_gains = find_path_gains(*run, own, excesses, run->critical_path);
  run->after_set_up_ns = own.after_set_up().length_ns();
  run->expected_times = made.expected.rows;
  run->peer_traffic = find_peer_traffic(*run);
  return made;
}

}  // namespace lockstep::analysis
