#include "analysis/export/operation_slices.h"

#include <algorithm>
#include <limits>

#include "analysis/tables/labels.h"

namespace lockstep::analysis {

OperationSpan bounds_of(const RunTables& run) {
  OperationSpan bounds{0, 0};
  for (const ProcessRow& process : run.processes) {
    if (process.first_ns == kNoTime) continue;
    bounds.start_ns =
        bounds.start_ns == 0 ? process.first_ns : std::min(bounds.start_ns, process.first_ns);
    bounds.stop_ns = std::max({bounds.stop_ns, process.first_ns, process.last_ns});
  }
  return bounds;
}

OperationSpans::OperationSpans(const RunTables& run) : run_(run) {
  for (const MemberRow& member : run.members) {
    if (member.finalize_ns != kNoTime)
      finalize_ns_[{member.communicator, member.process}] = member.finalize_ns;
  }
}

int64_t OperationSpans::aborted_ns(const OperationRow& operation) const {
  const auto finalize = finalize_ns_.find({operation.communicator, operation.process});
  if (finalize != finalize_ns_.end()) return finalize->second;
  return operation.process < run_.processes.size() ? run_.processes[operation.process].heard_ns
                                                   : kNoTime;
}

OperationSpan OperationSpans::of(const OperationRow& operation) const {
  OperationSpan span;
  for (const int64_t start :
       {operation.enqueue_ns, operation.api_start_ns, operation.kernel_start_ns,
        operation.kernel_seen_ns, operation.proxy_start_ns, operation.last_progress_ns}) {
    if (start == kNoTime) continue;
    span.start_ns = start;
    break;
  }
  if (span.start_ns == kNoTime || operation.state == OpState::InFlight) return span;
  const int64_t aborted = operation.state == OpState::Aborted ? aborted_ns(operation) : kNoTime;
  for (const int64_t stop : {aborted, operation.finish_ns, operation.last_progress_ns,
                             operation.api_stop_ns, span.start_ns}) {
    if (stop == kNoTime) continue;
    span.stop_ns = std::max(stop, span.start_ns);
    break;
  }
  return span;
}

OperationNotes::OperationNotes(const RunTables& run, const OperationSpans& spans)
    : run_(run),
      spans_(spans),
      receive_(run.strings.find("Recv")),
      sent_ns_(run.matches.size(), std::numeric_limits<int64_t>::min()),
      arrival_of_(run.operations.size(), kNoRow),
      last_of_(run.matches.size(), kNoRow) {
  for (uint32_t i = 0; i < run.arrivals.size(); ++i) {
    const ArrivalRow& arrival = run.arrivals[i];
    if (arrival.operation < arrival_of_.size()) arrival_of_[arrival.operation] = i;
  }
  const Text send = run.strings.find("Send");
  for (const OperationRow& row : run.operations) {
    if (row.match < sent_ns_.size() && send != 0 && row.func == send)
      sent_ns_[row.match] = spans.of(row).start_ns + 1;
  }
  for (uint32_t i = 0; i < run.operations.size(); ++i) {
    const uint32_t match = run.operations[i].match;
    if (match >= last_of_.size()) continue;
    uint32_t& last = last_of_[match];
    if (last == kNoRow || joins_flow_ns(i) >= joins_flow_ns(last)) last = i;
  }
}

int64_t OperationNotes::transfer_start_ns(uint32_t operation) const {
  const OperationRow& row = run_.operations[operation];
  const uint32_t arrival = arrival_of_[operation];
  if (receive_ == 0 || row.func != receive_ || row.match >= sent_ns_.size() || arrival == kNoRow)
    return kNoTime;
  const int64_t transfer_ns = run_.arrivals[arrival].transfer_ns;
  const OperationSpan span = spans_.of(row);
  if (transfer_ns == kNoTime || span.stop_ns == kNoTime) return kNoTime;
  const int64_t start_ns =
      std::max({span.start_ns, sent_ns_[row.match], span.stop_ns - transfer_ns});
  return start_ns < span.stop_ns ? start_ns : kNoTime;
}

int64_t OperationNotes::joins_flow_ns(uint32_t operation) const {
  const int64_t transfer_ns = transfer_start_ns(operation);
  return transfer_ns != kNoTime ? transfer_ns : spans_.of(run_.operations[operation]).start_ns;
}

uint64_t OperationNotes::flow_of(uint32_t operation) const {
  const uint32_t match = run_.operations[operation].match;
  if (match >= run_.matches.size() || run_.matches[match].arrivals < 2) return 0;
  return uint64_t{match} + 1;
}

bool OperationNotes::ends_flow(uint32_t operation) const {
  return flow_of(operation) != 0 && last_of_[run_.operations[operation].match] == operation;
}

const std::vector<SliceNote>& OperationNotes::of(uint32_t operation) {
  const OperationRow& row = run_.operations[operation];
  const auto number = [](uint64_t value) { return static_cast<int64_t>(value); };
  comm_ = communicator_label(run_, row.communicator);
  notes_ = {{"event_id", number(row.event_id), {}},
            {"communicator", 0, comm_},
            {"rank", row.rank, {}},
            {"ordinal", row.ordinal, {}},
            {"size_bytes", number(row.size_bytes), {}},
            {"state", 0, kOpStateNames[static_cast<size_t>(row.state)]}};
  if (row.peer >= 0) notes_.push_back({"peer", row.peer, {}});
  if (row.replay != 0) notes_.push_back({"replay", row.replay, {}});
  for (const auto& [name, text] : {std::pair<const char*, Text>{"datatype", row.datatype},
                                   {"algo", row.algo},
                                   {"proto", row.proto}}) {
    if (text != 0) notes_.push_back({name, 0, run_.text(text)});
  }
  if (arrival_of_[operation] == kNoRow) return notes_;
  const ArrivalRow& arrival = run_.arrivals[arrival_of_[operation]];
  if (arrival.wait_ns != kNoTime) notes_.push_back({"wait_ns", arrival.wait_ns, {}});
  if (arrival.transfer_ns != kNoTime) notes_.push_back({"transfer_ns", arrival.transfer_ns, {}});
  if (arrival.last != 0)
    notes_.push_back({"last_arriver", 0, kCauseNames[static_cast<size_t>(arrival.cause)]});
  return notes_;
}

}  // namespace lockstep::analysis
