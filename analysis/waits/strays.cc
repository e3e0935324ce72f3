#include "analysis/waits/strays.h"

#include "analysis/waits/odd_runs.h"
#include "analysis/waits/usual_calls.h"

namespace lockstep::analysis {
namespace {

// What a rank did in at most one of so many such places is rare.
constexpr uint32_t kRarely = 4;

// None where nobody differs.
Suspects who_differs(const RunTables& run, const WaitGraph& graph, const HangCause& circle,
                     Sizes sizes) {
  std::vector<uint32_t> never, rarely, usually;
  for (const uint32_t actor : circle.actors) {
    const std::vector<uint32_t>& heads = graph.heads().of(actor);
    if (heads.empty()) continue;
    const Precedent before = precedent_of(run, heads.front(), sizes);
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
  return {};
}

// Whose calls, on streams of their own, went on for a while after one that was out of order.
Suspects who_differed(const RunTables& run, const WaitGraph& graph, const HangCause& circle) {
  const std::vector<Stray> strays = last_strays(run, Sizes::Ignored);
  std::vector<uint32_t> strayed;
  for (const uint32_t actor : circle.actors) {
    if (strays[graph.actors().process_of(actor)].first != kNoRow) strayed.push_back(actor);
  }
  if (2 * strayed.size() >= circle.actors.size()) return {};
  return {strayed, false, 0.8};
}

// Who left a call out, or made one more, among others that are like it.
Suspects who_miscounted(const RunTables& run, const WaitGraph& graph, const HangCause& circle) {
  const std::vector<bool> odd = last_runs_odd(run);
  std::vector<uint32_t> miscounted;
  for (const uint32_t actor : circle.actors) {
    if (odd[graph.actors().process_of(actor)]) miscounted.push_back(actor);
  }
  if (2 * miscounted.size() >= circle.actors.size()) return {};
  return {miscounted, false, 0.8};
}

}  // namespace

Suspects find_strays(const RunTables& run, const WaitGraph& graph, const HangCause& circle) {
  // Where sizes vary from call to call, no place is like another unless they are ignored.
  for (const Sizes sizes : {Sizes::Compared, Sizes::Ignored}) {
    Suspects who = who_differs(run, graph, circle, sizes);
    if (!who.actors.empty()) return who;
  }
  Suspects who = who_differed(run, graph, circle);
  if (who.actors.empty()) who = who_miscounted(run, graph, circle);
  if (!who.actors.empty()) return who;
  if (2 * circle.actors.size() < graph.actors().size()) return {circle.actors, true, 0.5};
  return {{}, true, 0.5};
}

}  // namespace lockstep::analysis
