#include "live/questions/ctl_answer.h"

#include <algorithm>

#include "base/json.h"
#include "base/parallel.h"
#include "base/text.h"
#include "live/local/local_processes.h"

namespace lockstep::live {
namespace {

constexpr size_t kMostOrdersAtOnce = 256;  // threads, which do nothing but wait

// The words that change nothing need no name.
bool only_asks(const std::string& request) {
  return starts_with(request, "status") || starts_with(request, "flush") ||
         starts_with(request, "snapshot") || starts_with(request, "capture status");
}

// {"n1": [4711, 4712]}: these processes of each host, and none of a host that is not there.
void keep_named(const json::Value& only, std::vector<LocalProcess>* processes) {
  const auto named = [&](const LocalProcess& process) {
    const json::Value* pids = list_member(only, process.host.c_str());
    return pids != nullptr && std::any_of(pids->Begin(), pids->End(), [&](const json::Value& pid) {
             return pid.IsUint() && pid.GetUint() == process.pid;
           });
  };
  processes->erase(std::remove_if(processes->begin(), processes->end(),
                                  [&](const LocalProcess& one) { return !named(one); }),
                   processes->end());
}

}  // namespace

Result<std::string> ask_for(const std::string& asker, const ControlledProcess& process,
                            const std::string& request, int64_t deadline_ns) {
  const std::string named = only_asks(request) ? request : request_by(asker, request);
  Result<std::string> answer = ask_process(process, named, deadline_ns);
  const bool too_old = named != request && answer.ok() &&
                       starts_with(answer.value(), R"({"error":"'as' is none of)");
  return too_old ? ask_process(process, request, deadline_ns) : answer;
}

std::vector<Result<std::string>> ask_processes_for(const std::string& asker,
                                                   const std::vector<ControlledProcess>& processes,
                                                   const std::string& request,
                                                   int64_t deadline_ns) {
  std::vector<Result<std::string>> answers(processes.size(),
                                           Status::error("it has no control socket"));
  in_parallel(processes.size(),
              static_cast<unsigned>(std::min(kMostOrdersAtOnce, processes.size())), [&](size_t i) {
                if (!processes[i].name.empty())
                  answers[i] = ask_for(asker, processes[i], request, deadline_ns);
              });
  return answers;
}

Result<HostAnswer> answer_ctl(const HostContext& context, const Question& question, PartSink*) {
  json::Document arguments;
  if (!parse_json(question.arguments, &arguments) || text_member(arguments, "request").empty())
    return Status::error("the question `ctl` lacks its request");
  const std::string request = text_member(arguments, "request");
  if (request.find('\n') != std::string::npos) return Status::error("a request is one line");
  auto processes = local_processes({context.host, context.runs});
  if (const json::Value* only = member(arguments, "only")) keep_named(*only, &processes);
  std::vector<ControlledProcess> controlled;
  for (const LocalProcess& process : processes)
    controlled.push_back(process.control.value_or(ControlledProcess{}));
  const auto answers = ask_processes_for(question.asker, controlled, request, context.deadline_ns);
  HostAnswer answer;
  JsonFields rows;
  rows.writer().StartArray();
  for (size_t i = 0; i < processes.size(); ++i) {
    if (!answers[i].ok()) {
      answer.failed.push_back("process " + std::to_string(processes[i].pid) + ": " +
                              answers[i].message());
      continue;
    }
    rows.object([&] {
      rows.string("host", processes[i].host);
      rows.number("pid", processes[i].pid);
      rows.raw("answer", answers[i].value());
    });
  }
  rows.writer().EndArray();
  answer.rows = rows.text();
  return answer;
}

std::string not_flushed(uint32_t pid, const std::string& why) {
  return "process " + std::to_string(pid) + ": its last records are not in its files yet: " + why;
}

}  // namespace lockstep::live
