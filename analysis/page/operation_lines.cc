#include "analysis/page/operation_lines.h"

#include "analysis/tables/labels.h"
#include "base/json.h"

namespace lockstep::analysis {

void put_known(int64_t value, JsonFields* out) {
  if (value == kNoTime) {
    out->writer().Null();
  } else {
    out->writer().Int64(value);
  }
}

void OperationLines::put_columns(JsonFields* out) {
  out->strings("columns",
               {"rank", "comm", "func", "ordinal", "start_ns", "end_ns", "wait_ns", "transfer_ns",
                "bytes", "last_rank", "error_ns", "state", "id", "arrival_ns"});
}

void OperationLines::put(uint32_t operation, uint32_t arrival, JsonFields* out) const {
  const OperationRow& row = run_.operations[operation];
  const ArrivalRow arrived = arrival == kNoRow ? ArrivalRow() : run_.arrivals[arrival];
  JsonWriter& writer = out->writer();
  writer.StartArray();
  writer.Int(run_.processes[row.process].rank);
  out->element(communicator_label(run_, row.communicator));
  out->element(run_.text(row.func));
  writer.Uint(row.ordinal);
  put_known(time_.at(row.process, row.called_ns()), out);
  put_known(time_.at(row.process, row.finish_ns), out);
  put_known(arrived.wait_ns, out);
  put_known(arrived.transfer_ns, out);
  writer.Uint64(row.size_bytes);
  put_known(last_rank(arrived), out);
  writer.Int64(arrived.clock_error_ns);
  out->element(kOpStateNames[static_cast<size_t>(row.state)]);
  writer.Uint(operation);
  put_known(time_.at(row.process, arrived.arrival_ns), out);
  writer.EndArray();
}

int64_t OperationLines::last_rank(const ArrivalRow& row) const {
  if (row.last_rank_row == kNoRow) return kNoTime;
  const uint32_t operation = run_.arrivals[row.last_rank_row].operation;
  return operation < run_.operations.size()
             ? run_.processes[run_.operations[operation].process].rank
             : kNoTime;
}

}  // namespace lockstep::analysis
