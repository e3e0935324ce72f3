#include "analysis/waits/shifted_calls.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace lockstep::analysis {
namespace {

// So many calls show it; what comes later may differ for reasons of its own.
constexpr size_t kMostCompared = 64;

using Passed = std::tuple<Text, uint64_t, Text, int32_t>;

// What the rank of an operation called from there on, on the same communicator.
std::vector<Passed> calls_from(const RunTables& run, uint32_t operation) {
  const OperationRow& first = run.operations[operation];
  std::vector<Passed> calls;
  for (uint32_t i = operation; i < run.operations.size() && calls.size() < kMostCompared; ++i) {
    const OperationRow& row = run.operations[i];
    if (row.process != first.process) break;
    if (row.communicator != first.communicator || row.rank != first.rank || row.position == kNoRow)
      continue;
    const int32_t root = row.kind == OpKind::Collective ? std::max(0, row.peer) : 0;
    calls.emplace_back(row.func, row.size_bytes, row.datatype, root);
  }
  return calls;
}

// Over all places that both have, of which there must be one.
bool equal_from(const std::vector<Passed>& a, size_t a_from, const std::vector<Passed>& b,
                size_t b_from) {
  if (a.size() <= a_from || b.size() <= b_from) return false;
  const size_t count = std::min(a.size() - a_from, b.size() - b_from);
  const auto begin = a.begin() + static_cast<ptrdiff_t>(a_from);
  return std::equal(begin, begin + static_cast<ptrdiff_t>(count),
                    b.begin() + static_cast<ptrdiff_t>(b_from));
}

}  // namespace

Shift shift_of(const RunTables& run, uint32_t odd, uint32_t other) {
  const std::vector<Passed> its = calls_from(run, odd), theirs = calls_from(run, other);
  if (its.size() < 2 || theirs.size() < 2 || equal_from(its, 1, theirs, 1)) return Shift::None;
  const bool more = equal_from(its, 1, theirs, 0), less = equal_from(its, 0, theirs, 1);
  if (more == less) return Shift::None;
  return more ? Shift::OneMore : Shift::OneLess;
}

}  // namespace lockstep::analysis
