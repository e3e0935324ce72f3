#include "analysis/judge/verdict_evidence.h"

#include <algorithm>

#include "analysis/judge/verdict.h"
#include "analysis/tables/labels.h"

namespace lockstep::analysis {
std::string death_of(const RunTables& run, const Stall& stall, const StallMember& member) {
  const ProcessRow& dead = run.processes[member.process];
  int64_t last_word = kNoTime;  // of the survivors whose clock is the same
  for (const StallMember& other : stall.members) {
    if (other.process == kNoRow) continue;
    const ProcessRow& process = run.processes[other.process];
    if (process.life != Life::Dead && clock_key(process) == clock_key(dead))
      last_word = std::max(last_word, process.heard_ns);
  }
  std::string text = "processes: pid " + std::to_string(dead.pid) + " on " + run.text(dead.host) +
                     " (rank " + std::to_string(member.rank) +
                     ") is gone, its recording never closed";
  if (last_word != kNoTime && dead.last_ns != kNoTime)
    text += "; last record " + nanoseconds_text(last_word - dead.last_ns) +
            " before the others' last sign of life";
  return text;
}

std::string absence_of(const RunTables& run, const StallMember& member) {
  std::string text = "operations: rank " + std::to_string(member.rank) + " has no row for it";
  if (member.last_operation == kNoRow) return text;
  const OperationRow& last = run.operations[member.last_operation];
  return text + "; its last on this communicator is " + operation_name(run, last) + ", " +
         kOpStateNames[static_cast<unsigned>(last.state)];
}

std::string value_of(const RunTables& run, const OperationRow& row, bool with_type) {
  std::string value = std::to_string(row.size_bytes) + " bytes";
  if (with_type) value += " of " + run.text(row.datatype);
  if (row.kind == OpKind::Collective && row.peer > 0) {
    value += ", root " + std::to_string(row.peer);
  }
  return value;
}

void add_members(const RunTables& run, const Stall& stall, Finding* finding) {
  for (const StallMember& member : stall.members) {
    if (member.operation == kNoRow || finding->evidence.size() >= 24) continue;
    const OperationRow& row = run.operations[member.operation];
    finding->evidence.push_back(
        "operations: rank " + std::to_string(member.rank) + " event " + hex_text(row.event_id) +
        " " + operation_name(run, row) + " " + kOpStateNames[static_cast<unsigned>(row.state)] +
        ", last progress " + nanoseconds_text(member.until_ns - row.last_progress_ns) +
        " before the end");
  }
}

}  // namespace lockstep::analysis
