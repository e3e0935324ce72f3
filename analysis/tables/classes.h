// The classes that operations are counted by besides their function, algorithm and protocol: how large they are,
// and whether their communicator reaches beyond a host. Its role is CommunicatorRow::role.
#pragma once

#include <iterator>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct SizeClass {
  uint64_t most_bytes;
  const char* name;
};
constexpr SizeClass kSizeClasses[] = {
    {4ull << 10, "up to 4 KiB"},   {64ull << 10, "up to 64 KiB"},   {1ull << 20, "up to 1 MiB"},
    {16ull << 20, "up to 16 MiB"}, {256ull << 20, "up to 256 MiB"}, {~0ull, "over 256 MiB"}};

constexpr size_t size_class_of(uint64_t bytes) {
  size_t at = 0;
  while (bytes > kSizeClasses[at].most_bytes) ++at;
  return at;
}

enum class Reach : uint8_t { Unknown, Inside, Between };
constexpr const char* kReachNames[] = {"unknown", "inside", "between"};

// For tables and reports: empty where it is not known.
constexpr const char* known_word(CommRole role) {
  return role == CommRole::Unknown ? "" : kCommRoleNames[static_cast<size_t>(role)];
}
constexpr const char* known_word(Reach reach) {
  return reach == Reach::Unknown ? "" : kReachNames[static_cast<size_t>(reach)];
}

// Inside one host or between several, as NCCL counted its nodes; where it did not (before table v4), as
// far as all its members are recorded.
inline Reach reach_of(const RunTables& run, const CommunicatorRow& row) {
  if (row.nnodes > 0) return row.nnodes == 1 ? Reach::Inside : Reach::Between;
  bool one_host = true;
  for (uint32_t m = row.first_member; m < row.first_member + row.members; ++m)
    one_host = one_host && run.processes[run.members[m].process].host ==
                               run.processes[run.members[row.first_member].process].host;
  if (!one_host) return Reach::Between;
  return row.members != 0 && row.members == static_cast<uint32_t>(row.nranks) ? Reach::Inside
                                                                              : Reach::Unknown;
}

}  // namespace lockstep::analysis
