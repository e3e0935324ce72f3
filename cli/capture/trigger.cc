#include "cli/capture/trigger.h"

#include <algorithm>

#include "analysis/say/words.h"
#include "base/text.h"
#include "cli/show/selection_options.h"

namespace lockstep::cli {
namespace {

std::string take_word(std::string* text) {
  text->erase(0, std::min(text->find_first_not_of(' '), text->size()));
  const size_t end = std::min(text->find(' '), text->size());
  std::string word = text->substr(0, end);
  text->erase(0, end);
  return word;
}

bool is_over(const analysis::OperationRow& row) {
  return row.state != analysis::OpState::InFlight && row.finish_ns != analysis::kNoTime;
}

}  // namespace

Result<Trigger> parse_trigger(const std::string& text) {
  std::string rest = text;
  const std::string what = take_word(&rest);
  Trigger trigger;
  trigger.func = take_word(&rest);
  const std::string sign = take_word(&rest);
  rest.erase(std::remove(rest.begin(), rest.end(), ' '), rest.end());
  const auto length_ns = duration_ns(rest);
  if (what != "operation" || trigger.func.empty() || sign != ">" || !length_ns || *length_ns <= 0)
    return Status::error("--when '" + text +
                         "': write it as 'operation AllReduce > 50 ms', or 'operation any > 2 s'");
  if (trigger.func == "any") trigger.func.clear();
  trigger.longer_ns = *length_ns;
  return trigger;
}

std::optional<std::string> fired(const Trigger& trigger, const analysis::RunTables& run,
                                 int64_t after_ns) {
  for (const analysis::OperationRow& row : run.operations) {
    if (!trigger.func.empty() && run.text(row.func) != trigger.func) continue;
    const int64_t called_ns =
        row.api_start_ns != analysis::kNoTime ? row.api_start_ns : row.enqueue_ns;
    if (called_ns == analysis::kNoTime || row.process >= run.processes.size()) continue;
    const bool over = is_over(row);
    // What is not known to end has not ended by the end of its process's recording.
    if (!over && row.state != analysis::OpState::InFlight) continue;
    const int64_t end_ns = over ? row.finish_ns : run.processes[row.process].last_ns;
    if (end_ns <= after_ns || end_ns - called_ns <= trigger.longer_ns) continue;
    return run.text(row.func) + " #" + std::to_string(row.ordinal) + " of rank " +
           std::to_string(row.rank) + (over ? " took " : " has not ended for ") +
           analysis::duration(end_ns - called_ns);
  }
  return std::nullopt;
}

int64_t end_of(const analysis::RunTables& run) {
  int64_t end_ns = 0;
  for (const analysis::ProcessRow& process : run.processes) {
    if (process.last_ns != analysis::kNoTime) end_ns = std::max(end_ns, process.last_ns);
  }
  return end_ns;
}

}  // namespace lockstep::cli
