#include "analysis/waits/strays.h"

#include "analysis/waits/usual_calls.h"

namespace lockstep::analysis {
namespace {

// What a rank did in at most one of so many such places is rare.
constexpr uint32_t kRarely = 4;

}  // namespace

Suspects find_strays(const RunTables& run, const WaitGraph& graph, const HangCause& circle) {
  std::vector<uint32_t> never, rarely, usually;
  for (const uint32_t actor : circle.actors) {
    const std::vector<uint32_t>& heads = graph.heads().of(actor);
    if (heads.empty()) continue;
    const Precedent before = precedent_of(run, heads.front());
    if (before.never) never.push_back(actor);
    if (before.times < kRarely) continue;
    (kRarely * before.same <= before.times ? rarely : usually).push_back(actor);
  }
  const size_t all = circle.actors.size();
  if (!never.empty() && 2 * never.size() <= all) return {never, false, 0.95};
  // What all do now and then, as the barrier of a checkpoint, one does where it is not due, or leaves
  // out where it is.
  if (!rarely.empty() && 2 * rarely.size() < all) return {rarely, false, 0.8};
  if (usually.size() == 1 && rarely.size() + 1 == all && all > 2) return {usually, false, 0.7};
  if (2 * all < graph.actors().size()) return {circle.actors, true, 0.5};
  return {{}, true, 0.5};
}

}  // namespace lockstep::analysis
