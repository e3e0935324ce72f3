// A finding: one thing that is wrong in a run, as facts: who is to blame, how sure that is and what
// it rests on. Made by judge(); analysis/say turns it into the sentences that people read, so that
// nothing here is English. Plain data; rows are rows of the RunTables it was made from.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "analysis/account/slower.h"
#include "analysis/judge/evidence.h"
#include "analysis/paths/transfer_excess.h"
#include "analysis/tables/tables.h"
#include "analysis/waits/shifted_calls.h"
#include "analysis/whatif/when_late.h"

namespace lockstep::analysis {

enum class FindingKind : uint8_t {
  MissingRank,         // never entered the operation
  DeadProcess,         // its process is gone
  WrongOrder,          // entered another operation
  Mismatch,            // sizes, types or roots differ
  Deadlock,            // ranks wait for each other in several communicators
  StuckInTransport,    // all are inside, data does not arrive
  StuckOnGpu,          // all are inside, a kernel never began or a GPU takes no data
  Aborted,             // gave up its communicator while the others were inside
  Straggler,           // comes last again and again
  SlowLink,            // its sends take far longer than everybody else's
  SlowProxy,           // its proxy thread falls behind
  MachineOverloaded,   // a host has too few processors for all that runs there: no rank is to blame
  Standstill,          // nobody calls anything, and all called the same
  SlowGpu,             // its GPU takes long to move data
  SlowerThanExpected,  // collectives take longer than the run's own say, and nothing else tells why
};
// As JSON and people read them.
constexpr const char* kFindingKindNames[] = {
    "missing_rank",       "dead_process",       "wrong_order", "mismatch",  "deadlock",
    "stuck_in_transport", "stuck_on_gpu",       "aborted",     "straggler", "slow_link",
    "slow_proxy",         "machine_overloaded", "standstill",  "slow_gpu",  "slower_than_expected"};
inline const char* name_of(FindingKind kind) {
  return kFindingKindNames[static_cast<unsigned>(kind)];
}

// What was seen where an operation stands still.
enum class StallClue : uint8_t {
  NeverCalled,
  NotRecorded,  // nothing is known of the ranks that may be missing
  Behind,       // nor of these, whose recordings end before the others'
  Died,
  Stopped,  // by a signal
  Silent,   // gave no sign of life long before the others' last
  OtherCall,
  OtherValues,     // those of `named` differ from the others'
  NoCommonValues,  // they differ from each other, and none has more ranks than the next
  GaveUp,
  KernelNeverBegan,
  EndsBeforeNotKnown,  // the kernels of `named` never began, nor does anything tell when what came `before` them ended
  DataNeverArrived,  // from `named` to `peer`
  HostCutOff,        // neither what the host of `named` sent arrived nor what was sent to it
  NoCredit,          // `peer` has data for `named`, which gives no room
  GpuStandsStill,
  DataNeverLeft,   // `named` has what it should send
  NotTakenOrLeft,  // or the next host of its ring or tree does not take it
  NoNetworkOperation,
  StepsNotRecorded,
  AllWaitForData,
  Circle,       // they wait for each other in several operations
  NobodyCalls,  // anything, for far longer than ever before
};

// An operation that stands still.
struct StallFacts {
  StallClue clue = StallClue::NeverCalled;
  uint32_t operation = kNoRow;   // that the ranks wait in
  std::vector<int32_t> waiting;  // inside it
  std::vector<int32_t> named;    // whom the clue is about
  std::vector<int32_t> held;     // did not enter it either, but are held up elsewhere
  uint32_t other = kNoRow;       // OtherCall: what was called instead
  Shift shift = Shift::None;     // OtherCall, OtherValues: of the calls of `named`
  int32_t peer = -1;
  std::vector<uint32_t> before;  // EndsBeforeNotKnown: operations of one of `named`
  std::vector<uint32_t> circle;  // Circle: the operations,
  // and the processes that stand in them: not known where no ends are recorded.
  std::vector<uint32_t> inside_circle;
  bool one_of = false;         // of those named one is to blame, and which is not known
  bool by_calls = false;       // nothing recorded tells when operations end
  int64_t usual_pause_ns = 0;  // NobodyCalls: the longest before
  bool too_soon = false;       // the recording ends so soon that it may mean nothing
};
// Ranks that passed different sizes.
struct SizeFacts {
  uint32_t operation = kNoRow;  // the first such
  bool ended = false;           // it ended all the same
  Shift shift = Shift::None;    // of the culprits' calls
  bool one_of = false;          // of the culprits some are to blame, and which is not known
  uint32_t times = 1;
};
// One rank, or several that come last together.
struct LateFacts {
  Text host = 0;
  bool whole_host = false;  // they are all that the host has in the communicator
  uint64_t late = 0, operations = 0;
  bool grouped = false;  // these are group calls of several operations each
  int64_t typical_ns = 0, caused_wait_ns = 0;
  int64_t gain_ns = 0;          // without it the run would be so much shorter,
  double gain_share = 0;        // as a part of the run's time
  LatePattern pattern;          // when in the run
  bool alone = false;           // no rank does the same work: compared with itself over time
  bool assumed_clocks = false;  // nothing connects the hosts' clocks (relate/assumed_clocks.h)
  bool gain_at_most = false;    // calls run ahead, and what the others lost is not recorded
  // Of its lateness, the share that data which came late would explain as well.
  double held = 0;
  Cause cause = Cause::Unknown;
  uint64_t passed_on = 0;  // operations that others were late for because of it
  int64_t passed_on_wait_ns = 0;
  uint32_t elsewhere = 0;  // other communicators it is late on
};
struct PathFacts {
  Text host = 0;
  bool never_waits = false;
  double factor = 0;
  int64_t own_ns = 0, others_ns = 0;  // per operation
  // Where the replay found it: what is slow, and what that costs.
  bool replayed = false, whole_host = false;
  bool both_ends = false;  // what the culprits exchange: they are two ranks, or those of two hosts
  bool inside_host = false;  // most of it passes no network; of both ends: they are on one host
  SlowSide side = SlowSide::SenderOrLink;
  int32_t peer = -1;       // at the other end, where only one edge is slow
  Text peer_host = 0;      // likewise, where only the edges between two hosts are
  bool both_ways = false;  // in both directions, and what the other end exchanges else is not
  bool steps = false;      // network steps were recorded, and tell no more than this
  int64_t gain_ns = 0;     // without it the run would be so much shorter,
  double gain_share = 0;   // as a part of the run's time
  int64_t sent_again = 0, sent = 0;  // TCP segments of the host, where these show it and no steps
  // By network steps: so long its proxy thread takes to come round, and those of others; 0: that tells nothing.
  int64_t round_ns = 0, others_round_ns = 0;
};

// A host whose processors are too few.
struct MachineFacts {
  Text host = 0;
  int64_t processors = 0;
  double runnable = 0;  // threads that could run, on average
  // So long they waited for a processor of the time they were late.
  int64_t wait_ns = 0, late_ns = 0;
  // So long the threads that serve the network did, where transfers took longer for it.
  int64_t serving_wait_ns = 0;
  int64_t gain_ns = 0;    // without that the run would be so much shorter,
  double gain_share = 0;  // as a part of its time
};

// Collectives that take longer than expected: nobody is to blame as far as the recording tells.
struct SlowerFacts {
  SlowerThanExpected slower;
  double factor = 0;      // of the kind that costs most: what it took, against what was expected
  double gain_share = 0;  // of the run's time
};

// An operation that stands still only because of what a finding is about.
struct Consequence {
  uint32_t operation = kNoRow;
  std::vector<int32_t> waiting;  // inside it
  std::vector<int32_t> held;     // who did not enter it, and why it waits
};

struct Finding {
  FindingKind kind = FindingKind::MissingRank;
  uint32_t communicator = kNoRow;
  Text func = 0;
  uint32_t ordinal = 0;
  std::vector<int32_t> ranks;                // affected: those that wait
  std::vector<int32_t> culprits;             // ranks of the communicator above
  std::vector<uint32_t> culprits_elsewhere;  // rows of `members`: those that have no rank there
  double since_s = 0;     // how long nothing has moved; stragglers: the time lost in all
  double confidence = 0;  // 0..1
  std::variant<StallFacts, SizeFacts, LateFacts, PathFacts, MachineFacts, SlowerFacts> facts;
  std::optional<WhyFacts> why;  // findings about lateness, once explain() has been asked
  std::vector<Evidence> evidence;
  std::vector<Consequence> consequences;  // what it blocks itself comes first
};

// Without what it is about the run would be shorter by this part; below 0: not known.
inline double cost_share(const Finding& finding) {
  if (const auto* late = std::get_if<LateFacts>(&finding.facts)) return late->gain_share;
  if (const auto* machine = std::get_if<MachineFacts>(&finding.facts)) return machine->gain_share;
  if (const auto* slower = std::get_if<SlowerFacts>(&finding.facts)) return slower->gain_share;
  if (const auto* path = std::get_if<PathFacts>(&finding.facts))
    if (path->replayed) return path->gain_share;
  return -1;
}

// Its rank came late, or what the rank received: which of both is a matter of chance.
inline bool data_may_be_late(const Finding& finding) {
  const auto* late = std::get_if<LateFacts>(&finding.facts);
  return late != nullptr && late->held >= 0.5;
}

}  // namespace lockstep::analysis
