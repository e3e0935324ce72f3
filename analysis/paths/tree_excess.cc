#include "analysis/paths/tree_excess.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "analysis/paths/middle.h"

namespace lockstep::analysis {
namespace {

// By this part the last of the data must take longer over an edge than usual, or all of it on a communicator.
constexpr double kLeastMoreOfLast = 0.25;
// An edge waits for room behind one that it feeds where that shows this part of what it shows itself.
constexpr double kWaitsForRoom = 0.5;
// Where a rank starts late, what others had sent fills the buffers before it, and each edge is as far behind as these
// are deep, in steps: NCCL_STEPS.
constexpr int64_t kBuffers = 8;

// One of so few hosts, which are in the middle of one tree and at the end of another, has most of the edges.
constexpr size_t kFewHosts = 4;

// An edge and what its tree makes of it.
struct Edge {
  Text from = 0, to = 0;  // hosts
  bool up = false;
  std::vector<size_t> fed_by;  // edges of the same tree
  // Others that go up to the same host, which takes up what comes over all of them together, or that come down
  // from the same.
  std::vector<size_t> beside;
  Middle last;  // the last of the data takes so long
};

class Tree {
 public:
  Tree(const RunTables& run, const OwnSegments& own, const TreeSeries& series) : series_(series) {
    for (const TreeEdge& edge : series.edges) {
      Edge& one = edges_.emplace_back();
      one.from = run.processes[own.actors[edge.from].process].host;
      one.to = run.processes[own.actors[edge.to].process].host;
    }
    // What goes up is there before it comes down again.
    for (size_t i = 0; i < edges_.size(); i += 2) {
      const Middle later = middle_of(differences(i, i + 1));
      is_known_ = is_known_ && later.known();
      edges_[i].up = later.ns < 0;
      edges_[i + 1].up = !edges_[i].up;
    }
    for (size_t i = 0; i < edges_.size(); ++i) find_feeders(i);
    choose_operations();
    for (size_t i = 0; i < edges_.size(); ++i) edges_[i].last = middle_of(last_parts(i), chosen_);
  }

  bool is_known() const { return is_known_; }
  const TreeSeries& series() const { return series_; }
  const std::vector<Edge>& edges() const { return edges_; }

  // What its edges show is of operations that all ranks had started together.
  bool is_together() const { return together_; }
  // From when all had started until the last was done.
  const Middle& time() const { return time_; }
  // The most edges that data passes, one behind the other.
  size_t longest_way() const {
    std::vector<size_t> way(edges_.size(), 1), before;
    while (way != before) {
      before = way;
      for (size_t i = 0; i < edges_.size(); ++i) {
        for (const size_t feeder : edges_[i].fed_by) way[i] = std::max(way[i], way[feeder] + 1);
      }
    }
    return way.empty() ? 0 : *std::max_element(way.begin(), way.end());
  }

 private:
  std::vector<int64_t> times() const {
    std::vector<int64_t> times;
    for (size_t m = 0; m < series_.matches.size(); ++m) {
      int64_t last_ns = 0;
      for (const TreeEdge& edge : series_.edges) {
        if (last_ns != kNoTime)
          last_ns = edge.received[m] == kNoTime ? kNoTime : std::max(last_ns, edge.received[m]);
      }
      times.push_back(last_ns);
    }
    return times;
  }
  // Those that all ranks had started together, if there are enough of them.
  void choose_operations() {
    const std::vector<int64_t> all_ns = times();
    time_ = middle_of(all_ns);
    std::vector<uint32_t> all(all_ns.size());
    std::iota(all.begin(), all.end(), 0u);
    chosen_ = started_together(series_.apart, all, time_.ns);
    together_ = !chosen_.empty();
    if (!together_) chosen_ = std::move(all);
  }
  std::vector<int64_t> differences(size_t i, size_t j) const {
    std::vector<int64_t> all;
    for (size_t m = 0; m < series_.matches.size(); ++m) {
      const int64_t a_ns = series_.edges[i].received[m], b_ns = series_.edges[j].received[m];
      all.push_back(a_ns == kNoTime || b_ns == kNoTime ? kNoTime : a_ns - b_ns);
    }
    return all;
  }

