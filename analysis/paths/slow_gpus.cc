#include "analysis/paths/slow_gpus.h"

#include <algorithm>
#include <set>

#include "analysis/paths/seen_ring.h"
#include "analysis/transfers/middle.h"

namespace lockstep::analysis {
namespace {

// By these parts of an operation's time: it takes longer through the host than through the next slowest, and what
// enters the host is taken up later than is usual.
constexpr double kLeastLonger = 0.05, kLeastLate = 0.01;

// What the edges of one channel show.
struct SeenChannel {
  Middle time;
  std::vector<Middle> through;   // the sender's host, from when all was received until all is sent
  std::vector<Middle> taken_up;  // after the sender knew that all was sent
  bool together = false;         // where all ranks had started together
};

SeenChannel look_at_channel(const RingSeries& channel) {
  SeenChannel shown;
  const SeenOperations seen = look_at_operations(channel.times, channel.apart);
  shown.time = seen.time;
  shown.together = seen.together;
  for (const EdgeSamples& edge : channel.edges) {
    std::vector<int64_t> through;
    for (size_t m = 0; m < edge.later.size(); ++m)
      through.push_back(edge.lag[m] == kNoTime ? kNoTime : edge.later[m] - edge.lag[m]);
    shown.through.push_back(middle_of(through, seen.telling));
    shown.taken_up.push_back(middle_of(edge.lag, seen.telling));
  }
  return shown;
}

class GpuSearch {
 public:
  GpuSearch(const RunTables& run, const OwnSegments& own,
            const std::vector<const RingSeries*>& channels)
      : run_(run), own_(own), channels_(channels) {
    for (const RingSeries* channel : channels) shown_.push_back(look_at_channel(*channel));
  }

  std::vector<TransferExcess> find() const {
    std::vector<TransferExcess> found;
    if (!is_known() || has_slow_link()) return found;
    const uint32_t gpu = taken_up_late();
    if (gpu == kNoRow) return found;
    for (size_t c = 0; c < channels_.size(); ++c) {
      const int64_t longer_ns = longer_through(host_of(gpu), c);
      if (longer_ns == 0) return {};
      TransferExcess& excess = found.emplace_back();
      excess.side = SlowSide::Gpu;
      excess.actors = {gpu};
      excess.communicator = channels_[c]->communicator;
      excess.channel = channels_[c]->channel;
      excess.excess_ns = longer_ns;
      excess.usual_ns = shown_[c].time.ns - longer_ns;
      excess.sure = shown_[c].together;
    }
    return found;
  }

 private:
  Text host_of(uint32_t actor) const { return run_.processes[own_.actors[actor].process].host; }

  bool is_known() const {
    const auto is = [](const Middle& one) { return one.known(); };
    return std::all_of(shown_.begin(), shown_.end(), [&](const SeenChannel& shown) {
      return shown.through.size() > 1 && is(shown.time) &&
             std::all_of(shown.through.begin(), shown.through.end(), is) &&
             std::all_of(shown.taken_up.begin(), shown.taken_up.end(), is);
    });
  }

  // Which no GPU makes.
  bool has_slow_link() const {
    std::vector<SeenEdge> links;
    std::vector<int64_t> wires, works, times;
    for (size_t c = 0; c < channels_.size(); ++c) {
      for (const EdgeSamples& edge : channels_[c]->edges) {
        const SeenEdge link = look_at(edge);
        if (!link.wire.known() || !link.work.known()) continue;
        links.push_back(link);
        wires.push_back(link.wire.ns);
        works.push_back(link.work.ns);
        times.push_back(shown_[c].time.ns);
      }
    }
    if (links.empty()) return false;
    UsualEdge usual;
    usual.wire_ns = reference_of(wires);
    usual.work_ns = reference_of(works);
    const int64_t least_ns = part_of(reference_of(times), kLeastLonger);
    return std::any_of(links.begin(), links.end(),
                       [&](const SeenEdge& link) { return is_link_slow(link, usual, least_ns); });
  }

  // By how much it takes longer through this host than usual; 0: not longer than through each of the others.
  int64_t longer_through(Text host, size_t c) const {
    const Middle* here = nullptr;
    std::vector<int64_t> others;
    for (size_t i = 0; i < shown_[c].through.size(); ++i) {
      const Middle& through = shown_[c].through[i];
      if (host_of(channels_[c]->edges[i].from) == host)
        here = &through;
      else
        others.push_back(through.ns);
    }
    const int64_t least_ns = part_of(shown_[c].time.ns, kLeastLonger);
    if (here == nullptr || others.empty() ||
        !stands_out(*here, *std::max_element(others.begin(), others.end()), least_ns))
      return 0;
    return std::min(here->ns - reference_of(others), part_of(shown_[c].time.ns, 0.9));
  }

  // The only rank that takes up late what enters its host, on all channels that do so at this rank; kNoRow: none.
  uint32_t taken_up_late() const {
    std::vector<int64_t> all;
    for (const SeenChannel& shown : shown_) {
      for (const Middle& one : shown.taken_up) all.push_back(one.ns);
    }
    const int64_t usual_ns = reference_of(all);
    std::set<uint32_t> late, in_time;
    for (size_t c = 0; c < channels_.size(); ++c) {
      const int64_t least_ns = part_of(shown_[c].time.ns, kLeastLate);
      for (size_t i = 0; i < shown_[c].taken_up.size(); ++i) {
        const bool is_late = stands_out(shown_[c].taken_up[i], usual_ns, least_ns);
        (is_late ? late : in_time).insert(channels_[c]->edges[i].to);
      }
    }
    return late.size() == 1 && in_time.count(*late.begin()) == 0 ? *late.begin() : kNoRow;
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const std::vector<const RingSeries*>& channels_;
  std::vector<SeenChannel> shown_;  // by channel
};

}  // namespace

std::vector<TransferExcess> excesses_of_gpu(const RunTables& run, const OwnSegments& own,
                                            const std::vector<const RingSeries*>& channels) {
  if (channels.size() < 2 || channels.size() != channels.front()->channels) return {};
  return GpuSearch(run, own, channels).find();
}

}  // namespace lockstep::analysis
