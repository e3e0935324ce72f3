#include "live/serve/steps_answer.h"

#include <algorithm>

#include "analysis/page/network_steps.h"
#include "analysis/page/operation_lines.h"
#include "analysis/tables/labels.h"
#include "base/json.h"
#include "live/http/gate.h"
#include "live/http/parameters.h"
#include "lockstep/record_shape.h"

namespace lockstep::serve {
namespace {

using analysis::kNoRow;
using analysis::kNoTime;
using analysis::NetworkOperation;
using analysis::NetworkStep;
using analysis::NetworkSteps;
using analysis::put_known;

class StepsWriter {
 public:
  StepsWriter(const RunPart& part, const NetworkSteps& found)
      : tables_(*part.tables), time_(part.time()), found_(found) {}

  std::string write() {
    out_.object([&] {
      put_key(&out_.writer(), "network_operations");
      put_table({"rank", "comm", "func", "ordinal", "id", "channel", "direction", "peer",
                 "start_ns", "end_ns"},
                found_.operations);
      put_key(&out_.writer(), "steps");
      put_table(
          {"network_operation", "step", "start_ns", "end_ns", "bytes", "retries", "gpu_wait_ns",
           "peer_wait_ns", "network_ns", "receive_wait_ns", "flush_ns", "last_state"},
          found_.steps);
      out_.number("operations_left_out", found_.operations_left_out);
      out_.number("steps_left_out", found_.steps_left_out);
      out_.boolean("operations_recorded", found_.operations_recorded);
      out_.boolean("steps_recorded", found_.steps_recorded);
    });
    return std::string(out_.text()) + "\n";
  }

 private:
  template <typename Row>
  void put_table(const std::vector<std::string>& columns, const std::vector<Row>& rows) {
    out_.object([&] {
      out_.strings("columns", columns);
      put_key(&out_.writer(), "rows");
      out_.writer().StartArray();
      for (const Row& row : rows) {
        out_.writer().StartArray();
        put(row);
        out_.writer().EndArray();
      }
      out_.writer().EndArray();
    });
  }

  void put(const NetworkOperation& row) {
    const analysis::EventRow& event = row.event;
    const bool known = row.operation != kNoRow;
    const analysis::OperationRow operation =
        known ? tables_.operations[row.operation] : analysis::OperationRow();
    const uint32_t communicator = known ? operation.communicator : event.communicator;
    put_known(tables_.processes[event.process].rank, &out_);
    out_.element(communicator == kNoRow ? "" : analysis::communicator_label(tables_, communicator));
    out_.element(tables_.text(operation.func));
    put_known(known ? operation.ordinal : kNoTime, &out_);
    put_known(known ? row.operation : kNoTime, &out_);
    put_known(event.channel, &out_);
    out_.element(event.is_send != 0 ? "send" : "receive");
    put_known(event.peer < 0 ? kNoTime : event.peer, &out_);
    put_known(time_.at(event.process, event.start_ns), &out_);
    put_known(time_.at(event.process, event.stop_ns), &out_);
  }

  void put(const NetworkStep& step) {
    const analysis::ProxyStepRow& row = step.row;
    put_known(step.network_operation, &out_);
    put_known(row.step, &out_);
    put_known(time_.at(row.process, row.start_ns), &out_);
    put_known(time_.at(row.process, row.stop_ns), &out_);
    put_known(static_cast<int64_t>(row.size_bytes), &out_);
    put_known(row.retries, &out_);
    for (const int64_t spent_ns :
         {row.gpu_wait_ns, row.peer_wait_ns, row.network_ns, row.receive_wait_ns, row.flush_ns})
      put_known(spent_ns, &out_);
    out_.element(row.last_state < kStates ? kStateNames[row.last_state] : "");
  }

  const analysis::RunTables& tables_;
  const analysis::RunTime time_;
  const NetworkSteps& found_;
  JsonFields out_;
};

}  // namespace

HttpResponse answer_steps(const ServedRun& run, const HttpRequest& request) {
  Parameters parameters(request, {"ranks", "from", "to", "limit"});
  const NumberRanges ranks = parameters.ranks("ranks");
  analysis::NetworkQuestion question;
  question.from_ns = parameters.number("from", 0);
  question.to_ns = parameters.number("to", run.pyramid().length_ns() + 1);
  const int64_t limit = parameters.number("limit", kMostSteps);
  if (!parameters.error().empty()) return error_response(400, parameters.error());
  if (ranks.empty()) return error_response(400, "ranks: which ones, at most 16: 0-3,8");
  if (limit < 1 || limit > static_cast<int64_t>(kMostSteps))
    return error_response(400, "limit: from 1 to " + std::to_string(kMostSteps));
  const auto& lanes = run.pyramid().lanes();
  question.wants_rank = [&ranks](int32_t rank) { return is_within(ranks, rank); };
  if (std::count_if(lanes.begin(), lanes.end(), [&](const analysis::LaneFacts& lane) {
        return is_within(ranks, lane.rank);
      }) > static_cast<std::ptrdiff_t>(kMostStepsRanks))
    return error_response(413, "ranks: at most " + std::to_string(kMostStepsRanks) + " at a time");
  if (question.to_ns - question.from_ns > kMostStepsNs)
    return error_response(413, "from, to: at most 10 s at a time");
  question.most = static_cast<size_t>(limit);
  const auto part = run.part(question.from_ns, question.to_ns);
  if (!part.ok()) return error_response(413, part.message());
  const auto found =
      analysis::find_network_steps(part.value()->input, part.value()->time(), question);
  if (!found.ok()) return error_response(503, found.message());
  HttpResponse response;
  response.body = StepsWriter(*part.value(), found.value()).write();
  return response;
}

}  // namespace lockstep::serve
