#include "dumper/run/all_captures.h"

#include <algorithm>
#include <map>

#include "base/parallel.h"
#include "dumper/run/chunk_search.h"
#include "dumper/run/earlier_comms.h"
#include "dumper/segment/capture_notes.h"

namespace lockstep::dumper {
namespace {

// What one process noted, and which rank it is.
struct Noted {
  int64_t rank = -1;
  std::vector<NotedCapture> captures;
};

Noted noted_by(const ProcessEntry& process) {
  Noted noted;
  const LastTotals totals = last_totals(process);
  if (totals.ledger) noted.captures = noted_captures(totals.ledger->notes);
  if (!noted.captures.empty()) noted.rank = first_rank_of(process);
  return noted;
}

void add(const ProcessEntry& process, int64_t rank, const NotedCapture& noted, Capture* capture) {
  capture->id = noted.id;
  capture->by = noted.by;
  capture->rule = noted.rule;
  CaptureRank row;
  row.rank = rank;
  row.host = process.host;
  row.pid = process.pid;
  row.state = noted.stop_ns ? CaptureState::Stopped : CaptureState::Started;
  row.start_ns = noted.start_ns;
  row.stop_ns = noted.stop_ns;
  capture->ranks.push_back(std::move(row));
}

uint64_t begin_of(const Capture& capture) {
  uint64_t begin_ns = ~uint64_t{0};
  for (const CaptureRank& rank : capture.ranks)
    begin_ns = std::min(begin_ns, rank.start_ns.value_or(begin_ns));
  return begin_ns;
}

// Of a run of which nothing can be read: none.
std::vector<Capture> noted_in(const std::string& run) {
  const auto opened = RunDirectory::open(run);
  if (!opened.ok()) return {};
  std::vector<Capture> captures = captures_in_notes(opened.value());
  const auto has_file = [&](const Capture& capture) { return capture_has_file(run, capture.id); };
  captures.erase(std::remove_if(captures.begin(), captures.end(), has_file), captures.end());
  return captures;
}

}  // namespace

std::vector<Capture> captures_in_notes(const RunDirectory& run) {
  std::vector<Noted> noted(run.processes.size());
  in_parallel(noted.size(), 0, [&](size_t i) { noted[i] = noted_by(run.processes[i]); });
  std::map<std::string, Capture> by_id;
  for (size_t i = 0; i < noted.size(); ++i) {
    std::map<std::string, const NotedCapture*> last;
    for (const NotedCapture& one : noted[i].captures) last[one.id] = &one;
    for (const auto& [id, one] : last) add(run.processes[i], noted[i].rank, *one, &by_id[id]);
  }
  std::vector<Capture> captures;
  for (auto& [id, capture] : by_id) {
    std::stable_sort(capture.ranks.begin(), capture.ranks.end(),
                     [](const CaptureRank& a, const CaptureRank& b) { return a.rank < b.rank; });
    captures.push_back(std::move(capture));
  }
  std::stable_sort(captures.begin(), captures.end(),
                   [](const Capture& a, const Capture& b) { return begin_of(a) < begin_of(b); });
  return captures;
}

std::vector<Capture> all_captures(const std::string& run, std::vector<std::string>* damage) {
  std::vector<Capture> captures = read_captures(run, damage);
  for (Capture& capture : noted_in(run)) captures.push_back(std::move(capture));
  return captures;
}

Result<Capture> find_capture(const std::string& run, const std::string& id) {
  if (!is_capture_id(id) || capture_has_file(run, id)) return read_capture(run, id);
  std::string known;
  for (const std::string& one : capture_ids(run)) known += (known.empty() ? "" : ", ") + one;
  constexpr size_t kMostNamed = 3;  // of windows there may be thousands
  size_t named = 0, others = 0;
  for (Capture& capture : noted_in(run)) {
    if (capture.id == id) return std::move(capture);
    if (named++ < kMostNamed) {
      known += (known.empty() ? "" : ", ") + capture.id;
    } else {
      ++others;
    }
  }
  if (others != 0) known += " and " + std::to_string(others) + " more";
  return Status::error(run + ": there is no capture '" + id + "'; " +
                       (known.empty() ? "it has none" : "it has " + known));
}

bool is_only_noted(const std::string& run, const std::string& id) {
  return is_capture_id(id) && !capture_has_file(run, id) && find_capture(run, id).ok();
}

}  // namespace lockstep::dumper