  // Up, those from below the sender's host. Down, the one from above it; at the root, all that come up.
  void find_feeders(size_t i) {
    Edge& edge = edges_[i];
    std::vector<size_t> from_below, from_above;
    for (size_t j = 0; j < edges_.size(); ++j) {
      const Edge& other = edges_[j];
      if (j != i && other.up == edge.up &&
          (edge.up ? other.to == edge.to : other.from == edge.from))
        edge.beside.push_back(j);
      if (other.to == edge.from) (other.up ? from_below : from_above).push_back(j);
    }
    edge.fed_by = edge.up || from_above.empty() ? from_below : from_above;
  }

  std::vector<int64_t> last_parts(size_t i) const {
    std::vector<int64_t> parts;
    for (size_t m = 0; m < series_.matches.size(); ++m) {
      const int64_t fed_ns = fed_at(i, m), received_ns = series_.edges[i].received[m];
      const bool known = received_ns != kNoTime && fed_ns > 0 && is_sent_last(i, m);
      parts.push_back(known ? received_ns - fed_ns : kNoTime);
    }
    return parts;
  }
  // Before the last rank had started: data had waited then.
  int64_t fed_at(size_t i, size_t m) const {
    int64_t fed_ns = kNoTime;
    for (const size_t feeder : edges_[i].fed_by) {
      const int64_t one_ns = series_.edges[feeder].received[m];
      if (one_ns <= 0) return kNoTime;  // or it is not known
      fed_ns = std::max(fed_ns, one_ns);
    }
    return fed_ns;
  }
  // Of those that go up together: what the others sent waits for it.
  bool is_sent_last(size_t i, size_t m) const {
    const int64_t sent_ns = series_.edges[i].sent[m];
    return !edges_[i].up ||
           std::all_of(edges_[i].beside.begin(), edges_[i].beside.end(), [&](size_t other) {
             const int64_t other_ns = series_.edges[other].sent[m];
             return sent_ns != kNoTime && other_ns != kNoTime && other_ns <= sent_ns;
           });
  }

  const TreeSeries& series_;
  std::vector<Edge> edges_;
  Middle time_;
  std::vector<uint32_t> chosen_;  // operations: indices of their times
  bool is_known_ = true, together_ = false;
};

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

class TreesAlike {
 public:
  TreesAlike(size_t hosts, std::vector<const Tree*> trees)
      : hosts_(hosts), trees_(std::move(trees)) {
    std::map<size_t, std::vector<Middle>> roles;
    for (const Tree* tree : trees_) {
      for (const Edge& edge : tree->edges()) {
        if (edge.last.known()) roles[role_of(edge)].push_back(edge.last);
      }
    }
    for (const auto& [role, all] : roles) usual_[role] = usual_of(all, hosts);
  }

  void judge(std::vector<TransferExcess>* out) const {
    for (const Tree* tree : trees_) judge_tree(*tree, out);
  }

 private:
  // Edges of a role are alike: from as many as share the host where they fork; of two hosts, in one direction.
  size_t role_of(const Edge& edge) const {
    if (hosts_ == 2) return edge.from < edge.to ? 0 : 1;
    return edge.beside.size();
  }

  void judge_tree(const Tree& tree, std::vector<TransferExcess>* out) const {
    const std::vector<Edge>& edges = tree.edges();
    std::vector<int64_t> more(edges.size());
    for (size_t i = 0; i < edges.size(); ++i) more[i] = more_than_usual(edges[i]);
    acquit_what_waits_for_room(edges, &more);
    const auto slow = edges.size() - static_cast<size_t>(std::count(more.begin(), more.end(), 0));
    const Middle time = tree.time();
    if (slow == 0 || !time.known()) return;
    const int64_t longer_ns = longer_than_elsewhere(tree);
    const int64_t all_ns =
        std::min(longer_ns != 0 ? longer_ns : cost_ns(tree, more, time.ns), part_of(time.ns, 0.9));
    for (size_t i = 0; i < edges.size(); ++i) {
      if (more[i] == 0) continue;
      const Usual& usual = usual_.at(role_of(edges[i]));
      TransferExcess& excess = out->emplace_back();
      excess.side = SlowSide::SenderOrLink;
      excess.actors = {tree.series().edges[i].from, tree.series().edges[i].to};
      excess.communicator = tree.series().communicator;
      excess.channel = tree.series().channel;
      excess.matches = tree.series().matches;
      excess.excess_ns = all_ns / static_cast<int64_t>(slow);
      excess.usual_ns = std::max<int64_t>(1, time.ns - all_ns);
      excess.sure = tree.is_together() || longer_ns != 0 || more[i] > kBuffers * usual.ns;
      excess.steady = is_steady(edges[i].last, usual.ns, usual.unsure_ns);
    }
  }

