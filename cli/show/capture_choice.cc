#include "cli/show/capture_choice.h"

#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "dumper/run/all_captures.h"
#include "dumper/run/chunk_search.h"
#include "dumper/run/run_directory.h"

namespace lockstep::cli {
namespace {

// Another process may have had the same id. A window may have begun before the first record, and one whose
// end nobody confirmed goes on.
bool is_of(const dumper::CaptureRank& rank, const dumper::ProcessSpan& recorded) {
  return *rank.start_ns <= recorded.last_raw_ns &&
         rank.stop_ns.value_or(*rank.start_ns) >= recorded.first_raw_ns;
}

// Of one of them.
std::optional<dumper::RawSpan> own_span(const dumper::Capture& capture,
                                        const dumper::ProcessEntry& process,
                                        const dumper::ProcessSpan& recorded) {
  std::optional<dumper::RawSpan> span;
  for (const dumper::CaptureRank& rank : capture.ranks) {
    if (rank.host != process.host || rank.pid != process.pid || !rank.start_ns ||
        !is_of(rank, recorded))
      continue;
    const uint64_t stop_ns = rank.stop_ns.value_or(~uint64_t{0});
    if (!span) span = {*rank.start_ns, stop_ns};
    span->from_ns = std::min(span->from_ns, *rank.start_ns);
    span->to_ns = std::max(span->to_ns, stop_ns);
  }
  return span;
}

// The time of all of them by their hosts' wall clocks.
struct WallSpan {
  int64_t from_ns = std::numeric_limits<int64_t>::max();
  int64_t to_ns = std::numeric_limits<int64_t>::min();
  void add(const dumper::RawSpan& span, const dumper::ProcessSpan& recorded) {
    const uint64_t end_ns = std::min(span.to_ns, recorded.last_raw_ns);
    from_ns = std::min(from_ns, static_cast<int64_t>(span.from_ns) + recorded.first_real_offset_ns);
    to_ns = std::max(to_ns, static_cast<int64_t>(end_ns) + recorded.last_real_offset_ns);
  }
};

bool is_directory(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

}  // namespace

Result<dumper::Selection> capture_selection(const std::string& id, std::string* directory) {
  const auto capture = dumper::find_capture(*directory, id);
  if (!capture.ok()) return capture.status();
  const std::string copies = dumper::capture_copies(*directory, id);
  if (is_directory(copies)) *directory = copies;
  auto opened = dumper::RunDirectory::open(*directory);
  if (!opened.ok()) return opened.status();
  dumper::RunDirectory& run = opened.value();
  dumper::Selection selection;
  selection.chosen.emplace();
  WallSpan wall;
  for (const dumper::ProcessEntry& process : run.processes) {
    const auto recorded = dumper::span_of(process);
    if (!recorded) continue;
    const auto span = own_span(capture.value(), process, *recorded);
    if (!span) continue;
    selection.chosen->emplace(process.uid, *span);
    wall.add(*span, *recorded);
  }
  if (selection.chosen->empty())
    return Status::error(*directory + ": no process of it began the capture '" + id + "'");
  dumper::Selection by_time;
  by_time.from = dumper::Instant{dumper::Instant::Since::Epoch, wall.from_ns};
  by_time.to = dumper::Instant{dumper::Instant::Since::Epoch, wall.to_ns};
  const auto spans = dumper::select(by_time, &run);
  for (size_t i = 0; spans.ok() && i < run.processes.size(); ++i)
    selection.chosen->emplace(run.processes[i].uid, spans.value()[i]);
  return selection;
}

}  // namespace lockstep::cli
