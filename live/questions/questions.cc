#include "live/questions/questions.h"

#include <algorithm>
#include <exception>
#include <iterator>

#include "live/questions/capture_answer.h"
#include "live/questions/ctl_answer.h"
#include "live/questions/node_answer.h"
#include "live/questions/progress_answer.h"
#include "live/questions/ps_answer.h"
#include "live/questions/slice_answer.h"
#include "live/questions/stacks_answer.h"

namespace lockstep::live {
namespace {

struct Row {
  const char* word;
  Answerer answer;
  bool changes;  // the job, or what is recorded of it
};

constexpr Row kQuestions[] = {
    {"ps", answer_ps, false},
    {"node", answer_node, false},
    {"progress", answer_progress, false},
    {"ctl", answer_ctl, true},
    {"stacks", answer_stacks, false},
    {"slice", answer_slice, false},
    {"capture", answer_capture, true},
    {"capture_status", answer_capture_status, false},
};

const Row* find(const std::string& word) {
  const auto* const row = std::find_if(std::begin(kQuestions), std::end(kQuestions),
                                       [&](const Row& one) { return word == one.word; });
  return row == std::end(kQuestions) ? nullptr : row;
}

}  // namespace

Result<HostAnswer> answer_question(const HostContext& context, const Question& question,
                                   PartSink* parts) {
  const Row* const row = find(question.word);
  if (row == nullptr) {
    std::string words;
    for (const Row& one : kQuestions) words += (words.empty() ? "" : ", ") + std::string(one.word);
    return Status::error("this lockstep does not know the question '" + question.word + "', only " +
                         words);
  }
  try {
    return row->answer(context, question, parts);
  } catch (const std::exception& error) {  // out of memory, most likely
    return Status::error(std::string("no answer: ") + error.what());
  }
}

bool changes_something(const Question& question) {
  const Row* const row = find(question.word);
  return row != nullptr && row->changes;
}

}  // namespace lockstep::live
