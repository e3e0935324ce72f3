#include "analysis/say/evidence.h"

#include "analysis/say/names.h"
#include "analysis/say/words.h"
#include "analysis/tables/labels.h"
#include "lockstep/record_shape.h"

namespace lockstep::analysis {
namespace {

class Line {
 public:
  // Its communicator and function are the finding's, which the lines need not repeat.
  Line(const RunTables& run, const Finding& finding)
      : run_(run), communicator_(finding.communicator), func_(finding.func) {}

  std::string operator()(const DeathSeen& seen) const {
    const ProcessRow& dead = run_.processes[seen.process];
    std::string text = "processes: " + rank_name(seen.rank) + ", pid " + std::to_string(dead.pid) +
                       " on " + run_.text(dead.host) + ", is gone and never closed its recording";
    if (seen.silent_ns != kNoTime)
      text += "; its last record is " + duration(seen.silent_ns) +
              " older than the others' last sign of life";
    return text;
  }
  std::string operator()(const SilenceSeen& seen) const {
    return "processes: the last sign of life of " + rank_name(seen.rank) + ", pid " +
           std::to_string(run_.processes[seen.process].pid) + ", is " + duration(seen.silent_ns) +
           " older than the others'";
  }
  std::string operator()(const HaltSeen& seen) const {
    const ProcessRow& process = run_.processes[seen.process];
    return "processes: " + rank_name(seen.rank) + ", pid " + std::to_string(process.pid) + " on " +
           run_.text(process.host) +
           (process.life == Life::Stopped
                ? ", is stopped by a signal (state T): SIGCONT lets it go on"
                : ", waits inside the kernel (state D), as for a disk or a driver");
  }
  std::string operator()(const KilledWhileWaiting& seen) const {
    return "processes: " + rank_list(seen.ranks) +
           " died after waiting inside, as when a watchdog ends a hang";
  }
  std::string operator()(const OtherCall& seen) const {
    const OperationRow& row = run_.operations[seen.operation];
    return "operations: " + rank_name(seen.rank) + " called " + operation_name(run_, row) +
           " as collective " + std::to_string(row.position) +
           " of this communicator, where the others called " +
           operation_name(run_, run_.operations[seen.expected]);
  }
  std::string operator()(const ValuesPassed& seen) const {
    const OperationRow& row = run_.operations[seen.operation];
    std::string text =
        "operations: " + rank_list(seen.ranks) + " passed " + counted(row.size_bytes, "byte");
    if (seen.bytes_only) return text;
    text += " of " + run_.text(row.datatype);
    if (row.kind == OpKind::Collective && row.peer > 0)
      text += ", root " + std::to_string(row.peer);
    return text;
  }
  std::string operator()(const UsualCall& seen) const {
    return "operations: what " + rank_list(seen.ranks) +
           " passed is what follows here in earlier steps or on other communicators";
  }
  std::string operator()(const NeverCalled& seen) const {
    std::string text = "operations: " + rank_name(seen.rank) + " has no row for it";
    if (seen.last == kNoRow) return text;
    const OperationRow& last = run_.operations[seen.last];
    return text + "; its last on this communicator is " + operation_name(run_, last) + ", " +
           kOpStateNames[static_cast<unsigned>(last.state)];
  }
  std::string operator()(const EarlyFinalize& seen) const {
    return "members: " + rank_name(seen.rank) + " finalized its communicator " +
           duration(seen.ahead_ns) + " before the others";
  }
  std::string operator()(const OpenTransport& seen) const {
    const OpenTransportRow& row = run_.open_transports[seen.row];
    const std::string idle = duration(seen.idle_ns);
    return "open_transports: " + rank_name(row.rank) + (row.is_send != 0 ? " to " : " from ") +
           rank_name(row.peer) + ", channel " + std::to_string(row.channel) + ": " +
           std::to_string(row.steps_done) + " of " + std::to_string(row.steps_planned) +
           " steps done, " +
           (row.last_state == kNoState
                ? "no step state recorded, idle for " + idle
                : "in " + std::string(kStateNames[row.last_state]) + " for " + idle);
  }
  std::string operator()(const LastProgress& seen) const {
    const OperationRow& row = run_.operations[seen.operation];
    return "operations: " + rank_name(seen.rank) + ", event " + hex_text(row.event_id) + ", " +
           operation_name(run_, row) + " " + kOpStateNames[static_cast<unsigned>(row.state)] +
           ", last progress " + duration(seen.idle_ns) + " before the end of the recording";
  }
  std::string operator()(const LateArrival& seen) const {
    const ArrivalRow& arrival = run_.arrivals[seen.late.arrival];
    const bool here = run_.matches[seen.late.match].communicator == communicator_;
    return "matches: in " +
           (here ? operation_name(run_, run_.operations[arrival.operation])
                 : operation_on(run_, arrival.operation)) +
           ", " + rank_name(arrival.rank) + " arrived " + duration(seen.late.excess_ns) +
           " after the median of the others (" +
           kCauseNames[static_cast<unsigned>(seen.late.cause)] + "); row " +
           std::to_string(seen.late.match) + ", " +
           counted(run_.matches[seen.late.match].arrivals, "rank");
  }
  std::string operator()(const LateElsewhere& seen) const {
    const RankBlame& rank = seen.rank;
    return "communicators: also late on " + communicator_label(run_, rank.communicator) + ", as " +
           rank_name(rank.rank) + ", in " + std::to_string(rank.late) + " of " +
           counted(rank.operations, "operation") + ", typically by " + duration(rank.typical_ns);
  }
  std::string operator()(const SlowColumn& seen) const {
    const char* const columns[] = {
        "network_ns, lower quartile", "proxy_lag_ns, lower quartile",
        "gpu_wait_ns + receive_wait_ns + peer_wait_ns + network_ns, median"};
    return "operations: " + std::string(columns[static_cast<unsigned>(seen.name)]) + " of " +
           counted(seen.operations, "operation") + ": " + rank_name(seen.rank) + " " +
           duration(seen.own_ns) + ", the other ranks " + duration(seen.others_ns);
  }
  std::string operator()(const RasSeen& seen) const {
    std::string who = "RAS: " + rank_name(seen.rank) + ", pid " +
                      std::to_string(run_.processes[seen.process].pid) + ", ";
    switch (seen.said) {
      case RasSeen::Said::ConsideredDead:
        return who + "is considered dead by NCCL";
      case RasSeen::Said::Unresponsive:
        return who + "does not answer NCCL";
      case RasSeen::Said::Answers:
        return who + "answers NCCL and has launched " + run_.text(func_) + " " +
               (seen.launched == 1 ? "once" : std::to_string(seen.launched) + " times") +
               ": its process lives, and its thread is outside NCCL";
    }
    return who;
  }

 private:
  const RunTables& run_;
  const uint32_t communicator_;
  const Text func_;
};

}  // namespace

std::vector<std::string> evidence_lines(const RunTables& run, const Finding& finding) {
  std::vector<std::string> lines;
  for (const Evidence& evidence : finding.evidence)
    lines.push_back(std::visit(Line(run, finding), evidence));
  return lines;
}

}  // namespace lockstep::analysis
