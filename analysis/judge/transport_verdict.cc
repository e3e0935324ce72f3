#include "analysis/judge/transport_verdict.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

#include "analysis/join/step_times.h"
#include "analysis/judge/stuck_tree.h"
#include "analysis/tables/collectives.h"
#include "lockstep/record_shape.h"

namespace lockstep::analysis {
namespace {

// Steps of an operation that is through.
constexpr uint32_t kAll = UINT32_MAX;

class TransportJudge {
 public:
  TransportJudge(const RunTables& run, const Stall& stall,
                 const std::vector<const Stall*>& together)
      : run_(run), stall_(stall), together_(together) {
    std::set<uint32_t> operations;
    for (const StallMember& member : stall.members) {
      if (member.operation != kNoRow) operations.insert(member.operation);
    }
    for (const OpenTransportRow& row : run.open_transports) {
      if (operations.count(row.operation) != 0) open_.push_back(&row);
    }
    // Who stopped first comes first.
    std::stable_sort(open_.begin(), open_.end(),
                     [this](const OpenTransportRow* a, const OpenTransportRow* b) {
                       return until_of(*a) - a->since_ns > until_of(*b) - b->since_ns;
                     });
  }

  TransportVerdict judge() {
    describe();
    if (!kernel_never_began() && !send_never_completed() && !stops_in_tree() && !no_credit() &&
        !gpu_stands_still() && !data_never_left() && !host_sends_less())
      unknown();
    return std::move(out_);
  }

 private:
  void describe() {
    for (const OpenTransportRow* row : open_) {
      if (out_.evidence.size() >= 12) break;
      const auto number = static_cast<uint32_t>(row - run_.open_transports.data());
      out_.evidence.emplace_back(OpenTransport{number, until_of(*row) - row->since_ns});
    }
  }

  int64_t until_of(const OpenTransportRow& row) const {
    for (const StallMember& member : stall_.members) {
      if (member.process == row.process) return member.until_ns;
    }
    return row.since_ns;
  }

  bool kernel_never_began() {
    std::vector<int32_t> not_begun;
    bool others_began = false;
    for (const StallMember& member : stall_.members) {
      if (member.stand == Stand::NotBegun) not_begun.push_back(member.rank);
      others_began = others_began || member.stand == Stand::Inside || member.stand == Stand::Passed;
    }
    if (not_begun.empty()) return false;
    if (2 * not_begun.size() > stall_.members.size() && ends_before_not_known(not_begun))
      return true;
    if (!others_began) return false;
    accuse(FindingKind::StuckOnGpu, StallClue::KernelNeverBegan, not_begun, 0.9);
    return true;
  }
  // Most GPUs do not stop at once: they wait for something else, perhaps for each other.
  bool ends_before_not_known(const std::vector<int32_t>& not_begun) {
    for (const StallMember& member : stall_.members) {
      if (member.stand != Stand::NotBegun) continue;
      std::vector<uint32_t> before = without_end_before(member.operation);
      if (before.empty()) return false;
      if (out_.before.empty()) out_.before = std::move(before);
    }
    out_.not_begun = not_begun;
    accuse(FindingKind::Standstill, StallClue::EndsBeforeNotKnown, {}, 0.6);
    return true;
  }
  // What its process called after the last operation that is known to have ended.
  std::vector<uint32_t> without_end_before(uint32_t operation) const {
    const OperationRow& row = run_.operations[operation];
    std::vector<uint32_t> before;
    while (operation-- > 0) {
      const OperationRow& other = run_.operations[operation];
      if (other.process != row.process || other.state == OpState::Done) break;
      if (other.state == OpState::Enqueued && other.kind != OpKind::Assembled)
        before.push_back(operation);
    }
    std::reverse(before.begin(), before.end());
    return before;
  }

