#include "analysis/say/evidence.h"

#include <algorithm>

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
    return "matches: in " + named(arrival.operation) + ", " + rank_name(arrival.rank) +
           " arrived " + duration(seen.late.excess_ns) + " after the median of the others (" +
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
    return "operations: " + column_name(seen.name) +
           (seen.name == SlowColumn::Name::Waits ? ", median" : ", lower quartile") + " of " +
           counted(seen.operations, "operation") + ": " + rank_name(seen.rank) + " " +
           duration(seen.own_ns) + ", the other ranks " + duration(seen.others_ns);
  }
  std::string operator()(const SlowOperation& seen) const {
    const OperationRow& row = run_.operations[seen.operation];
    return "operations: in " + operation_name(run_, row) + ", " + column_name(seen.column) +
           " of " + rank_name(row.rank) + " is " + duration(seen.own_ns);
  }
  std::string operator()(const TransfersSeen& seen) const {
    const MatchRow& match = run_.matches[seen.match];
    const std::string on = match.communicator == communicator_
                               ? ""
                               : " on " + communicator_label(run_, match.communicator);
    return "matches: transfers " + way(seen) + " take " + duration(seen.own_ns) +
           " per operation where " + duration(seen.usual_ns) + " is usual (" +
           run_.text(match.func) + " of " + bytes(match.size_bytes) + on + ", " +
           counted(seen.operations, "operation") + ")";
  }
  std::string operator()(const TransferSeen& seen) const {
    const MatchRow& match = run_.matches[seen.match];
    return "matches: " + named(run_.arrivals[match.first_arrival].operation) + ", " +
           duration(seen.took_ns) + " from its last arrival to its end where " +
           duration(seen.usual_ns) + " is usual; row " + std::to_string(seen.match) + ", " +
           counted(match.arrivals, "rank");
  }
  std::string operator()(const KindSlower& seen) const {
    const ExpectedTimeRow& row = seen.kind.row;
    const std::string on = row.communicator == communicator_
                               ? ""
                               : " on " + communicator_label(run_, row.communicator);
    std::string how;
    for (const Text name : {row.algo, row.proto}) {
      if (name != 0) how += ", " + run_.text(name);
    }
    const double factor =
        static_cast<double>(seen.kind.took_ns) / static_cast<double>(row.expected_ns);
    return "expected_times: " + run_.text(row.func) + " of " + bytes(row.size_bytes) + on + how +
           ": the slow ones, " + std::to_string(row.slow) + " of " +
           counted(row.operations, "operation") + ", took " + duration(seen.kind.took_ns) +
           " at their median where " + duration(row.expected_ns) + " is expected, " +
           times(factor) + " as long";
  }
  std::string operator()(const HostCrowded& seen) const {
    return "host_load: " + one_decimal(seen.runnable) + " threads could run on the " +
           counted(count_of(seen.processors), "processor") + of_host(seen.process) +
           ", the mean of " + counted(count_of(seen.samples), "sample");
  }
  std::string operator()(const QuotaUsedUp& seen) const {
    return "host_load: the processor quota of " + seen.cgroup + of_host(seen.process) +
           " was used up in " + duration(seen.throttled_ns) + " of the " + duration(seen.late_ns) +
           " that ranks were late and sampled";
  }
  std::string operator()(const ProcessorWaited& seen) const {
    if (seen.late_ns == 0)
      return "thread_load: the threads of " + rank_list(seen.ranks) +
             " that serve the network waited for a processor for " + duration(seen.wait_ns) +
             " in all";
    return "thread_load: " + rank_list(seen.ranks) + " waited for a processor in " +
           duration(seen.wait_ns) + " of the " + duration(seen.late_ns) + " that " +
           (seen.ranks.size() == 1 ? "it was" : "they were") + " late and sampled";
  }
  std::string operator()(const SentAgain& seen) const {
    return "nic_counters: " + run_.text(run_.processes[seen.process].host) + " sent " +
           std::to_string(seen.again) + " of " + counted(count_of(seen.all), "TCP segment") +
           " again, any other host at most " + std::to_string(seen.others);
  }
  std::string operator()(const SentAgainWhile& seen) const {
    std::string text = "nic_counters: " + run_.text(run_.processes[seen.process].host) + " sent " +
                       counted(count_of(seen.again), "TCP segment") + " again within " +
                       duration(seen.to_ns - seen.from_ns);
    if (seen.operation == kNoRow) return text;
    return text + "; for " + duration(seen.inside_ns) + " of that " +
           rank_name(run_.operations[seen.operation].rank) + " was in " + named(seen.operation);
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
  // " of host node7"; a process that is not known is on none.
  std::string of_host(uint32_t process) const {
    return process == kNoRow ? "" : " of host " + run_.text(run_.processes[process].host);
  }
  static uint64_t count_of(int64_t number) {
    return static_cast<uint64_t>(std::max<int64_t>(0, number));
  }
  std::string named(uint32_t operation) const {
    const OperationRow& row = run_.operations[operation];
    return row.communicator == communicator_ ? operation_name(run_, row)
                                             : operation_on(run_, operation);
  }
  static std::string column_name(SlowColumn::Name column) {
    constexpr const char* kNames[] = {"network_ns", "proxy_lag_ns",
                                      "gpu_wait_ns + receive_wait_ns + peer_wait_ns + network_ns",
                                      "flush_ns of a step"};
    return kNames[static_cast<unsigned>(column)];
  }
  std::string place(const TransfersSeen& seen, size_t i) const {
    return rank_name(seen.ranks[i]) + " on " + run_.text(run_.processes[seen.processes[i]].host);
  }
  // "from rank 7 on node3 to rank 0 on node0"
  std::string way(const TransfersSeen& seen) const {
    if (seen.side == SlowSide::Gpu && seen.ranks.size() == 1)
      return "through the GPU of " + place(seen, 0);
    if (seen.side == SlowSide::Anybody || seen.ranks.size() != 2)
      return "among " + rank_list(seen.ranks);
    return "from " + place(seen, 0) + " to " + place(seen, 1);
  }

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
