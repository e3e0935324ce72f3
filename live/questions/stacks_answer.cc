#include "live/questions/stacks_answer.h"

#include <algorithm>

#include "base/clock_ns.h"
#include "base/json.h"
#include "base/number_ranges.h"
#include "base/parallel.h"
#include "base/system.h"
#include "dumper/run/process_state.h"
#include "live/local/local_processes.h"
#include "live/places/standing.h"

namespace lockstep::live {
namespace {

constexpr size_t kMostStacksAtOnce = 64;  // threads, which do nothing but wait
// What is kept of the time for unwinding and for the way back.
constexpr int64_t kReserveNs = 1'000'000'000;
// A process that does not answer in this time is stopped, or as stuck as its job.
constexpr int64_t kProgressPatienceNs = 1'500'000'000;

struct Wanted {
  StackOptions options;
  NumberRanges ranks;  // empty: all
};

Result<Wanted> wanted_of(const Question& question) {
  Wanted wanted;
  json::Document document;
  if (!question.arguments.empty() && !parse_json(question.arguments, &document))
    return Status::error("the arguments of `stacks` are no JSON object");
  if (question.arguments.empty()) return wanted;
  const auto choice = thread_choice_of(text_member(document, "threads"));
  if (!choice) return Status::error("threads are all, main, nccl, or nothing for main and nccl");
  wanted.options.threads = *choice;
  const uint64_t samples = uint_member(document, "samples");
  if (samples > kMostSamples)
    return Status::error("samples are 1 to " + std::to_string(kMostSamples));
  if (samples != 0) wanted.options.samples = static_cast<unsigned>(samples);
  const std::string ranks = text_member(document, "ranks");
  if (ranks.empty()) return wanted;
  const auto numbers = parse_number_ranges(ranks);
  if (!numbers) return Status::error("'" + ranks + "' is no list of ranks: write 0-3,7");
  wanted.ranks = *numbers;
  return wanted;
}

Standing ask_standing(const LocalProcess& process, int64_t deadline_ns) {
  const char state = dumper::process_run_state(process.pid);
  if (!process.control || state == 'T' || state == 't') return {};
  const auto said = ask_process(*process.control, "progress", deadline_ns);
  return said.ok() ? standing_of(said.value()) : Standing();
}

Status ask_for_right(const ControlledProcess& control, int64_t deadline_ns) {
  const auto said = ask_process(control, "trace-permit", deadline_ns);
  if (!said.ok()) return said.status();
  json::Document document;
  if (!parse_json(said.value(), &document)) return Status::error("it answers no JSON");
  const std::string error = text_member(document, "error");
  return error.empty() ? Status() : Status::error("asked for the right, it says: " + error);
}

// Processes without a socket cannot be asked.
AskForRight asking(const std::vector<LocalProcess>& processes, int64_t deadline_ns) {
  return [&processes, deadline_ns](pid_t pid) {
    for (const LocalProcess& process : processes) {
      if (static_cast<pid_t>(process.pid) == pid && process.control)
        return ask_for_right(*process.control, deadline_ns);
    }
    return Status::error("it records nothing, so it cannot be asked for the right");
  };
}

std::vector<StackRow> rows_of(const std::vector<LocalProcess>& processes,
                              const std::vector<Standing>& standings, const StackOptions& options,
                              int64_t deadline_ns) {
  std::vector<pid_t> pids;
  for (const LocalProcess& process : processes) pids.push_back(static_cast<pid_t>(process.pid));
  std::vector<ProcessStacks> stacks = read_stacks(pids, options, asking(processes, deadline_ns));
  std::vector<StackRow> rows;
  for (size_t i = 0; i < stacks.size(); ++i) {
    rows.push_back({processes[i].host, standings[i], std::move(stacks[i])});
  }
  return rows;
}

}  // namespace

Result<HostAnswer> answer_stacks(const HostContext& context, const Question& question, PartSink*) {
  Result<Wanted> wanted = wanted_of(question);
  if (!wanted.ok()) return wanted.status();
  const auto all = local_processes({context.host, context.runs});
  std::vector<Standing> said(all.size());
  const int64_t patience_ns = std::min(context.deadline_ns, mono_now_ns() + kProgressPatienceNs);
  in_parallel(all.size(), static_cast<unsigned>(std::min(kMostStacksAtOnce, all.size())),
              [&](size_t i) { said[i] = ask_standing(all[i], patience_ns); });
  const NumberRanges& ranks = wanted.value().ranks;
  std::vector<LocalProcess> processes;
  std::vector<Standing> standings;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!ranks.empty() && !is_within(ranks, said[i].rank)) continue;
    processes.push_back(all[i]);
    standings.push_back(said[i]);
  }
  wanted.value().options.deadline_ns = context.deadline_ns - kReserveNs;
  const std::vector<StackRow> rows =
      rows_of(processes, standings, wanted.value().options, context.deadline_ns);
  HostAnswer answer;
  answer.rows = rows_as_json(rows);
  for (const StackRow& row : rows) {
    if (!row.stacks.unread.empty())
      answer.failed.push_back("process " + std::to_string(row.stacks.pid) + ": " +
                              row.stacks.unread);
  }
  return answer;
}

StackRow stacks_of(pid_t pid, const StackOptions& options) {
  LocalProcess process;
  process.host = own_host();
  process.pid = static_cast<uint32_t>(pid);
  const std::vector<ControlledProcess> controls = controlled_process(process.pid);
  if (!controls.empty()) {
    process.control = controls.front();
    process.host = parse_control_name(controls.front().name).host;
  }
  const int64_t now_ns = mono_now_ns();
  const std::vector<LocalProcess> processes = {process};
  const std::vector<Standing> standings = {ask_standing(process, now_ns + kProgressPatienceNs)};
  return rows_of(processes, standings, options, now_ns + kControlPatienceNs).front();
}

}  // namespace lockstep::live
