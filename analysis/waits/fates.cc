#include "analysis/waits/fates.h"

#include <algorithm>
#include <cstdlib>

#include "analysis/tables/collectives.h"

namespace lockstep::analysis {
namespace {

// Shorter pauses before an end say nothing: processes of one job never end at one instant.
constexpr int64_t kSilence = 1'000'000'000;
// What a process recorded reaches the disk a dump interval later, which is a second where nobody chose
// another.
constexpr int64_t kOnItsWay = 2'000'000'000;
constexpr int64_t kLongLost = 5'000'000'000;

}  // namespace

Fates::Fates(const RunTables& run, const Actors& actors, const Heads& heads)
    : run_(run),
      actors_(actors),
      heads_(heads),
      fates_(run.processes.size()),
      waited_(run.processes.size()),
      ended_without_(run.processes.size(), kNoRow) {
  for (uint32_t actor = 0; actor < actors.size(); ++actor) {
    const uint32_t process = actors.process_of(actor);
    if (run.processes[process].life == Life::Dead && waited(actor)) waited_[process] = true;
  }
  find_behind();
  for (uint32_t process = 0; process < run.processes.size(); ++process)
    fates_[process] = fate_of(process);
}

bool Fates::waited(uint32_t actor) const {
  const int64_t end_ns = run_.processes[actors_.process_of(actor)].heard_ns;
  return std::any_of(heads_.of(actor).begin(), heads_.of(actor).end(), [&](const uint32_t head) {
    const OperationRow& row = run_.operations[head];
    if (row.state == OpState::Enqueued) return false;
    return end_ns - std::max(row.last_progress_ns, row.enqueue_ns) > kSilence;
  });
}

bool Fates::outlived(uint32_t process) const {
  const ProcessRow& dead = run_.processes[process];
  return std::any_of(run_.processes.begin(), run_.processes.end(), [&](const ProcessRow& other) {
    return other.life != Life::Dead &&
           (clock_key(other) != clock_key(dead) || other.heard_ns >= dead.heard_ns);
  });
}

int64_t Fates::silent_ns(uint32_t process) const {
  const ProcessRow& row = run_.processes[process];
  int64_t last_ns = kNoTime;
  for (const ProcessRow& other : run_.processes) {
    if (&other != &row && clock_key(other) == clock_key(row))
      last_ns = std::max(last_ns, other.heard_ns);
  }
  const int64_t by_clock_ns = last_ns == kNoTime ? kNoTime : last_ns - row.heard_ns;
  return std::max(by_clock_ns, quiet_longer_ns(process));
}

// On clocks that nothing connects: a process that stands still is heard of for long after its last record, and one that died
// is not. Each clock tells that of its own processes. kNoTime: that shows nothing.
int64_t Fates::quiet_longer_ns(uint32_t process) const {
  const auto quiet_ns = [](const ProcessRow& row) {
    return row.last_ns == kNoTime ? 0 : row.heard_ns - row.last_ns;
  };
  const uint64_t clock = clock_key(run_.processes[process]);
  int64_t longest_ns = kNoTime;
  for (const ProcessRow& row : run_.processes) {
    if (row.recovered == 0 || row.heard_ns == kNoTime) return kNoTime;
    if (clock_key(row) != clock)
      longest_ns = std::max(longest_ns, quiet_ns(row));
    else if (quiet_ns(row) > kSilence)
      return kNoTime;
  }
  const int64_t longer_ns =
      longest_ns == kNoTime ? kNoTime : longest_ns - quiet_ns(run_.processes[process]);
  return longer_ns >= kLongLost ? longer_ns : kNoTime;
}

// Its host went silent as a whole while others went on for long, and nothing that needed it ended after
// that: what it lacks was on its way to the disk.
bool Fates::lost_with_its_host(uint32_t process) const {
  const ProcessRow& row = run_.processes[process];
  if (silent_ns(process) < kLongLost) return false;
  const uint32_t ended = ended_without_[process];
  if (ended != kNoRow && run_.operations[ended].last_progress_ns > row.heard_ns + kOnItsWay)
    return false;
  return std::all_of(run_.processes.begin(), run_.processes.end(), [&](const ProcessRow& other) {
    return other.host != row.host ||
           (other.life == Life::Unknown && std::abs(other.heard_ns - row.heard_ns) < kOnItsWay);
  });
}

Fate Fates::fate_of(uint32_t process) const {
  const ProcessRow& row = run_.processes[process];
  if (row.life == Life::Stopped) return Fate::Stopped;
  if (row.life == Life::Dead && !waited_[process]) {
    if (outlived(process)) return Fate::Dead;
    // Everybody is dead: the end of the job. Saved memory tells until when each lived.
    if (row.recovered != 0 && silent_ns(process) > kSilence) return Fate::Silent;
  }
  if (row.life == Life::Unknown && lost_with_its_host(process)) return Fate::Silent;
  return ended_without_[process] != kNoRow ? Fate::Behind : Fate::Sound;
}

bool Fates::needs_everybody(const OperationRow& row) const {
  if (row.kind == OpKind::Assembled || row.replay > 1) return false;
  const std::string& func = run_.text(row.func);
  if (row.kind == OpKind::PointToPoint) return func == "Recv";
  return row.position != kNoRow && ends_together(func);
}

void Fates::find_behind() {
  for (const MatchRow& match : run_.matches) {
    if (match.arrivals >= match.expected) continue;
    for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i) {
      const uint32_t row = run_.arrivals[i].operation;
      const OperationRow& ended = run_.operations[row];
      if (ended.state == OpState::Done && needs_everybody(ended)) {
        note_absent(match, ended, row);
        break;
      }
    }
  }
}

void Fates::note_absent(const MatchRow& match, const OperationRow& ended, uint32_t row) {
  const CommunicatorRow& comm = run_.communicators[match.communicator];
  std::vector<int32_t> present;
  for (uint32_t i = match.first_arrival; i < match.first_arrival + match.arrivals; ++i)
    present.push_back(run_.arrivals[i].rank);
  std::sort(present.begin(), present.end());
  for (uint32_t i = comm.first_member; i < comm.first_member + comm.members; ++i) {
    const MemberRow& member = run_.members[i];
    if (std::binary_search(present.begin(), present.end(), member.rank)) continue;
    if (ended.kind == OpKind::PointToPoint && member.rank != ended.peer) continue;
    // A call that is missing among later ones was lost; that says nothing of where it stands.
    const bool reaches =
        ended.position != kNoRow && heads_.last_position(i) >= int64_t{ended.position};
    if (!reaches && member.process != kNoRow) ended_without_[member.process] = row;
  }
}

}  // namespace lockstep::analysis
