#include "analysis/report/report_top.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/report/report_facts.h"
#include "analysis/say/names.h"
#include "analysis/tables/labels.h"
#include "analysis/tables/operation_address.h"

namespace lockstep::analysis {
namespace {

// A value and the row of `operations` that it is of, or that stands for it.
struct Topmost {
  uint64_t value = 0;
  uint32_t operation = kNoRow;
  // The larger first, and of equal ones the earlier.
  bool operator<(const Topmost& other) const {
    return std::make_pair(~value, operation) < std::make_pair(~other.value, other.operation);
  }
  void take_if_more(const Topmost& other) {
    if (operation == kNoRow || other.value > value) *this = other;
  }
};

// The `top` most of all that were added.
class Bounded {
 public:
  explicit Bounded(size_t top) : top_(top) {}
  void add(const Topmost& one) {
    if (one.value == 0 || top_ == 0) return;
    if (heap_.size() == top_) {
      if (!(one < heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
    heap_.push_back(one);
    std::push_heap(heap_.begin(), heap_.end());
  }
  std::vector<Topmost> take() {
    std::sort_heap(heap_.begin(), heap_.end());
    return std::move(heap_);
  }

 private:
  size_t top_;
  std::vector<Topmost> heap_;
};

uint64_t elapsed_or_none(const OperationRow& row) {
  return static_cast<uint64_t>(std::max<int64_t>(0, elapsed_of(row)));  // kNoTime is below
}

void add_slowest(const RunTables& run, size_t top, std::vector<TopLine>* lines) {
  Bounded slowest(top);
  for (uint32_t i = 0; i < run.operations.size(); ++i) {
    if (run.operations[i].assembled != kNoRow) continue;  // its group has a line of its own
    slowest.add({elapsed_or_none(run.operations[i]), i});
  }
  for (const Topmost& one : slowest.take()) {
    const OperationRow& row = run.operations[one.operation];
    lines->push_back({"operation", operation_on(run, one.operation) + ", " + rank_name(row.rank),
                      one.value, "ns", operation_address(run, row)});
  }
}

void add_communicators(const RunTables& run, size_t top, std::vector<TopLine>* lines) {
  std::vector<uint64_t> sums(run.communicators.size());
  std::vector<Topmost> examples(run.communicators.size());
  for (uint32_t i = 0; i < run.operations.size(); ++i) {
    const OperationRow& row = run.operations[i];
    if (row.communicator >= sums.size() || row.assembled != kNoRow) continue;
    sums[row.communicator] += elapsed_or_none(row);
    examples[row.communicator].take_if_more({elapsed_or_none(row), i});
  }
  Bounded most(top);
  for (uint32_t c = 0; c < sums.size(); ++c) most.add({sums[c], c});
  for (const Topmost& one : most.take()) {
    const OperationRow& example = run.operations[examples[one.operation].operation];
    lines->push_back({"communicator", communicator_label(run, one.operation), one.value, "ns",
                      operation_address(run, example)});
  }
}

void add_peers(const RunTables& run, size_t top, std::vector<TopLine>* lines) {
  if (run.peer_traffic.empty()) return;
  const Text send = run.strings.find("Send");
  std::map<std::tuple<uint32_t, uint32_t, int32_t>, Topmost> largest;  // its sends to each peer
  for (uint32_t i = 0; i < run.operations.size(); ++i) {
    const OperationRow& row = run.operations[i];
    if (row.func != send || row.peer < 0) continue;
    largest[{row.communicator, row.process, row.peer}].take_if_more({row.size_bytes, i});
  }
  Bounded most(top);
  for (uint32_t i = 0; i < run.peer_traffic.size(); ++i)
    most.add({run.peer_traffic[i].sent_bytes, i});
  for (const Topmost& one : most.take()) {
    const PeerTrafficRow& row = run.peer_traffic[one.operation];
    const auto example = largest.find({row.communicator, row.process, row.peer});
    lines->push_back({"peer",
                      rank_name(row.rank) + " to " + rank_name(row.peer) + " on " +
                          communicator_label(run, row.communicator),
                      one.value, "bytes",
                      example == largest.end()
                          ? std::string()
                          : operation_address(run, run.operations[example->second.operation])});
  }
}

uint64_t moved_bytes(const ChannelRow& row) { return row.sent_bytes + row.received_bytes; }

void add_channels(const RunTables& run, size_t top, std::vector<TopLine>* lines) {
  Bounded most(top);
  for (uint32_t i = 0; i < run.channels.size(); ++i) most.add({moved_bytes(run.channels[i]), i});
  const std::vector<Topmost> taken = most.take();
  // The slowest operation that used each: the rows of few channels are looked for in one pass.
  std::map<std::tuple<uint32_t, uint32_t, uint8_t>, Topmost> slowest;
  for (const Topmost& one : taken) {
    const ChannelRow& row = run.channels[one.operation];
    slowest[{row.process, row.communicator, row.channel}];
  }
  for (uint32_t i = 0; i < run.operations.size() && !taken.empty(); ++i) {
    const OperationRow& row = run.operations[i];
    for (auto at = slowest.lower_bound({row.process, row.communicator, uint8_t{0}});
         at != slowest.end() && std::get<0>(at->first) == row.process &&
         std::get<1>(at->first) == row.communicator;
         ++at) {
      if ((row.channels_mask >> std::get<2>(at->first) & 1) != 0)
        at->second.take_if_more({elapsed_or_none(row), i});
    }
  }
  for (const Topmost& one : taken) {
    const ChannelRow& row = run.channels[one.operation];
    const Topmost& example = slowest[{row.process, row.communicator, row.channel}];
    lines->push_back({"channel",
                      "channel " + std::to_string(row.channel) + ", " + rank_name(row.rank) +
                          " on " + communicator_label(run, row.communicator),
                      one.value, "bytes",
                      example.operation == kNoRow
                          ? std::string()
                          : operation_address(run, run.operations[example.operation])});
  }
}

}  // namespace

std::vector<TopLine> top_lines(const RunTables& run, size_t top) {
  std::vector<TopLine> lines;
  add_slowest(run, top, &lines);
  add_communicators(run, top, &lines);
  add_peers(run, top, &lines);
  add_channels(run, top, &lines);
  return lines;
}

void add_rank_examples(const RunTables& run, uint32_t communicator, std::vector<RankRow>* ranks) {
  std::map<int32_t, Topmost> waits, caused;
  for (const ArrivalRow& arrival : run.arrivals) {
    if (arrival.operation >= run.operations.size() || arrival.wait_ns == kNoTime) continue;
    const OperationRow& row = run.operations[arrival.operation];
    if (row.communicator != communicator || arrival.wait_ns <= 0) continue;
    const auto wait_ns = static_cast<uint64_t>(arrival.wait_ns);
    waits[row.rank].take_if_more({wait_ns, arrival.operation});
    if (arrival.last_rank_row >= run.arrivals.size()) continue;
    const ArrivalRow& last = run.arrivals[arrival.last_rank_row];
    caused[last.rank].take_if_more({wait_ns, last.operation});
  }
  for (RankRow& rank : *ranks) {
    const auto waited = waits.find(rank.rank), made_wait = caused.find(rank.rank);
    if (waited != waits.end())
      rank.waiting_example = operation_address(run, run.operations[waited->second.operation]);
    if (made_wait != caused.end())
      rank.late_example = operation_address(run, run.operations[made_wait->second.operation]);
  }
}

}  // namespace lockstep::analysis