  // 0: it does not stand out.
  int64_t more_than_usual(const Edge& edge) const {
    if (!edge.last.known()) return 0;
    const int64_t usual_ns = usual_.at(role_of(edge)).ns;
    if (usual_ns == kNoTime ||
        !stands_out(edge.last, usual_ns, part_of(std::max<int64_t>(0, usual_ns), kLeastMoreOfLast)))
      return 0;
    return edge.last.ns - usual_ns;
  }

  // What a slow edge does not take is not taken up before it either, back to where the tree begins.
  static void acquit_what_waits_for_room(const std::vector<Edge>& edges,
                                         std::vector<int64_t>* more) {
    const std::vector<int64_t> shown = *more;
    for (size_t i = 0; i < edges.size(); ++i) {
      for (const size_t feeder : edges[i].fed_by) {
        if (shown[i] > 0 && shown[i] >= part_of(shown[feeder], kWaitsForRoom)) (*more)[feeder] = 0;
      }
    }
  }

  // A slow edge sets the pace of every step: so it costs what operations take longer than steps that take as long
  // as the last usually does, one behind the other; not more than each of them shows, nor less than one.
  int64_t cost_ns(const Tree& tree, const std::vector<int64_t>& more, int64_t time_ns) const {
    const size_t worst =
        static_cast<size_t>(std::max_element(more.begin(), more.end()) - more.begin());
    const int64_t usual_ns = usual_.at(role_of(tree.edges()[worst])).ns;
    const auto steps = static_cast<int64_t>(std::max<uint64_t>(1, tree.series().steps));
    const auto passed = static_cast<int64_t>(tree.longest_way());
    const int64_t longer_ns = time_ns - (steps - 1 + passed) * usual_ns;
    return std::clamp(longer_ns, more[worst], steps * more[worst]);
  }
  // By how much this channel takes longer than on other communicators; 0: it does not stand out, or is the only one.
  int64_t longer_than_elsewhere(const Tree& tree) const {
    std::vector<int64_t> times;
    for (const Tree* other : trees_) {
      if (other->series().communicator != tree.series().communicator &&
          other->series().channel == tree.series().channel && other->time().known())
        times.push_back(other->time().ns);
    }
    if (times.empty()) return 0;
    const int64_t usual_ns = reference_of(times);
    return stands_out(tree.time(), usual_ns, part_of(usual_ns, kLeastMoreOfLast))
               ? tree.time().ns - usual_ns
               : 0;
  }

  const size_t hosts_;
  const std::vector<const Tree*> trees_;
  std::map<size_t, Usual> usual_;  // by role
};

// Of two hosts each way is the only one in its direction.
bool has_several_communicators(const std::vector<const Tree*>& trees) {
  return std::any_of(trees.begin(), trees.end(), [&](const Tree* tree) {
    return tree->series().communicator != trees.front()->series().communicator;
  });
}

}  // namespace

std::vector<TransferExcess> excesses_of_trees(const RunTables& run, const OwnSegments& own,
                                              const std::vector<TreeSeries>& trees) {
  std::vector<Tree> known;
  for (const TreeSeries& series : trees) {
    Tree tree(run, own, series);
    if (tree.is_known()) known.push_back(std::move(tree));
  }
  std::map<std::tuple<Text, uint64_t, int32_t, size_t>, std::vector<const Tree*>> classes;
  for (const Tree& tree : known) classes[tree.series().alike].push_back(&tree);
  std::vector<TransferExcess> out;
  for (auto& [alike, all] : classes) {
    const size_t hosts = std::get<3>(alike);
    if (hosts > 2 || has_several_communicators(all)) TreesAlike(hosts, std::move(all)).judge(&out);
  }
  return out;
}

}  // namespace lockstep::analysis
