#include "cli/capture/capture_past.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "cli/live/run_parts.h"
#include "dumper/run/chunk_search.h"
#include "dumper/run/earlier_comms.h"
#include "dumper/run/run_directory.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

// A segment may go for the disk budget between being found and being read: then its host is asked again.
constexpr int kMostTries = 3;

std::set<std::string> hosts_that_answered(const live::Answers& answers) {
  std::set<std::string> hosts;
  for (const live::HostRows& host : answers.hosts) hosts.insert(host.host);
  return hosts;
}

// A host that cannot be asked may have its files in a folder that we see as well.
live::Targets those_without_answer(const live::Targets& targets, const live::Answers& answers,
                                   bool directly) {
  const std::set<std::string> answered = hosts_that_answered(answers);
  live::Targets left = targets;
  auto& hosts = left.hosts;
  hosts.erase(
      std::remove_if(hosts.begin(), hosts.end(),
                     [&](const live::Target& host) { return answered.count(host.host) != 0; }),
      hosts.end());
  for (live::Target& host : hosts) {
    if (directly) host.way = live::Target::Way::Direct;
  }
  return left;
}

struct Taken {
  std::vector<live::SliceRow> rows;
  std::set<std::string> silent;  // hosts whose last records may be missing
};

Taken take_all(const PastTerms& terms, const live::Targets& targets, const LiveArguments& arguments,
               const std::string& folder, live::Answers* answers) {
  live::SliceRequest request;
  request.selection.last_ns = terms.last_ns;
  request.max_bytes = terms.max_bytes;
  Taken taken;
  live::Targets left = targets;
  for (int attempt = 1; attempt <= kMostTries && !left.hosts.empty(); ++attempt) {
    live::AskTerms ask = live_terms(arguments);
    ask.max_bytes = terms.max_bytes * left.hosts.size();
    live::Answers now;
    const auto rows = take_run_parts(left, request, ask, folder, &now);
    taken.rows.insert(taken.rows.end(), rows.begin(), rows.end());
    if (attempt == 1) *answers = now;
    left = those_without_answer(left, now, attempt + 1 == kMostTries);
    for (const live::Target& host : left.hosts) taken.silent.insert(host.host);
  }
  return taken;
}

// Of the processes whose files are there.
class Ranks {
 public:
  Ranks(const std::string& folder, const std::vector<ProcessLook>& looks)
      : looks_(looks), choice_(looks) {
    auto opened = dumper::RunDirectory::open(folder);
    if (opened.ok()) directory_ = std::move(opened.value());
  }

  void add(const live::SliceRow& row, const Taken& taken, const dumper::RawSpan& span,
           dumper::Capture* capture) const {
    const auto entry =
        std::find_if(directory_.processes.begin(), directory_.processes.end(),
                     [&](const dumper::ProcessEntry& process) { return process.uid == row.uid; });
    if (entry == directory_.processes.end()) return;
    dumper::CaptureRank rank;
    rank.host = row.host;
    rank.pid = row.pid;
    rank.state = taken.silent.count(row.host) != 0 ? dumper::CaptureState::Deaf
                                                   : dumper::CaptureState::Stopped;
    const auto first = dumper::span_of(*entry);
    rank.start_ns = std::max(span.from_ns, first ? first->first_raw_ns : 0);
    rank.stop_ns = std::min(span.to_ns, row.last_raw_ns);
    if (*rank.start_ns > *rank.stop_ns) return;  // it ended before that time
    const std::vector<int64_t> numbers = ranks_of(*entry);
    for (const int64_t number : numbers) {
      rank.rank = number;
      capture->ranks.push_back(rank);
    }
  }

 private:
  std::vector<int64_t> ranks_of(const dumper::ProcessEntry& entry) const {
    std::vector<int64_t> numbers;
    for (const ProcessLook& look : looks_) {
      if (look.host != entry.host || look.pid != entry.pid) continue;
      for (const MemberLook* member : choice_.members(look)) numbers.push_back(member->rank);
    }
    if (numbers.empty()) numbers.push_back(dumper::first_rank_of(entry));
    return numbers;
  }

  const std::vector<ProcessLook>& looks_;
  CommChoice choice_;
  dumper::RunDirectory directory_;
};

std::string events_of(const std::vector<ProcessLook>& looks) {
  std::set<std::string> known;
  for (const ProcessLook& look : looks) {
    if (look.answered) known.insert(look.events);
  }
  std::string text;
  for (const std::string& events : known) text += (text.empty() ? "" : " | ") + events;
  return text;
}

uint64_t bytes_in(const std::string& folder) {
  std::error_code ignored;
  uint64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
  }
  return bytes;
}

}  // namespace

Status keep_past(const PastTerms& terms, const live::Targets& targets,
                 const LiveArguments& arguments, dumper::Capture* capture, live::Answers* answers) {
  const std::string folder = dumper::capture_copies(terms.run, capture->id);
  std::error_code error;
  for (const std::string& path : {dumper::captures_folder(terms.run), folder}) {
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
      return Status::error(path + ": cannot be made: " + std::strerror(errno));
  }
  const auto looks = job_look(all_rows(
      live::ask_all(targets, {"ps", "{}", live::this_asker()}, live_terms(arguments), nullptr)));
  const Taken taken = take_all(terms, targets, arguments, folder, answers);
  align_parts(folder, taken.rows);
  live::SliceRequest request;
  request.selection.last_ns = terms.last_ns;
  const dumper::Selection selection = live::selection_of(request, taken.rows);
  const Ranks ranks(folder, looks);
  for (const live::SliceRow& row : taken.rows)
    ranks.add(row, taken, selection.chosen->at(row.uid), capture);
  std::stable_sort(capture->ranks.begin(), capture->ranks.end(),
                   [](const auto& a, const auto& b) { return a.rank < b.rank; });
  if (capture->ranks.empty()) {
    fs::remove_all(folder, error);
    return Status::error(terms.run + ": nobody has recorded anything in that time");
  }
  capture->events_before = capture->events_after = events_of(looks);
  capture->bytes = bytes_in(folder);
  return Status();
}

}  // namespace lockstep::cli
