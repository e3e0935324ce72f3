#include "analysis/judge/stuck_tree.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/join/step_times.h"
#include "analysis/transfers/channel_ways.h"
#include "lockstep/record_shape.h"

namespace lockstep::analysis {
namespace {

// Of one edge between two hosts, in one direction.
struct StuckEdge {
  Text from = 0, to = 0;
  bool up = false;
  // What is open of it; none: it is through.
  const OpenTransportRow *send = nullptr, *receive = nullptr;
};

class TreeSearch {
 public:
  TreeSearch(const RunTables& run, const Stall& stall,
             const std::vector<const OpenTransportRow*>& open)
      : run_(run), stall_(stall) {
    for (const OpenTransportRow* row : open)
      open_[{row->channel, row->is_send != 0, row->rank, row->peer}] = row;
  }

  StuckTree find() {
    const std::vector<uint32_t> ended = last_that_ended();
    for (const ChannelTree& tree : channel_trees(run_, ended)) {
      if (!read(ended, tree)) return {};
      std::set<Text> hosts;
      for (const StuckEdge& edge : edges_) hosts.insert(edge.from);
      for (const Text host : hosts) {
        if (holds_up(host)) out_.hosts.insert(host);
      }
    }
    return std::move(out_);
  }

 private:
  // Operations by rank, of the last collective like this one that all ranks ended.
  std::vector<uint32_t> last_that_ended() const {
    const OperationRow& stuck = run_.operations[stall_.operation];
    for (size_t m = run_.matches.size(); m-- > 0;) {
      const MatchRow& match = run_.matches[m];
      if (match.communicator != stall_.communicator || match.func != stuck.func ||
          match.size_bytes != stuck.size_bytes || match.arrivals != match.expected)
        continue;
      std::map<int32_t, uint32_t> by_rank;
      for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
        const uint32_t row = run_.arrivals[a].operation;
        if (run_.operations[row].state == OpState::Done && run_.operations[row].algo == stuck.algo)
          by_rank[run_.operations[row].rank] = row;
      }
      if (by_rank.size() != match.expected) continue;
      std::vector<uint32_t> operations;
      for (const auto& [rank, row] : by_rank) operations.push_back(row);
      return operations;
    }
    return {};
  }

  // False: which of its edges go up is not known.
  bool read(const std::vector<uint32_t>& ended, const ChannelTree& tree) {
    edges_.clear();
    for (const ChannelEdge& one : tree.edges) {
      // A child has sent before it receives, on one clock.
      const int64_t sent_ns = channel_end_ns(run_, ended[one.from], tree.channel, true, one.to);
      const int64_t back_ns = channel_end_ns(run_, ended[one.from], tree.channel, false, one.to);
      if (sent_ns == kNoTime || back_ns == kNoTime) return false;
      StuckEdge& edge = edges_.emplace_back();
      edge.from = host_of(ended[one.from]);
      edge.to = host_of(ended[one.to]);
      edge.up = sent_ns < back_ns;
      const auto from = static_cast<int32_t>(one.from), to = static_cast<int32_t>(one.to);
      edge.send = open(tree.channel, true, from, to);
      edge.receive = open(tree.channel, false, to, from);
    }
    return true;
  }
  Text host_of(uint32_t operation) const {
    return run_.processes[run_.operations[operation].process].host;
  }
  const OpenTransportRow* open(uint8_t channel, bool is_send, int32_t rank, int32_t peer) const {
    const auto at = open_.find({channel, is_send, rank, peer});
    return at == open_.end() ? nullptr : at->second;
  }

  bool holds_up(Text host) {
    std::vector<const StuckEdge*> from_children, from_parent, to_parent, to_children;
    for (const StuckEdge& edge : edges_) {
      if (edge.to == host) (edge.up ? from_children : from_parent).push_back(&edge);
      if (edge.from == host) (edge.up ? to_parent : to_children).push_back(&edge);
    }
    // What the root sends down came from its children.
    return sends_nothing_on(from_children, to_parent) ||
           sends_nothing_on(from_parent.empty() ? from_children : from_parent, to_children);
  }
  bool sends_nothing_on(const std::vector<const StuckEdge*>& into,
                        const std::vector<const StuckEdge*>& out) {
    for (const StuckEdge* to : out) {
      if (to->send == nullptr) continue;
      const uint8_t state = to->send->last_state;
      const bool fits = to->send->steps_planned <= kBufferedSteps;
      // Without steps what ended tells, or that all would fit into buffers.
      const bool waits_to_be_filled =
          state == kNoState ? !into.empty() || fits : state == kSendGpuWait;
      const bool has_all = std::all_of(into.begin(), into.end(), [&](const StuckEdge* from) {
        return from->receive == nullptr || from->receive->last_state == kRecvGpuWait ||
               from->receive->steps_done > to->send->steps_done;
      });
      if (!waits_to_be_filled || !has_all) continue;
      out_.or_next = out_.or_next || (state == kNoState && !fits);
      return true;
    }
    return false;
  }

  const RunTables& run_;
  const Stall& stall_;
  std::map<std::tuple<uint8_t, bool, int32_t, int32_t>, const OpenTransportRow*> open_;
  std::vector<StuckEdge> edges_;  // of the channel at hand
  StuckTree out_;
};

}  // namespace

StuckTree find_stuck_tree(const RunTables& run, const Stall& stall,
                          const std::vector<const OpenTransportRow*>& open) {
  return TreeSearch(run, stall, open).find();
}

}  // namespace lockstep::analysis
