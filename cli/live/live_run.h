// A running job as a run directory that the ordinary readers read: where the hosts share the run's
// folder, its processes are only told to write down what they have in memory; else the parts that the
// hosts send (live/questions/slice_answer.h) lie in a directory of their own, removed in the end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/live/live_arguments.h"
#include "dumper/run/kind_filter.h"
#include "dumper/run/selection.h"

namespace lockstep::cli {

struct LiveRunArguments : LiveArguments {
  bool live = false;
  std::string target;  // -t: HOST, HOST:PORT or a process id; empty: all
  uint64_t max_bytes = uint64_t{256} << 20;
  std::string kinds;  // that hosts send; empty: all
};
// As a mask. The error is wrong usage.
Result<uint32_t> wanted_kinds(const LiveRunArguments& arguments);

// --live, -t, --kinds and --max-bytes, and whom to ask without a RUN; --json is the command's own.
void add_live_run_options(base::Command& command, LiveRunArguments* arguments);

// What of the hosts' parts is not needed for what will be asked; see analysis/sql/narrow.h.
struct LiveNeeds {
  bool host_load = true;
  std::optional<std::pair<int64_t, int64_t>> ranks;
  bool has_times = false, is_of_operations = false;
  uint32_t kinds = dumper::kAllKinds;
  std::optional<int64_t> from_ns, to_ns;
};

class LiveRun {
 public:
  // Asks for this part of the run. The error: whom to ask is not clear, or nobody answered; then
  // `answers` tells of everybody.
  static Result<std::unique_ptr<LiveRun>> gather(LiveRunArguments arguments,
                                                 dumper::Selection selection,
                                                 const LiveNeeds& needs);
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  const std::string& directory() const { return directory_; }
  // What of the directory was asked for.
  const dumper::Selection& selection() const { return selection_; }
  const live::Answers& answers() const { return answers_; }

 private:
  LiveRun() = default;
  Status ask(const LiveRunArguments& arguments, const LiveNeeds& needs);
  Status ask_process(const LiveRunArguments& arguments, uint32_t pid);
  Status take_parts(const live::Targets& targets, const LiveRunArguments& arguments,
                    const LiveNeeds& needs, const live::AskTerms& terms);
  Status make_own_directory();

  std::string directory_, own_directory_;
  dumper::Selection selection_;
  live::Answers answers_;
};

// "host n3: no answer before the deadline", for each that did not answer.
std::vector<std::string> unanswered(const live::Answers& answers);

}  // namespace lockstep::cli