  bool send_never_completed() {
    if (host_cut_off()) return true;
    for (const OpenTransportRow* row : open_) {
      if (row->is_send == 0 || row->last_state != kSendWait) continue;
      accuse(FindingKind::StuckInTransport, StallClue::DataNeverArrived, {row->rank},
             sure(kSendWait));
      out_.peer = row->peer;
      return true;
    }
    return false;
  }
  // Sends over several edges never complete, and one host is at an end of each.
  bool host_cut_off() {
    std::set<std::pair<Text, Text>> edges;
    for (const OpenTransportRow* row : open_) {
      if (row->is_send == 0 || row->last_state != kSendWait) continue;
      const Text to = host_of(row->peer);
      if (to == 0) return false;
      edges.emplace(run_.processes[row->process].host, to);
    }
    if (edges.size() < 2) return false;
    const auto is_at_each = [&](Text host) {
      return std::all_of(edges.begin(), edges.end(), [&](const std::pair<Text, Text>& edge) {
        return edge.first == host || edge.second == host;
      });
    };
    const auto [from, to] = *edges.begin();
    if (is_at_each(from) == is_at_each(to)) return false;
    accuse(FindingKind::StuckInTransport, StallClue::HostCutOff,
           ranks_on(is_at_each(from) ? from : to), 0.9);
    return true;
  }
  std::vector<int32_t> ranks_on(Text host) const {
    std::vector<int32_t> ranks;
    for (const StallMember& member : stall_.members) {
      if (member.process != kNoRow && run_.processes[member.process].host == host)
        ranks.push_back(member.rank);
    }
    return ranks;
  }
  // 0: not known.
  Text host_of(int32_t rank) const {
    for (const StallMember& member : stall_.members) {
      if (member.rank == rank && member.process != kNoRow)
        return run_.processes[member.process].host;
    }
    return 0;
  }
  // One sender alone is surely the origin; among several, the one that stopped first is only the
  // likeliest.
  double sure(uint8_t state) const {
    std::set<int32_t> ranks;
    for (const OpenTransportRow* row : open_) {
      if (row->is_send != 0 && row->last_state == state) ranks.insert(row->rank);
    }
    if (ranks.size() == 1) return 0.95;
    return stall_.one_clock ? 0.7 : 0.5;  // without one clock nobody knows who stopped first
  }

  bool stops_in_tree() {
    if (run_.text(run_.operations[stall_.operation].algo) != "TREE") return false;
    const StuckTree stuck = find_stuck_tree(run_, stall_, open_);
    if (stuck.hosts.size() != 1) return false;
    const std::vector<int32_t> ranks = ranks_on(*stuck.hosts.begin());
    out_.one_of = stuck.or_next || ranks.size() > 1;
    accuse(FindingKind::StuckInTransport,
           stuck.or_next ? StallClue::NotTakenOrLeft : StallClue::DataNeverLeft, ranks,
           stuck.or_next ? 0.5 : 0.7);
    return true;
  }

  bool no_credit() {
    for (const OpenTransportRow* row : open_) {
      if (row->is_send == 0 || row->last_state != kSendPeerWait) continue;
      std::vector<int32_t> named{row->peer};
      if (leaves_host_elsewhere(*row)) named = ranks_on(host_of(row->peer));
      out_.one_of = named.size() > 1;
      accuse(FindingKind::StuckInTransport, StallClue::NoCredit, named, 0.8 * sure(kSendPeerWait));
      out_.peer = row->rank;
      return true;
    }
    return false;
  }

  // Data that arrived lies untouched.
  bool gpu_stands_still() {
    std::set<int32_t> waits_for_data, takes_nothing;
    for (const OpenTransportRow* row : open_) {
      if (row->is_send == 0 && row->last_state != kRecvGpuWait) waits_for_data.insert(row->rank);
      if (row->last_state == kRecvGpuWait) takes_nothing.insert(row->rank);
    }
    std::vector<int32_t> culprits;
    for (const int32_t rank : takes_nothing) {
      if (waits_for_data.count(rank) == 0) culprits.push_back(rank);
    }
    if (culprits.empty()) return false;
    accuse(FindingKind::StuckOnGpu, StallClue::GpuStandsStill, culprits, 0.7);
    return true;
  }

