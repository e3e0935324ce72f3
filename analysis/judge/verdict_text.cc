#include <cstdio>

#include "analysis/judge/verdict.h"
#include "analysis/tables/labels.h"

namespace lockstep::analysis {

std::string communicator_name(const RunTables& run, uint32_t communicator) {
  if (communicator == kNoRow) return "an unknown communicator";
  const CommunicatorRow& comm = run.communicators[communicator];
  const std::string id = hex_text(comm.comm_id);
  std::string name = comm.name == 0 ? id : run.text(comm.name) + " (" + id + ")";
  if (comm.incarnation != 0) name += " no. " + std::to_string(comm.incarnation + 1);
  return name;
}

std::string operation_name(const RunTables& run, const OperationRow& row) {
  std::string name = run.text(row.func) + " #" + std::to_string(row.ordinal);
  if (row.replay != 0) name += " replay " + std::to_string(row.replay);
  return name;
}

std::string rank_list(const std::vector<int32_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (i == 16 && ranks.size() > 20) return text + ", ... (" + std::to_string(ranks.size()) + ")";
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  return text;
}

std::string seconds_text(double seconds) {
  char text[32];
  if (seconds >= 1) {
    snprintf(text, sizeof text, "%.1f s", seconds);
  } else if (seconds >= 1e-3) {
    snprintf(text, sizeof text, "%.1f ms", seconds * 1e3);
  } else {
    snprintf(text, sizeof text, "%.0f us", seconds * 1e6);
  }
  return text;
}

std::string nanoseconds_text(int64_t ns) { return seconds_text(static_cast<double>(ns) * 1e-9); }

}  // namespace lockstep::analysis
