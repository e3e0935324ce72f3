#include "analysis/paths/tree_excess.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/chance/chance.h"
#include "analysis/paths/moment_chance.h"
#include "analysis/paths/seen_tree.h"
#include "analysis/paths/slow_moments.h"
#include "analysis/paths/tree_counterparts.h"
#include "analysis/transfers/middle.h"

namespace lockstep::analysis {
namespace {

// By this part the last of the data must take longer over an edge than usual, or all of it on a communicator.
constexpr double kLeastMoreOfLast = 0.25;
// ... or by so much than over the edge at its place in the other tree, where it may be so by chance.
constexpr double kMuchMoreOfLast = 1;
// By this part network steps must take longer over an edge than is usual at such a place of a tree; and by such a part of what
// they take longer over its slowest edge.
constexpr double kLeastMoreOfStep = 0.25, kLeastOfMost = 0.5;
// Of fewer edges nothing is usual.
constexpr size_t kFewestAlike = 3;
// It is the receiver that is slow where it is late by this part of what an edge takes longer.
constexpr double kLeastOfLag = 0.5;
// An edge waits for room behind one that it feeds where that shows this part of what it shows itself, or where the last of
// the data takes nearly as long over that one: behind an edge that is slow itself it would take one step only.
constexpr double kWaitsForRoom = 0.3, kAsLong = 0.8;
// Where a rank starts late, what others had sent fills the buffers before it, and each edge is as far behind as these
// are deep, in steps: NCCL_STEPS.
constexpr int64_t kBuffers = 8;

// One of so few hosts, which are in the middle of one tree and at the end of another, has most of the edges.
constexpr size_t kFewHosts = 4;

// What is usual of a role, and by how much that may be longer.
struct Usual {
  int64_t ns = kNoTime, unsure_ns = 0;
};
Usual usual_of(const std::vector<Middle>& all, size_t hosts) {
  std::vector<int64_t> middles;
  for (const Middle& one : all) middles.push_back(one.ns);
  Usual usual;
  if (all.size() < 2) return usual;
  usual.ns = hosts <= kFewHosts ? reference_of_few(middles) : reference_of(middles);
  usual.unsure_ns = unsureness_of(all, usual.ns);
  return usual;
}

bool has_several_communicators(const std::vector<const SeenTree*>& trees) {
  return std::any_of(trees.begin(), trees.end(), [&](const SeenTree* tree) {
    return tree->series().communicator != trees.front()->series().communicator;
  });
}

// What a slow edge does not take is not taken up before it either, back to where the tree begins.
// more: by edge, what each shows; 0: nothing.
void acquit_what_waits_for_room(const std::vector<SeenTreeEdge>& edges,
                                std::vector<int64_t>* more) {
  const std::vector<int64_t> shown = *more;
  for (size_t i = 0; i < edges.size(); ++i) {
    for (const size_t feeder : edges[i].fed_by) {
      const bool as_long =
          edges[i].last.known() && edges[i].last.ns >= part_of(edges[feeder].last.ns, kAsLong);
      if (as_long || (shown[i] > 0 && shown[i] >= part_of(shown[feeder], kWaitsForRoom)))
        (*more)[feeder] = 0;
    }
  }
}

bool any_shown(const std::vector<int64_t>& more) {
  return std::any_of(more.begin(), more.end(), [](int64_t ns) { return ns != 0; });
}

TransferExcess excess_of(const TreeSeries& series, size_t edge) {
  TransferExcess excess;
  excess.side = SlowSide::SenderOrLink;
  excess.actors = {series.edges[edge].from, series.edges[edge].to};
  excess.communicator = series.communicator;
  excess.channel = series.channel;
  excess.of_tree = true;
  return excess;
}

class TreesAlike {
 public:
  TreesAlike(const RunTables& run, size_t hosts, std::vector<const SeenTree*> trees)
      : run_(run),
        hosts_(hosts),
        trees_(std::move(trees)),
        several_(has_several_communicators(trees_)) {
    std::map<size_t, std::vector<Middle>> roles;
    for (const SeenTree* tree : trees_) {
      for (const SeenTreeEdge& edge : tree->edges()) {
        if (edge.last.known()) roles[role_of(edge)].push_back(edge.last);
      }
    }
    for (const auto& [role, all] : roles) usual_[role] = usual_of(all, hosts);
    std::vector<int64_t> lags;
    for (const SeenTree* tree : trees_) {
      for (const SeenTreeEdge& edge : tree->edges()) {
        if (!edge.up && edge.lag.known()) lags.push_back(edge.lag.ns);
      }
    }
    if (lags.size() > 1) usual_lag_ns_ = reference_of(lags);
    note_steps();
  }