  // What a rank has does not go on: its sends are not filled, although it waits for nothing, or has
  // received more than it sent, which on a ring is passed on at once.
  bool data_never_left() {
    struct Flow {
      uint32_t sent = 0, received = 0;
      bool sends = false, waits = false, local = false;
      std::set<int32_t> to, from;
    };
    std::map<int32_t, Flow> flows;
    for (const OpenTransportRow* row : open_) {
      Flow& flow = flows[row->rank];
      const OperationRow& operation = run_.operations[row->operation];
      flow.sends = flow.sends || (row->is_send != 0 && row->last_state == kSendGpuWait);
      flow.waits = flow.waits || row->is_send == 0;
      // What comes from its own host cannot be seen: it may wait for that.
      flow.local = flow.local || (operation.kind != OpKind::PointToPoint &&
                                  (operation.received_bytes == 0 || enters_host_elsewhere(*row)));
      (row->is_send != 0 ? flow.sent : flow.received) += row->steps_done;
      (row->is_send != 0 ? flow.to : flow.from).insert(row->peer);
    }
    std::vector<int32_t> culprits;
    for (const auto& [rank, flow] : flows) {
      inside_host_ = inside_host_ || (flow.sends && flow.local);
      const bool ring = flow.to.size() == 1 && flow.from.size() == 1;
      if (flow.sends && !flow.local && (!flow.waits || (ring && flow.received > flow.sent)))
        culprits.push_back(rank);
    }
    if (culprits.empty() || culprits.size() == flows.size()) return false;
    accuse(FindingKind::StuckInTransport, StallClue::DataNeverLeft, culprits, 0.7);
    return true;
  }

  // What the receiver of this send takes goes on inside its host, round a ring: who of its ranks takes no more is not seen.
  // Who has taken nothing at all does not wait for another to pass it on.
  bool leaves_host_elsewhere(const OpenTransportRow& send) const {
    const Text host = host_of(send.peer);
    const auto tells = [&](const OpenTransportRow* row) {
      if (row->rank != send.peer || row->channel != send.channel) return false;
      return row->is_send != 0 || (row->last_state == kRecvGpuWait && row->steps_done == 0);
    };
    return is_ring() && host != 0 && ranks_on(host).size() > 1 &&
           std::none_of(open_.begin(), open_.end(), tells);
  }

  // On a ring, the channel that leaves the host at this rank does, as far as is known.
  bool enters_host_elsewhere(const OpenTransportRow& send) const {
    const auto enters_here = [&](const OpenTransportRow* row) {
      return row->is_send == 0 && row->rank == send.rank && row->channel == send.channel;
    };
    return send.is_send != 0 && is_ring() &&
           ranks_on(run_.processes[send.process].host).size() > 1 &&
           std::none_of(open_.begin(), open_.end(), enters_here);
  }

  // Data goes round a ring: every host on it sends at least what it received, but the one where it
  // stopped. What moves inside a host is not recorded, so all of its ranks are meant. Without steps it
  // is the host whose receives have ended and whose sends have not: or the next one, which takes no
  // more because it cannot get rid of what it has, where the operation does not fit into its buffers.
  bool host_sends_less() {
    struct Flow {
      uint32_t sent = kAll, received = kAll;  // an operation that is not open is through
      uint32_t sends = 0, receives = 0;
      const OpenTransportRow* send = nullptr;
    };
    if (!is_ring()) return false;
    std::map<std::pair<Text, uint8_t>, Flow> flows;  // by host and channel
    for (const OpenTransportRow* row : open_) {
      Flow& flow = flows[{run_.processes[row->process].host, row->channel}];
      (row->is_send != 0 ? flow.sent : flow.received) = row->steps_done;
      ++(row->is_send != 0 ? flow.sends : flow.receives);
      if (row->is_send != 0) flow.send = row;
    }
    std::set<Text> hosts;
    bool either = false;  // this host or the next
    for (const auto& [where, flow] : flows) {
      if (flow.sends > 1 || flow.receives > 1) return false;  // not one ring
      if (flow.received <= flow.sent) continue;
      hosts.insert(where.first);
      const bool by_ends = flow.received == kAll && flow.send->last_state == kNoState;
      either = either || (by_ends && flow.send->steps_planned > kBufferedSteps);
    }
    if (hosts.size() != 1) return false;
    const std::vector<int32_t> ranks = ranks_on(*hosts.begin());
    out_.one_of = either || ranks.size() > 1;
    accuse(FindingKind::StuckInTransport,
           either ? StallClue::NotTakenOrLeft : StallClue::DataNeverLeft, ranks,
           either ? 0.5 : 0.7);
    return true;
  }
  bool is_ring() const {
    const OperationRow& row = run_.operations[stall_.operation];
    return run_.text(row.algo) == "RING" && ends_together(run_.text(row.func));
  }

