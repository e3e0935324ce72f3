// What people read for a process and a communicator, the same in every sentence and every export.
#pragma once

#include <cinttypes>
#include <cstdio>
#include <string>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

inline std::string hex_text(uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%" PRIx64, number);
  return text;
}

inline std::string process_label(const RunTables& run, const ProcessRow& process) {
  std::string label = process.rank >= 0 ? "rank " + std::to_string(process.rank) + ", " : "";
  return label + run.text(process.host) + ", pid " + std::to_string(process.pid);
}

// Its name, or NCCL's id for it where nobody named it; both where another communicator has the name
// too. The second and later ones with one id are "#1", ...: column `incarnation`.
inline std::string communicator_label(const RunTables& run, uint32_t communicator) {
  if (communicator >= run.communicators.size()) return "an unknown communicator";
  const CommunicatorRow& row = run.communicators[communicator];
  std::string label = row.name != 0 ? run.text(row.name) : hex_text(row.comm_id);
  if (row.shares_name != 0) label += " (" + hex_text(row.comm_id) + ")";
  if (row.incarnation != 0) label += " #" + std::to_string(row.incarnation);
  return label;
}

}  // namespace lockstep::analysis
