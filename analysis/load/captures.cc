#include "analysis/load/captures.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/relate/run_clock.h"
#include "base/text.h"
#include "dumper/run/capture_file.h"
#include "dumper/run/run_files.h"

namespace lockstep::analysis {
namespace {

// The rows of `processes` that have this host and id: more than one where the id was used again.
using Processes = std::multimap<std::pair<std::string, uint32_t>, uint32_t>;

// Whether what is loaded of the process reaches into the capture.
bool was_there(const ProcessRow& process, const CaptureRow& row) {
  if (row.start_ns == kNoTime || process.first_ns == kNoTime) return true;
  return row.start_ns <= process.last_ns &&
         (row.stop_ns == kNoTime || process.first_ns <= row.stop_ns);
}

class Rows {
 public:
  explicit Rows(RunTables* run) : run_(*run) {
    for (uint32_t p = 0; p < run->processes.size(); ++p) {
      const ProcessRow& process = run->processes[p];
      processes_.emplace(std::make_pair(run->text(process.host), process.pid), p);
    }
  }

  void add(const dumper::Capture& capture) {
    from_files_.insert(capture.id);
    for (const dumper::CaptureRank& rank : capture.ranks) {
      CaptureRow row;
      row.capture = run_.strings.intern(capture.id);
      row.name = run_.strings.intern(capture.name);
      row.asked_by = run_.strings.intern(capture.by);
      row.rule = run_.strings.intern(capture.rule);
      row.host = run_.strings.intern(rank.host);
      row.pid = rank.pid;
      row.state = run_.strings.intern(dumper::kCaptureStateNames[static_cast<size_t>(rank.state)]);
      row.rank = static_cast<int32_t>(rank.rank);
      if (rank.position) row.position = static_cast<int64_t>(*rank.position);
      place(rank, &row);
      run_.captures.push_back(row);
    }
  }

  void add(uint32_t process, const dumper::NotedCapture& noted) {
    if (from_files_.count(noted.id) != 0) return;
    const ProcessRow& of = run_.processes[process];
    HostAxis axis(run_, process);
    CaptureRow row;
    row.capture = run_.strings.intern(noted.id);
    row.asked_by = run_.strings.intern(noted.by);
    row.rule = run_.strings.intern(noted.rule);
    row.host = of.host;
    row.pid = of.pid;
    row.rank = of.rank;
    row.process = process;
    const auto state =
        noted.stop_ns ? dumper::CaptureState::Stopped : dumper::CaptureState::Started;
    row.state = run_.strings.intern(dumper::kCaptureStateNames[static_cast<size_t>(state)]);
    row.start_ns = axis.to_run_ns(static_cast<int64_t>(noted.start_ns));
    if (noted.stop_ns) row.stop_ns = axis.to_run_ns(static_cast<int64_t>(*noted.stop_ns));
    if (was_there(of, row)) run_.captures.push_back(row);
  }

 private:
  void place(const dumper::CaptureRank& rank, CaptureRow* row) {
    const auto [begin, end] = processes_.equal_range({rank.host, rank.pid});
    for (auto it = begin; it != end; ++it) {
      HostAxis axis(run_, it->second);
      const auto on_axis = [&](const std::optional<uint64_t>& raw_ns) {
        return raw_ns ? axis.to_run_ns(static_cast<int64_t>(*raw_ns)) : kNoTime;
      };
      CaptureRow here = *row;
      here.process = it->second;
      here.start_ns = on_axis(rank.start_ns);
      here.stop_ns = on_axis(rank.stop_ns);
      if (was_there(run_.processes[it->second], here)) *row = here;
    }
  }

  RunTables& run_;
  Processes processes_;
  std::set<std::string> from_files_;  // ids
};

}  // namespace

void add_captures(const std::string& directory, const NotedCaptures& noted, RunTables* run) {
  std::vector<std::string> damage;
  // The copies of a capture lie in a folder of the run's captures.
  const std::string folder = dumper::parent_of(directory);
  const bool is_copy = folder != directory && base_name(folder) == "captures";
  const auto captures =
      dumper::read_captures(is_copy ? dumper::parent_of(folder) : directory, &damage);
  run->notes.insert(run->notes.end(), damage.begin(), damage.end());
  Rows rows(run);
  for (const dumper::Capture& capture : captures) rows.add(capture);
  for (uint32_t process = 0; process < run->processes.size(); ++process) {
    const auto found = noted.find(run->processes[process].uid);
    if (found == noted.end()) continue;
    for (const dumper::NotedCapture& one : found->second) rows.add(process, one);
  }
  std::stable_sort(run->captures.begin(), run->captures.end(),
                   [](const CaptureRow& a, const CaptureRow& b) { return a.process < b.process; });
}

}  // namespace lockstep::analysis
