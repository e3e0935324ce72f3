#include "live/questions/questions.h"

#include <algorithm>
#include <exception>
#include <iterator>

#include "live/questions/capture_answer.h"
#include "live/questions/ctl_answer.h"
#include "live/questions/node_answer.h"
#include "live/questions/progress_answer.h"
#include "live/questions/ps_answer.h"
#include "live/questions/recording_answer.h"
#include "live/questions/slice_answer.h"
#include "live/questions/stacks_answer.h"

namespace lockstep::live {
namespace {

struct Row {
  const char* word;
  Answerer answer;
};

constexpr Row kQuestions[] = {
    {"ps", answer_ps},
    {"node", answer_node},
    {"progress", answer_progress},
    {"ctl", answer_ctl},
    {"stacks", answer_stacks},
    {"slice", answer_slice},
    {"capture", answer_capture},
    {"capture_status", answer_capture_status},
    {"recordings", answer_recordings},
    {"recording", answer_recording},
    {"recording_taken", answer_recording_taken},
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

}  // namespace lockstep::live