  // `not_always`: those that show nothing in all of their operations.
  void judge(std::vector<TransferExcess>* out, std::vector<const SeenTree*>* not_always) const {
    for (const SeenTree* tree : trees_) {
      const size_t before = out->size();
      if (!judge_steps(*tree, out)) judge_tree(*tree, out);
      if (out->size() == before) not_always->push_back(tree);
    }
  }

 private:
  // Edges of a role are alike: from as many as share the host where they fork; of two hosts, in one direction.
  size_t role_of(const SeenTreeEdge& edge) const {
    if (hosts_ == 2) return several_ && edge.from > edge.to ? 1 : 0;
    return edge.beside.size();
  }

  // Up or down, beside so many others that share a host's way to the network with it, and whether the tree begins there.
  using Place = std::tuple<uint32_t, bool, size_t, bool>;
  static Place place_of(const SeenTree& tree, const SeenTreeEdge& edge) {
    return {tree.series().communicator, edge.up, edge.beside.size(), edge.fed_by.empty()};
  }
  void note_steps() {
    std::map<Place, std::vector<int64_t>> alike;
    for (const SeenTree* tree : trees_) {
      for (const SeenTreeEdge& edge : tree->edges()) {
        if (edge.step.known()) alike[place_of(*tree, edge)].push_back(edge.step.ns);
      }
    }
    for (const auto& [place, steps] : alike) {
      if (steps.size() >= kFewestAlike) usual_step_ns_[place] = reference_of(steps);
    }
  }
  // By network steps, which tell of the link alone. False: they show nothing.
  bool judge_steps(const SeenTree& tree, std::vector<TransferExcess>* out) const {
    std::vector<std::pair<size_t, int64_t>> slow;
    int64_t most_ns = 0;
    for (size_t i = 0; i < tree.edges().size(); ++i) {
      const SeenTreeEdge& edge = tree.edges()[i];
      const auto usual = usual_step_ns_.find(place_of(tree, edge));
      if (usual == usual_step_ns_.end() || !edge.step.known() ||
          !stands_out(edge.step, usual->second, part_of(usual->second, kLeastMoreOfStep)))
        continue;
      slow.emplace_back(i, edge.step.ns - usual->second);
      most_ns = std::max(most_ns, slow.back().second);
    }
    // What waits for a slow edge may show some of that.
    slow.erase(std::remove_if(
                   slow.begin(), slow.end(),
                   [&](const auto& one) { return one.second < part_of(most_ns, kLeastOfMost); }),
               slow.end());
    const Middle time = tree.time();
    if (slow.empty() || !time.known()) return false;
    int64_t all_ns = static_cast<int64_t>(tree.series().steps) * most_ns;
    for (const int64_t longer_ns : {longer_than_elsewhere(tree), longer_than_beside(tree)}) {
      if (longer_ns != 0) all_ns = std::min(all_ns, longer_ns);
    }
    all_ns = std::min(all_ns, part_of(time.ns, 0.9));
    for (const auto& [i, more_ns] : slow) {
      TransferExcess& excess = out->emplace_back(excess_of(tree.series(), i));
      excess.side = SlowSide::Link;
      excess.of_tree = false;
      excess.matches = tree.series().matches;
      excess.excess_ns = all_ns / static_cast<int64_t>(slow.size());
      excess.usual_ns = std::max<int64_t>(1, time.ns - all_ns);
      excess.sure = true;
    }
    return true;
  }

