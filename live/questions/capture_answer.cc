#include "live/questions/capture_answer.h"

#include <algorithm>

#include "base/clock_ns.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/text.h"
#include "live/local/local_processes.h"
#include "live/questions/ctl_answer.h"

namespace lockstep::live {
namespace {

constexpr size_t kMostCapturesAtOnce = 256;  // threads, which do nothing but wait

struct Asked {
  LocalProcess process;
  std::string request;
};

bool is_for(const json::Value& request, const LocalProcess& process) {
  const json::Value* only = member(request, "only");
  if (only == nullptr) return true;
  const json::Value* pids = list_member(*only, process.host.c_str());
  if (pids == nullptr) return false;
  return pids->Empty() || std::any_of(pids->Begin(), pids->End(), [&](const json::Value& pid) {
           return pid.IsUint() && pid.GetUint() == process.pid;
         });
}

Result<std::vector<Asked>> asked_by(const HostContext& context, const std::string& arguments) {
  json::Document document;
  const json::Value* requests = nullptr;
  if (parse_json(arguments, &document)) requests = list_member(document, "requests");
  if (requests == nullptr) return Status::error("the question `capture` lacks its requests");
  for (const json::Value& request : requests->GetArray()) {
    const std::string words = text_member(request, "request");
    if (words.empty() || words.find('\n') != std::string::npos)
      return Status::error("a request of the question `capture` is one line");
  }
  std::vector<Asked> asked;
  for (LocalProcess& process : local_processes({context.host, context.runs})) {
    const auto* const found =
        std::find_if(requests->Begin(), requests->End(),
                     [&](const json::Value& request) { return is_for(request, process); });
    if (found != requests->End())
      asked.push_back({std::move(process), "capture " + text_member(*found, "request")});
  }
  return asked;
}

Result<std::string> ask_capture(const Asked& one, const std::string& asker, int64_t deadline_ns) {
  if (const Status can = can_answer(one.process); !can.ok()) return can;
  return ask_for(asker, *one.process.control, one.request, deadline_ns);
}

}  // namespace

Result<HostAnswer> answer_capture(const HostContext& context, const Question& question, PartSink*) {
  const auto asked = asked_by(context, question.arguments);
  if (!asked.ok()) return asked.status();
  const std::vector<Asked>& all = asked.value();
  std::vector<Result<std::string>> said(all.size(), Status::error("not asked"));
  in_parallel(
      all.size(), static_cast<unsigned>(std::min(kMostCapturesAtOnce, all.size())),
      [&](size_t i) { said[i] = ask_capture(all[i], question.asker, context.deadline_ns); });
  HostAnswer answer;
  JsonFields rows;
  rows.writer().StartArray();
  for (size_t i = 0; i < all.size(); ++i) {
    rows.object([&] {
      rows.string("host", all[i].process.host);
      rows.number("pid", all[i].process.pid);
      rows.number("real_offset_ns", real_now_ns() - raw_now_ns());
      if (said[i].ok()) {
        rows.raw("answer", said[i].value());
      } else {
        rows.string("reason", said[i].message());
      }
    });
  }
  rows.writer().EndArray();
  answer.rows = rows.text();
  return answer;
}

Result<HostAnswer> answer_capture_status(const HostContext& context, const Question& question,
                                         PartSink* parts) {
  json::Document document;
  parse_json(question.arguments, &document);
  for (const json::Value& request : elements_of(document, "requests")) {
    if (!starts_with(text_member(request, "request"), "status"))
      return Status::error("the question `capture_status` takes the word `status` alone");
  }
  return answer_capture(context, question, parts);
}

}  // namespace lockstep::live
