#include "cli/capture/absent_ranks.h"

#include <algorithm>
#include <set>

#include "dumper/run/chunk_search.h"
#include "dumper/run/earlier_comms.h"
#include "dumper/run/run_directory.h"

namespace lockstep::cli {
namespace {

bool is_of(const dumper::CaptureRank& rank, const dumper::ProcessEntry& process) {
  return rank.host == process.host && rank.pid == process.pid;
}

void number(const dumper::RunDirectory& run, dumper::Capture* capture) {
  for (dumper::CaptureRank& rank : capture->ranks) {
    if (rank.rank >= 0) continue;
    for (const dumper::ProcessEntry& process : run.processes) {
      if (is_of(rank, process)) rank.rank = dumper::first_rank_of(process);
    }
  }
}

}  // namespace

void add_absent_ranks(const std::string& run, const std::vector<ProcessLook>& looks,
                      const CaptureScope& scope, const std::set<std::string>& hosts_heard,
                      dumper::Capture* capture) {
  auto opened = dumper::RunDirectory::open(run);
  if (!opened.ok()) return;
  number(opened.value(), capture);
  std::set<int64_t> known;
  for (const dumper::CaptureRank& rank : capture->ranks) known.insert(rank.rank);
  for (const dumper::ProcessEntry& process : opened.value().processes) {
    const auto& ranks = capture->ranks;
    if (!scope.hosts.empty() && scope.hosts.count(process.host) == 0) continue;
    if (std::any_of(ranks.begin(), ranks.end(),
                    [&](const auto& rank) { return is_of(rank, process); }) ||
        dumper::last_totals(process).ended)
      continue;
    dumper::CaptureRank rank;
    rank.rank = dumper::first_rank_of(process);
    if (rank.rank < 0 || known.count(rank.rank) != 0 ||
        (!scope.ranks.empty() && !is_within(scope.ranks, rank.rank)))
      continue;
    rank.host = process.host;
    rank.pid = process.pid;
    const bool is_there = std::any_of(looks.begin(), looks.end(), [&](const ProcessLook& look) {
      return look.host == process.host && look.pid == process.pid;
    });
    rank.state = is_there || hosts_heard.count(process.host) == 0 ? dumper::CaptureState::Deaf
                                                                  : dumper::CaptureState::Dead;
    known.insert(rank.rank);
    capture->ranks.push_back(rank);
  }
  std::stable_sort(capture->ranks.begin(), capture->ranks.end(),
                   [](const auto& a, const auto& b) { return a.rank < b.rank; });
}

}  // namespace lockstep::cli