  void unknown() {
    const bool steps = std::any_of(open_.begin(), open_.end(), [](const OpenTransportRow* row) {
      return row->last_state != kNoState;
    });
    out_.confidence = 0.5;
    if (open_.empty()) {
      out_.clue = StallClue::NoNetworkOperation;
      out_.not_known = NotKnownKind::InsideHost;
    } else if (!steps) {
      out_.clue = StallClue::StepsNotRecorded;
      out_.not_known = NotKnownKind::WhichLink;
    } else {
      out_.clue = StallClue::AllWaitForData;
      out_.not_known = inside_host_ ? NotKnownKind::InsideHost : NotKnownKind::WhoStopped;
    }
    if (stall_.pair) one_of_its_ends();
  }

  // Between which two ranks, at least; of several transfers those that move data over the network, else
  // those that neither end has left. One rank that sends to several of them is meant alone.
  void one_of_its_ends() {
    std::vector<const Stall*> likely = together_;
    const auto keep = [&](const auto& fits) {
      std::vector<const Stall*> kept;
      std::copy_if(likely.begin(), likely.end(), std::back_inserter(kept), fits);
      if (!kept.empty()) likely = std::move(kept);
    };
    const auto some = [](const Stall* one, const auto& fits) {
      return std::any_of(one->members.begin(), one->members.end(), fits);
    };
    std::unordered_set<uint32_t> moving;
    for (const OpenTransportRow& row : run_.open_transports) moving.insert(row.operation);
    keep([&](const Stall* one) {
      return some(one, [&](const StallMember& at) { return moving.count(at.operation) != 0; });
    });
    keep([&](const Stall* one) {
      return !some(one, [](const StallMember& at) { return at.stand == Stand::Passed; });
    });
    std::set<int32_t> senders, ends;
    for (const Stall* one : likely) {
      senders.insert(sender_of(*one));
      for (const StallMember& member : one->members) ends.insert(member.rank);
    }
    const auto nranks = static_cast<size_t>(run_.communicators[stall_.communicator].nranks);
    if (senders.size() == 1 && likely.size() > 1) {
      accuse(FindingKind::StuckInTransport, StallClue::DataNeverLeft, {*senders.begin()}, 0.7);
      out_.not_known.reset();
    } else if (ends.size() == 2 || ends.size() < nranks) {
      out_.one_of = true;
      out_.culprits.assign(ends.begin(), ends.end());
    }
  }
  int32_t sender_of(const Stall& stall) const {
    const OperationRow& row = run_.operations[stall.operation];
    return run_.text(row.func) == "Send" ? row.rank : row.peer;
  }

  void accuse(FindingKind kind, StallClue clue, std::vector<int32_t> culprits, double confidence) {
    out_.kind = kind;
    out_.clue = clue;
    out_.culprits = std::move(culprits);
    out_.confidence = confidence;
  }

  const RunTables& run_;
  const Stall& stall_;
  const std::vector<const Stall*>& together_;
  std::vector<const OpenTransportRow*> open_;  // of stall_
  bool inside_host_ = false;                   // a GPU waits, perhaps for data from its own host
  TransportVerdict out_;
};

}  // namespace

TransportVerdict judge_transport(const RunTables& run, const Stall& stall,
                                 const std::vector<const Stall*>& together) {
  return TransportJudge(run, stall, together).judge();
}

}  // namespace lockstep::analysis
