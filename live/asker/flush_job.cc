#include "live/asker/flush_job.h"

#include "base/json.h"
#include "live/asker/answers_json.h"
#include "live/questions/ctl_answer.h"

namespace lockstep::live {

Answers flush_job(const Targets& targets, const AskTerms& terms) {
  Answers answers =
      ask_all(targets, {"ctl", R"({"request":"flush"})", this_asker()}, terms, nullptr);
  json::Document document;
  parse_json_list(all_rows(answers), &document);
  for (const json::Value& row : document.GetArray()) {
    const json::Value* answer = member(row, "answer");
    const std::string error = answer == nullptr ? "" : text_member(*answer, "error");
    if (error.empty()) continue;
    const auto pid = static_cast<uint32_t>(uint_member(row, "pid"));
    answers.failed.push_back({text_member(row, "host"), not_flushed(pid, error)});
  }
  return answers;
}

}  // namespace lockstep::live