  void judge_tree(const SeenTree& tree, std::vector<TransferExcess>* out) const {
    const std::vector<SeenTreeEdge>& edges = tree.edges();
    std::vector<int64_t> more(edges.size());
    for (size_t i = 0; i < edges.size(); ++i) more[i] = more_than_usual(edges[i]);
    if (any_shown(more)) acquit_what_is_so_in_both_trees(tree, &more);
    acquit_what_waits_for_room(edges, &more);
    const int64_t than_beside_ns = longer_than_beside(tree);
    const bool shown = any_shown(more);
    if (!shown && than_beside_ns != 0) {
      if (const auto first = tree.begins_last()) more[*first] = than_beside_ns;
    }
    const auto slow = edges.size() - static_cast<size_t>(std::count(more.begin(), more.end(), 0));
    const Middle time = tree.time();
    if (slow == 0 || !time.known()) return;
    const int64_t longer_ns = shown ? longer_than_elsewhere(tree) : than_beside_ns;
    const int64_t all_ns =
        std::min(longer_ns != 0 ? longer_ns : cost_ns(tree, more, time.ns), part_of(time.ns, 0.9));
    for (size_t i = 0; i < edges.size(); ++i) {
      if (more[i] == 0) continue;
      const auto found = usual_.find(role_of(edges[i]));
      const Usual usual = found != usual_.end() ? found->second : Usual();
      TransferExcess& excess = out->emplace_back(excess_of(tree.series(), i));
      if (is_taken_up_late(edges[i], more[i])) excess.side = SlowSide::Receiver;
      excess.matches = tree.series().matches;
      if (shown) excess.across_ns = more[i];
      excess.usual_across = hosts_ == 2 && !several_;
      excess.excess_ns = all_ns / static_cast<int64_t>(slow);
      excess.usual_ns = std::max<int64_t>(1, time.ns - all_ns);
      excess.sure = tree.is_together() || longer_ns != 0 || more[i] > kBuffers * usual.ns;
      excess.steady = !shown || is_steady(edges[i].last, usual.ns, usual.unsure_ns);
    }
  }

  // What goes up waits at a host for what else does, and for all ranks there; what comes down only for who takes it up.
  bool is_taken_up_late(const SeenTreeEdge& edge, int64_t more_ns) const {
    return !edge.up && usual_lag_ns_ != kNoTime &&
           stands_out(edge.lag, usual_lag_ns_, part_of(more_ns, kLeastOfLag));
  }

  // 0: it does not stand out.
  int64_t more_than_usual(const SeenTreeEdge& edge) const {
    if (!edge.last.known()) return 0;
    const int64_t usual_ns = usual_.at(role_of(edge)).ns;
    if (usual_ns == kNoTime ||
        !stands_out(edge.last, usual_ns, part_of(std::max<int64_t>(0, usual_ns), kLeastMoreOfLast)))
      return 0;
    return edge.last.ns - usual_ns;
  }

  // What takes as long at the same place of the other tree does so by what the hosts there have to carry.
  void acquit_what_is_so_in_both_trees(const SeenTree& tree, std::vector<int64_t>* more) const {
    const std::vector<Text> hosts = hosts_in_order(run_, tree);
    for (const SeenTree* other : trees_) {
      if (other->series().communicator != tree.series().communicator) continue;
      const std::vector<size_t> counterparts = counterparts_of(hosts, tree, *other);
      for (size_t i = 0; i < counterparts.size(); ++i) {
        const SeenTreeEdge &edge = tree.edges()[i], &there = other->edges()[counterparts[i]];
        if ((*more)[i] == 0 || there.last.count == 0 || have_a_host_in_common(edge, there))
          continue;
        const int64_t there_ns = std::max<int64_t>(0, there.last.ns);
        const bool much_longer =
            stands_out(edge.last, there_ns, part_of(there_ns, kMuchMoreOfLast));
        const int64_t least_ns = part_of(there_ns, kLeastMoreOfLast);
        if (!much_longer && edge.last.at_least_ns - there.last.at_most_ns < least_ns)
          (*more)[i] = 0;
      }
    }
  }
  // If that is slow, both are.
  static bool have_a_host_in_common(const SeenTreeEdge& a, const SeenTreeEdge& b) {
    return a.from == b.from || a.from == b.to || a.to == b.from || a.to == b.to;
  }

