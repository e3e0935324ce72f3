#include "cli/live/ras_text.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/number_ranges.h"

namespace lockstep::cli {
namespace {

// "AllGather 12, AllReduce 640, gave up".
std::string state_of(const live::RasRank& rank) {
  std::string text;
  for (const auto& [func, count] : rank.launched) {
    if (count != 0) text += (text.empty() ? "" : ", ") + func + " " + std::to_string(count);
  }
  if (text.empty()) text = "nothing launched";
  if (rank.async_error != 0) text += ", NCCL error " + std::to_string(rank.async_error);
  if (rank.aborted) text += ", gave up";
  if (rank.destroyed || rank.finalize_called) text += ", finalizing";
  return text;
}

std::string missing_text(const live::RasMissingRank& rank) {
  return "  rank " + std::to_string(rank.rank) + ", pid " + std::to_string(rank.pid) + " on " +
         rank.host + ": " +
         (rank.considered_dead ? "considered dead"
          : rank.unresponsive  ? "does not answer"
                               : "missing") +
         "\n";
}

std::string communicator_text(const live::RasCommunicator& comm) {
  char id[24];
  std::snprintf(id, sizeof id, "0x%" PRIx64, comm.hash);
  std::string text = std::string(id) + ", " + std::to_string(comm.size) + " ranks, " +
                     std::to_string(comm.ranks.size()) + " answered\n";
  std::vector<std::pair<std::string, std::vector<int64_t>>> groups;
  for (const live::RasRank& rank : comm.ranks) {
    const std::string state = state_of(rank);
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return group.first == state; });
    if (found != groups.end())
      found->second.push_back(rank.rank);
    else
      groups.push_back({state, {rank.rank}});
  }
  for (const auto& [state, ranks] : groups)
    text +=
        (ranks.size() == 1 ? "  rank " : "  ranks ") + number_ranges(ranks) + ": " + state + "\n";
  for (const live::RasMissingRank& rank : comm.missing) text += missing_text(rank);
  return text;
}

}  // namespace

std::string ras_text(const live::RasReport& report) {
  std::string text = "NCCL " + report.nccl_version + ", " + report.timestamp + "\n";
  for (const live::RasCommunicator& comm : report.communicators) text += communicator_text(comm);
  if (report.communicators.empty()) text += "No communicator.\n";
  if (report.timeouts != 0)
    text += std::to_string(report.timeouts) + (report.timeouts == 1 ? " process" : " processes") +
            " did not answer RAS in time.\n";
  return text;
}

bool all_well(const live::RasReport& report) {
  return std::all_of(report.communicators.begin(), report.communicators.end(),
                     [](const live::RasCommunicator& comm) {
                       return comm.missing.empty() &&
                              std::all_of(comm.ranks.begin(), comm.ranks.end(),
                                          [](const live::RasRank& rank) {
                                            return rank.async_error == 0 && !rank.aborted;
                                          });
                     });
}

}  // namespace lockstep::cli
