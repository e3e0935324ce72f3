#include "live/questions/node_answer.h"

#include <algorithm>
#include <optional>

#include "base/json.h"
#include "live/local/local_processes.h"
#include "live/questions/ctl_answer.h"
#include "lockstep/version.h"

namespace lockstep::live {
namespace {

// Of all processes of the host. What no process says, as one of an earlier lockstep, stays empty.
struct Sums {
  size_t processes = 0, answered = 0;
  std::optional<uint64_t> written, lost, bytes, lag_ns;
};

void add(const json::Value& status, const char* name, std::optional<uint64_t>* sum) {
  if (const auto said = known_uint(status, name)) *sum = sum->value_or(0) + *said;
}

void add_status(const std::string& text, Sums* sums) {
  json::Document status;
  if (!parse_json(text, &status)) return;
  ++sums->answered;
  add(status, "records_written", &sums->written);
  add(status, "calls_not_recorded", &sums->lost);
  add(status, "bytes_written", &sums->bytes);
  std::optional<uint64_t> lag;
  add(status, "lag_ns", &lag);
  if (lag) sums->lag_ns = std::max(sums->lag_ns.value_or(0), *lag);
}

void put(const char* name, const std::optional<uint64_t>& number, JsonFields* row) {
  if (number) return row->number(name, *number);
  put_key(&row->writer(), name);
  row->writer().Null();
}

std::string row_of(const HostContext& context, const Sums& sums) {
  JsonFields row;
  row.writer().StartArray();
  row.object([&] {
    row.string("host", context.host);
    put("agent_pid",
        context.agent_pid == 0 ? std::nullopt : std::optional<uint64_t>(context.agent_pid), &row);
    row.string("version", kVersion);
    row.number("processes", sums.processes);
    row.number("answered", sums.answered);
    put("records_written", sums.written, &row);
    put("calls_not_recorded", sums.lost, &row);
    put("bytes_written", sums.bytes, &row);
    put("lag_ns", sums.lag_ns, &row);
  });
  row.writer().EndArray();
  return std::string(row.text());
}

}  // namespace

Result<HostAnswer> answer_node(const HostContext& context, const Question&, PartSink*) {
  HostAnswer answer;
  Sums sums;
  std::vector<ControlledProcess> controlled;
  for (const LocalProcess& process : local_processes({context.host, context.runs}))
    controlled.push_back(process.control.value_or(ControlledProcess{}));
  sums.processes = controlled.size();
  for (const auto& said : ask_processes_for("", controlled, "status", context.deadline_ns)) {
    if (said.ok()) {
      add_status(said.value(), &sums);
    } else {
      answer.failed.push_back(said.message());
    }
  }
  answer.rows = row_of(context, sums);
  return answer;
}

}  // namespace lockstep::live