  // A slow edge sets the pace of every step: so it costs what operations take longer than steps that take as long
  // as the last usually does, one behind the other; not more than each of them shows, nor less than one.
  int64_t cost_ns(const SeenTree& tree, const std::vector<int64_t>& more, int64_t time_ns) const {
    const size_t worst =
        static_cast<size_t>(std::max_element(more.begin(), more.end()) - more.begin());
    const int64_t usual_ns = usual_.at(role_of(tree.edges()[worst])).ns;
    const auto steps = static_cast<int64_t>(std::max<uint64_t>(1, tree.series().steps));
    const auto passed = static_cast<int64_t>(tree.longest_way());
    const int64_t longer_ns = time_ns - (steps - 1 + passed) * usual_ns;
    return std::clamp(longer_ns, more[worst], steps * more[worst]);
  }
  // By how much this channel takes longer than on other communicators; 0: it does not stand out, or is the only one.
  int64_t longer_than_elsewhere(const SeenTree& tree) const {
    return longer_than(tree, [&](const TreeSeries& other) {
      return other.communicator != tree.series().communicator &&
             other.channel == tree.series().channel;
    });
  }
  // By how much it takes longer than the other channels of its communicator.
  int64_t longer_than_beside(const SeenTree& tree) const {
    if (!tree.is_together()) return 0;
    return longer_than(tree, [&](const TreeSeries& other) {
      return other.communicator == tree.series().communicator &&
             other.channel != tree.series().channel;
    });
  }
  template <class Counts>
  int64_t longer_than(const SeenTree& tree, Counts counts) const {
    std::vector<int64_t> times;
    for (const SeenTree* other : trees_) {
      if (counts(other->series()) && other->time().known()) times.push_back(other->time().ns);
    }
    if (times.empty()) return 0;
    const int64_t usual_ns = reference_of(times);
    return stands_out(tree.time(), usual_ns, part_of(usual_ns, kLeastMoreOfLast))
               ? tree.time().ns - usual_ns
               : 0;
  }

  const RunTables& run_;
  const size_t hosts_;
  const std::vector<const SeenTree*> trees_;
  const bool several_;              // communicators
  std::map<size_t, Usual> usual_;   // by role
  int64_t usual_lag_ns_ = kNoTime;  // of edges down
  std::map<Place, int64_t> usual_step_ns_;
};

// A tree that is slow at times, against its other times.
class TreeAtTimes {
 public:
  // `step_of`: by row of `matches`.
  TreeAtTimes(const SeenTree& all, const SeenTree& slow, const SeenTree& usual,
              const SlowMoments& moments, const std::vector<uint32_t>& step_of)
      : all_(all), slow_(slow), usual_(usual), moments_(moments) {
    for (const uint32_t m : moments.slow) steps_[step_of[all.series().matches[m]]].push_back(m);
    all_longer_ = all_longer();
  }

  void judge(std::vector<TransferExcess>* out) const {
    const std::vector<SeenTreeEdge>& edges = slow_.edges();
    std::vector<int64_t> more(edges.size());
    for (size_t i = 0; i < edges.size(); ++i) more[i] = more_than_usual(i);
    const std::vector<int64_t> shown = more;
    acquit_what_waits_for_room(edges, &more);
    std::vector<size_t> may_be;  // what waits for room may show more than what it waits for
    for (size_t i = 0; i < edges.size(); ++i) {
      if (shown[i] == more[i]) may_be.push_back(i);
    }
    for (size_t i = 0; i < edges.size(); ++i) {
      if (more[i] != 0 && chance_of_edge(i, may_be) > kMostChanceOfMoments) more[i] = 0;
    }
    if (!any_shown(more)) accuse_beginning(&more);
    const auto slow = edges.size() - static_cast<size_t>(std::count(more.begin(), more.end(), 0));
    for (size_t i = 0; i < edges.size(); ++i) {
      if (more[i] == 0) continue;
      TransferExcess& excess = out->emplace_back(excess_of(all_.series(), i));
      for (const uint32_t m : moments_.slow) excess.matches.push_back(all_.series().matches[m]);
      excess.excess_ns = (slow_.time().ns - moments_.usual_ns) / static_cast<int64_t>(slow);
      excess.usual_ns = moments_.usual_ns;
      excess.sure = slow_.is_together();
    }
  }

 private:
  // What makes all edges slow lengthens what each shows alike.
  int64_t usual_ns(size_t i) const { return part_of(usual_.edges()[i].last.ns, all_longer_); }
  // By so many times; of one edge alone, as it does the whole.
  double all_longer() const {
    std::vector<double> longer;
    for (size_t i = 0; i < slow_.edges().size(); ++i) {
      const Middle &now = slow_.edges()[i].last, &before = usual_.edges()[i].last;
      if (now.known() && before.known() && before.ns > 0)
        longer.push_back(times_of(now.ns, before.ns));
    }
    if (longer.size() < 2) return times_of(slow_.time().ns, moments_.usual_ns);
    return std::max(1.0, *std::min_element(longer.begin(), longer.end()));
  }
  static double times_of(int64_t ns, int64_t of_ns) {
    return static_cast<double>(ns) / static_cast<double>(of_ns);
  }
  int64_t more_than_usual(size_t i) const {
    const Middle& last = slow_.edges()[i].last;
    if (!last.known() || !usual_.edges()[i].last.known()) return 0;
    const int64_t usual = usual_ns(i);
    return stands_out(last, usual, part_of(usual, kLeastMoreOfLast)) ? last.ns - usual : 0;
  }
  // Of those edges alone that nothing feeds.
  void accuse_beginning(std::vector<int64_t>* more) const {
    const auto first = slow_.begins_last();
    if (first && first != usual_.begins_last() &&
        chance_of_beginning(*first) <= kMostChanceOfMoments)
      (*more)[*first] = slow_.time().ns - moments_.usual_ns;
  }

