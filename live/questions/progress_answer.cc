#include "live/questions/progress_answer.h"

#include <algorithm>

#include "base/json.h"
#include "base/parallel.h"
#include "live/local/local_processes.h"

namespace lockstep::live {
namespace {

constexpr size_t kMostProgressAtOnce = 64;  // threads, which do nothing but wait

Result<std::string> ask_progress(const LocalProcess& process, int64_t deadline_ns) {
  if (const Status can = can_answer(process); !can.ok()) return can;
  return ask_process(*process.control, "progress", deadline_ns);
}

// A row for each communicator in the answer; the sentence says why there is none, or what is not in them.
Status put_rows(const LocalProcess& process, const std::string& said, JsonFields* rows,
                int64_t* oldest_ns) {
  json::Document document;
  if (!parse_json(said, &document)) return Status::error("its answer is no JSON");
  const json::Value* comms = list_member(document, "communicators");
  if (comms == nullptr) {
    const std::string error = text_member(document, "error");
    return Status::error(error.empty() ? "its answer lacks the communicators"
                                       : "it records with an earlier lockstep and says: " + error);
  }
  const uint64_t age_ns = uint_member(document, "known_until_age_ns");
  *oldest_ns = std::max(*oldest_ns, static_cast<int64_t>(age_ns));
  for (const json::Value& comm : comms->GetArray()) {
    if (!comm.IsObject()) continue;
    rows->object([&] {
      rows->string("host", process.host);
      rows->number("pid", process.pid);
      rows->string("run_directory", process.run_directory);
      rows->number("known_until_age_ns", age_ns);
      for (const auto& one : comm.GetObject()) {
        put_key(&rows->writer(), text_of(one.name));
        one.value.Accept(rows->writer());
      }
    });
  }
  if (!bool_member(document, "cannot_write")) return Status();
  return Status::error("it cannot write what it records (a full disk?), so the last " +
                       std::to_string(age_ns / 1'000'000'000) + " s of it are not known");
}

}  // namespace

Result<HostAnswer> answer_progress(const HostContext& context, const Question&, PartSink*) {
  const auto processes = local_processes({context.host, context.runs});
  std::vector<Result<std::string>> said(processes.size(), Status::error("not asked"));
  in_parallel(processes.size(),
              static_cast<unsigned>(std::min(kMostProgressAtOnce, processes.size())),
              [&](size_t i) { said[i] = ask_progress(processes[i], context.deadline_ns); });
  HostAnswer answer;
  JsonFields rows;
  rows.writer().StartArray();
  for (size_t i = 0; i < processes.size(); ++i) {
    const Status status =
        said[i].ok() ? put_rows(processes[i], said[i].value(), &rows, &answer.oldest_data_ns)
                     : said[i].status();
    if (!status.ok())
      answer.failed.push_back("process " + std::to_string(processes[i].pid) + ": " +
                              status.message());
  }
  rows.writer().EndArray();
  answer.rows = rows.text();
  return answer;
}

}  // namespace lockstep::live
