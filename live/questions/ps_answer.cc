#include "live/questions/ps_answer.h"

#include <algorithm>

#include "base/json.h"
#include "base/parallel.h"
#include "base/system.h"
#include "dumper/run/process_state.h"
#include "live/local/local_processes.h"

namespace lockstep::live {
namespace {

constexpr size_t kMostStatusAtOnce = 64;  // threads, which do nothing but wait

// What one process says, each a JSON object or the reason why there is none.
struct Said {
  Result<std::string> status = Status::error("not asked");
  Result<std::string> progress = Status::error("not asked");
};

std::string program_of(uint32_t pid) {
  const Result<std::string> text = read_small_file("/proc/" + std::to_string(pid) + "/comm", 64);
  return text.ok() ? text.value().substr(0, text.value().find('\n')) : std::string();
}

const char* state_of(const LocalProcess& process, bool answered) {
  const char state = dumper::process_run_state(process.pid);
  if (state == '\0') return "ended";
  if (state == 'T' || state == 't') return "stopped";
  return answered ? "recording" : "silent";
}

// Members of an object that the row has not got yet.
void add_members(const std::string& object, JsonFields* row) {
  json::Document document;
  if (!parse_json(object, &document)) return;
  for (const auto& one : document.GetObject()) {
    const std::string name = text_of(one.name);
    if (name == "host" || name == "pid" || name == "run_directory") continue;
    put_key(&row->writer(), name);
    one.value.Accept(row->writer());
  }
}

void put_row(const LocalProcess& process, const Said& said, JsonFields* rows) {
  rows->object([&] {
    rows->string("host", process.host);
    rows->number("pid", process.pid);
    rows->string("program", program_of(process.pid));
    rows->string("run_directory", process.run_directory);
    rows->string("state", state_of(process, said.status.ok()));
    rows->boolean("answered", said.status.ok());
    if (said.status.ok()) add_members(said.status.value(), rows);
    if (said.progress.ok()) rows->raw("progress", said.progress.value());
  });
}

bool is_error(const std::string& object) {
  json::Document document;
  return !parse_json(object, &document) || member(document, "error") != nullptr;
}

Said ask_status(const LocalProcess& process, int64_t deadline_ns) {
  Said said;
  if (const Status can = can_answer(process); !can.ok()) {
    said.status = can;
    return said;
  }
  said.status = ask_process(*process.control, "status", deadline_ns);
  if (!said.status.ok()) return said;
  said.progress = ask_process(*process.control, "progress", deadline_ns);
  // Of an earlier lockstep, which does not know the word.
  if (said.progress.ok() && is_error(said.progress.value()))
    said.progress = Status::error("it does not know the word");
  return said;
}

}  // namespace

Result<HostAnswer> answer_ps(const HostContext& context, const Question&, PartSink*) {
  const auto processes = local_processes({context.host, context.runs});
  std::vector<Said> said(processes.size());
  in_parallel(processes.size(),
              static_cast<unsigned>(std::min(kMostStatusAtOnce, processes.size())),
              [&](size_t i) { said[i] = ask_status(processes[i], context.deadline_ns); });
  HostAnswer answer;
  JsonFields rows;
  rows.writer().StartArray();
  for (size_t i = 0; i < processes.size(); ++i) {
    put_row(processes[i], said[i], &rows);
    if (!said[i].status.ok())
      answer.failed.push_back("process " + std::to_string(processes[i].pid) + ": " +
                              said[i].status.message());
  }
  rows.writer().EndArray();
  answer.rows = rows.text();
  return answer;
}

}  // namespace lockstep::live
