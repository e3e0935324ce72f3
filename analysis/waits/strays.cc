#include "analysis/waits/strays.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "analysis/waits/odd_runs.h"
#include "analysis/waits/usual_calls.h"

namespace lockstep::analysis {
namespace {

// What a rank did in at most one of so many such places is rare.
constexpr uint32_t kRarely = 4;
// Of fewer ranks, the other may be who left out what the one is in.
constexpr size_t kFewestToAgree = 3;

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

// Of two, one.
bool are_few(const std::vector<uint32_t>& actors, const HangCause& circle) {
  return actors.size() == 1 || 2 * actors.size() < circle.actors.size();
}

// Whose calls, on streams of their own, went on for a while after one that was out of order.
Suspects who_differed(const RunTables& run, const WaitGraph& graph, const HangCause& circle) {
  const std::vector<Stray> strays = last_strays(run, Sizes::Ignored);
  std::vector<uint32_t> strayed;
  for (const uint32_t actor : circle.actors) {
    if (strays[graph.actors().process_of(actor)].first != kNoRow) strayed.push_back(actor);
  }
  if (!are_few(strayed, circle)) return {};
  return {strayed, false, 0.8};
}

// Who left a call out, or made one more, among others that are like it.
Suspects who_miscounted(const RunTables& run, const WaitGraph& graph, const HangCause& circle) {
  const std::vector<bool> odd = last_runs_odd(run);
  std::vector<uint32_t> miscounted;
  for (const uint32_t actor : circle.actors) {
    if (odd[graph.actors().process_of(actor)]) miscounted.push_back(actor);
  }
  if (!are_few(miscounted, circle)) return {};
  return {miscounted, false, 0.8};
}

// Who alone is in a collective that none of its other ranks came to, and alone is missing in another, whatever came before.
Suspects who_is_alone(const WaitGraph& graph, const HangCause& circle) {
  std::set<uint32_t> inside, missing;
  for (const uint32_t s : circle.stalls) {
    const Stall& stall = graph.stalls()[s];
    if (stall.pair || stall.members.size() < kFewestToAgree) continue;
    std::vector<uint32_t> here, away;
    for (const StallMember& one : stall.members) {
      const bool entered = one.stand == Stand::Inside || one.stand == Stand::NotBegun;
      (entered ? here : away).push_back(one.actor);
    }
    if (here.size() == 1) inside.insert(here.front());
    if (away.size() == 1) missing.insert(away.front());
  }
  std::vector<uint32_t> alone;
  std::set_intersection(inside.begin(), inside.end(), missing.begin(), missing.end(),
                        std::back_inserter(alone));
  if (alone.size() != 1) return {};
  return {alone, false, 0.8};
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
  if (who.actors.empty()) who = who_is_alone(graph, circle);
  if (!who.actors.empty()) return who;
  if (2 * circle.actors.size() < graph.actors().size()) return {circle.actors, true, 0.5};
  return {{}, true, 0.5};
}

}  // namespace lockstep::analysis
