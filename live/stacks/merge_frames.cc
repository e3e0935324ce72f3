#include "live/stacks/merge_frames.h"

#include <algorithm>

#include "base/text.h"

namespace lockstep::live {
namespace {

struct Run {
  size_t first = 0, end = 0;
};

// A stack that was cut may begin in the middle of a run.
std::vector<Run> runs_of(const std::vector<PythonFrame>& python) {
  std::vector<Run> runs;
  for (size_t i = 0; i < python.size(); ++i) {
    if (python[i].entry || runs.empty()) runs.push_back({i, i});
    runs.back().end = i + 1;
  }
  return runs;
}

bool begins_a_thread(const std::string& function) {
  for (const char* name : {"_start", "clone", "clone3", "__clone", "__clone3", "start_thread",
                           "__libc_start_main", "main"})
    if (function == name) return true;
  return false;
}

void put_run(const Run& run, MergedStack* merged) {
  for (size_t i = run.first; i < run.end; ++i) merged->frames.push_back({true, i});
}

}  // namespace

bool is_evaluator(std::string_view function) {
  constexpr std::string_view kName = "_PyEval_EvalFrameDefault";
  return starts_with(function, kName) &&
         (function.size() == kName.size() || function[kName.size()] == '.');
}

MergedStack merge_frames(const std::vector<std::string>& native,
                         const std::vector<PythonFrame>& python) {
  const std::vector<Run> runs = runs_of(python);
  const auto evaluators =
      static_cast<size_t>(std::count_if(native.begin(), native.end(), is_evaluator));
  const size_t pairs = std::min(runs.size(), evaluators);
  const bool from_outer = !native.empty() && begins_a_thread(native.front()) && pairs != 0;
  // The numbers of the first evaluator and the first run that are paired.
  const size_t first_evaluator = from_outer ? 0 : evaluators - pairs;
  const size_t first_run = from_outer ? 0 : runs.size() - pairs;

  MergedStack merged;
  merged.agree = runs.size() == evaluators;
  for (size_t run = 0; run < first_run; ++run) put_run(runs[run], &merged);
  size_t evaluator = 0;
  for (size_t i = 0; i < native.size(); ++i) {
    const bool paired = is_evaluator(native[i]) && evaluator >= first_evaluator &&
                        evaluator - first_evaluator < pairs;
    if (paired) put_run(runs[first_run + evaluator - first_evaluator], &merged);
    if (!paired) merged.frames.push_back({false, i});
    if (is_evaluator(native[i])) ++evaluator;
    if (paired && from_outer && evaluator == pairs)
      for (size_t run = pairs; run < runs.size(); ++run) put_run(runs[run], &merged);
  }
  return merged;
}

}  // namespace lockstep::live
