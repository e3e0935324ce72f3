#include "analysis/relate/matching.h"

#include <algorithm>

namespace lockstep::analysis {
namespace {

// What is equal in all rows of one operation, in an order that sorts fast.
struct Entry {
  uint64_t series = 0;  // communicator, function
  uint64_t pair = 0;    // send, receive: sender, receiver
  uint64_t number = 0;  // ordinal, replay
  uint32_t row = 0;
  bool same_operation(const Entry& other) const {
    return series == other.series && pair == other.pair && number == other.number;
  }
  bool operator<(const Entry& other) const {
    if (series != other.series) return series < other.series;
    if (pair != other.pair) return pair < other.pair;
    if (number != other.number) return number < other.number;
    return row < other.row;
  }
};

template <typename Row>
class Matcher {
 public:
  explicit Matcher(RunTables* run)
      : run_(*run),
        operations_(operations_of<Row>(*run)),
        send_(run->strings.intern("Send")),
        receive_(run->strings.intern("Recv")),
        pair_(run->strings.intern("SendRecv")) {}

  void match() {
    collect();
    std::sort(entries_.begin(), entries_.end());
    find_groups();
    emit();
  }

 private:
  void collect() {
    entries_.reserve(operations_.size());
    for (size_t i = 0; i < operations_.size(); ++i) {
      const Row& row = operations_[i];
      if (row.communicator == kNoRow || row.state == OpState::Captured) continue;
      Entry entry;
      entry.row = static_cast<uint32_t>(i);
      entry.number = uint64_t{row.ordinal} << 32 | row.replay;
      Text func = row.func;
      if (row.kind == OpKind::PointToPoint) {
        const uint32_t own = static_cast<uint32_t>(row.rank),
                       other = static_cast<uint32_t>(row.peer);
        const bool sends = row.func == send_;
        entry.pair = sends ? uint64_t{own} << 32 | other : uint64_t{other} << 32 | own;
        func = pair_;
      } else if (row.kind == OpKind::ApiOnly && (row.func == send_ || row.func == receive_)) {
        continue;  // the call does not say with whom
      }
      entry.series = uint64_t{row.communicator} << 32 | func;
      entries_.push_back(entry);
    }
  }

  struct Group {
    uint32_t first = 0, count = 0;
    int64_t start_ns = kNoTime;
  };
  void find_groups() {
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (i == 0 || !entries_[i].same_operation(entries_[i - 1])) {
        groups_.push_back({static_cast<uint32_t>(i), 0, kNoTime});
      }
      Group& group = groups_.back();
      ++group.count;
      const int64_t start = operations_[entries_[i].row].called_ns();
      if (start != kNoTime && (group.start_ns == kNoTime || start < group.start_ns))
        group.start_ns = start;
    }
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const Group& a, const Group& b) { return a.start_ns < b.start_ns; });
  }

  void emit() {
    run_.matches.reserve(groups_.size());
    run_.arrivals.reserve(entries_.size());
    for (const Group& group : groups_) {
      const Row& first = operations_[entries_[group.first].row];
      MatchRow match;
      match.communicator = first.communicator;
      match.func = static_cast<Text>(entries_[group.first].series);
      match.ordinal = first.ordinal;
      match.replay = first.replay;
      match.first_arrival = static_cast<uint32_t>(run_.arrivals.size());
      match.arrivals = group.count;
      match.start_ns = group.start_ns;
      const uint64_t pair = entries_[group.first].pair;
      match.expected = match.func == pair_
                           ? (pair >> 32 == (pair & 0xffffffffu) ? 1 : 2)
                           : static_cast<uint32_t>(run_.communicators[first.communicator].nranks);
      const auto number = static_cast<uint32_t>(run_.matches.size());
      for (uint32_t i = group.first; i < group.first + group.count; ++i) {
        Row& row = operations_[entries_[i].row];
        row.match = number;
        if constexpr (std::is_same_v<Row, OperationRow>)
          match.size_bytes = std::max(match.size_bytes, row.size_bytes);
        ArrivalRow arrival;
        arrival.operation = entries_[i].row;
        arrival.match = number;
        arrival.rank = row.rank;
        run_.arrivals.push_back(arrival);
      }
      run_.matches.push_back(match);
    }
  }

  RunTables& run_;
  std::vector<Row>& operations_;
  Text send_, receive_, pair_;
  std::vector<Entry> entries_;
  std::vector<Group> groups_;
};

}  // namespace

template <typename Row>
void match_operations(RunTables* run) {
  Matcher<Row>(run).match();
}
template void match_operations<OperationRow>(RunTables* run);
template void match_operations<BriefOperation>(RunTables* run);

}  // namespace lockstep::analysis