  // That noise makes this edge the one that shows most in so many of the slow steps.
  double chance_of_edge(size_t edge, const std::vector<size_t>& may_be) const {
    std::map<size_t, std::vector<int64_t>> shown;
    size_t alike = 0;
    for (const size_t i : may_be) {
      shown[i] = all_.last_parts(i);
      for (int64_t& ns : shown[i]) ns = ns == kNoTime ? 0 : ns - usual_ns(i);
      const auto tells = [&](uint32_t m) { return shown[i][m] != 0; };
      alike += std::any_of(moments_.slow.begin(), moments_.slow.end(), tells) ? 1 : 0;
    }
    return chance_by_steps(alike, [&](uint32_t m) {
      return std::all_of(shown.begin(), shown.end(), [&](const auto& other) {
        return shown[edge][m] >= part_of(other.second[m], kNearlyMost);
      });
    });
  }
  double chance_of_beginning(size_t edge) const {
    const auto& edges = slow_.edges();
    const auto alike = std::count_if(edges.begin(), edges.end(), [](const SeenTreeEdge& one) {
      return one.up && one.fed_by.empty();
    });
    if (alike < 2) return 1;
    return chance_by_steps(static_cast<size_t>(alike),
                           [&](uint32_t m) { return all_.begins_last(m) == edge; });
  }
  // is_it: of an operation. 0 if there is no other edge.
  template <class IsIt>
  double chance_by_steps(size_t alike, IsIt is_it) const {
    if (alike < 2) return 0;
    std::vector<TrialLoss> trials;
    for (const auto& [step, operations] : steps_) {
      const auto here = std::count_if(operations.begin(), operations.end(), is_it);
      const bool its = 2 * static_cast<size_t>(here) > operations.size();
      trials.push_back({its ? 1 : 0, its ? 0 : 1});
    }
    return chance_of(trials, 1 / static_cast<double>(alike));
  }

  const SeenTree &all_, &slow_, &usual_;
  const SlowMoments& moments_;
  std::map<uint32_t, std::vector<uint32_t>> steps_;  // slow operations
  double all_longer_ = 1;
};

void judge_at_times(const SeenTree& tree, const std::vector<uint32_t>& step_of,
                    std::vector<TransferExcess>* out) {
  const std::vector<int64_t>& times = tree.times();
  if (std::count(times.begin(), times.end(), kNoTime) != 0) return;
  const SlowMoments moments = find_slow_moments(times);
  if (moments.slow.empty()) return;
  const SeenTree slow = tree.among(moments.slow), usual = tree.among(moments.usual);
  if (slow.time().known()) TreeAtTimes(tree, slow, usual, moments, step_of).judge(out);
}

}  // namespace

std::vector<TransferExcess> excesses_of_trees(const RunTables& run, const OwnSegments& own,
                                              const std::vector<TreeSeries>& trees,
                                              const std::vector<uint32_t>& step_of) {
  std::vector<SeenTree> known;
  for (const TreeSeries& series : trees) {
    SeenTree tree(run, own, series);
    if (tree.is_known()) known.push_back(std::move(tree));
  }
  std::map<std::tuple<Text, uint64_t, int32_t, size_t>, std::vector<const SeenTree*>> classes;
  for (const SeenTree& tree : known) classes[tree.series().alike].push_back(&tree);
  std::vector<TransferExcess> out;
  std::vector<const SeenTree*> not_always;
  for (auto& [alike, all] : classes)
    TreesAlike(run, std::get<3>(alike), std::move(all)).judge(&out, &not_always);
  for (const SeenTree* tree : not_always) judge_at_times(*tree, step_of, &out);
  return out;
}

}  // namespace lockstep::analysis
