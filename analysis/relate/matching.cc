#include "analysis/relate/matching.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace lockstep::analysis {
namespace {

// What is equal in all rows of one operation.
struct Key {
  uint64_t series = 0;  // communicator, function
  uint64_t pair = 0;    // send, receive: sender, receiver
  uint64_t number = 0;  // ordinal, replay
  bool operator==(const Key& other) const {
    return series == other.series && pair == other.pair && number == other.number;
  }
  bool operator<(const Key& other) const {
    if (series != other.series) return series < other.series;
    return pair != other.pair ? pair < other.pair : number < other.number;
  }
};
struct KeyHash {
  size_t operator()(const Key& key) const {
    uint64_t hash = 0;
    for (const uint64_t word : {key.series, key.pair, key.number}) {
      hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 32;
    }
    return hash;
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
    find_groups();
    place_rows();
    emit();
  }

 private:
  struct Group {
    Key key;
    int64_t start_ns = kNoTime;
    uint32_t first = 0, count = 0;  // of rows_
    bool operator<(const Group& other) const {
      return start_ns != other.start_ns ? start_ns < other.start_ns : key < other.key;
    }
  };

  // False: it belongs to no other ranks' operations.
  bool key_of(const Row& row, Key* key) const {
    if (row.communicator == kNoRow || row.state == OpState::Captured) return false;
    *key = {0, 0, uint64_t{row.ordinal} << 32 | row.replay};
    Text func = row.func;
    if (row.kind == OpKind::PointToPoint) {
      const uint32_t own = static_cast<uint32_t>(row.rank), other = static_cast<uint32_t>(row.peer);
      const bool sends = row.func == send_;
      key->pair = sends ? uint64_t{own} << 32 | other : uint64_t{other} << 32 | own;
      func = pair_;
    } else if (row.kind == OpKind::ApiOnly && (row.func == send_ || row.func == receive_)) {
      return false;  // the call does not say with whom
    }
    key->series = uint64_t{row.communicator} << 32 | func;
    return true;
  }

  void find_groups() {
    std::unordered_map<Key, uint32_t, KeyHash> numbers;
    group_of_.assign(operations_.size(), kNoRow);
    Key key;
    // The group behind that of the row before: ranks mostly call the same in the same order.
    uint32_t next = 0;
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (!key_of(operations_[i], &key)) continue;
      if (next >= groups_.size() || !(groups_[next].key == key)) {
        const auto [found, is_new] =
            numbers.try_emplace(key, static_cast<uint32_t>(groups_.size()));
        if (is_new) groups_.emplace_back().key = key;
        next = found->second;
      }
      group_of_[i] = next;
      Group& group = groups_[next++];
      ++group.count;
      const int64_t start = operations_[i].called_ns();
      if (start != kNoTime && (group.start_ns == kNoTime || start < group.start_ns))
        group.start_ns = start;
    }
  }

  // By group, and in each in their order: by counting, as a run has millions.
  void place_rows() {
    uint32_t rows = 0;
    for (Group& group : groups_) group.first = std::exchange(rows, rows + group.count);
    rows_.resize(rows);
    for (size_t i = 0; i < group_of_.size(); ++i) {
      if (group_of_[i] != kNoRow) rows_[groups_[group_of_[i]].first++] = static_cast<uint32_t>(i);
    }
    for (Group& group : groups_) group.first -= group.count;
    std::vector<uint32_t>().swap(group_of_);
  }

  void emit() {
    std::sort(groups_.begin(), groups_.end());
    auto& arrivals = arrivals_of<Row>(run_);
    run_.matches.reserve(groups_.size());
    arrivals.reserve(rows_.size());
    for (const Group& group : groups_) {
      const Row& first = operations_[rows_[group.first]];
      MatchRow match;
      match.communicator = first.communicator;
      match.func = static_cast<Text>(group.key.series);
      match.ordinal = first.ordinal;
      match.replay = first.replay;
      match.first_arrival = static_cast<uint32_t>(arrivals.size());
      match.arrivals = group.count;
      match.start_ns = group.start_ns;
      const uint64_t pair = group.key.pair;
      match.expected = match.func == pair_
                           ? (pair >> 32 == (pair & 0xffffffffu) ? 1 : 2)
                           : static_cast<uint32_t>(run_.communicators[first.communicator].nranks);
      const auto number = static_cast<uint32_t>(run_.matches.size());
      for (uint32_t i = group.first; i < group.first + group.count; ++i) {
        auto& arrival = arrivals.emplace_back();
        arrival.operation = rows_[i];
        // Brief rows lie far apart, and nobody asks them for their match.
        if constexpr (std::is_same_v<Row, OperationRow>) {
          Row& row = operations_[rows_[i]];
          row.match = arrival.match = number;
          match.size_bytes = std::max(match.size_bytes, row.size_bytes);
        }
      }
      run_.matches.push_back(match);
    }
  }

  RunTables& run_;
  std::vector<Row>& operations_;
  Text send_, receive_, pair_;
  std::vector<Group> groups_;
  std::vector<uint32_t> group_of_;  // by row of operations_; kNoRow: none
  std::vector<uint32_t> rows_;      // group by group
};

}  // namespace

template <typename Row>
void match_operations(RunTables* run) {
  Matcher<Row>(run).match();
}
template void match_operations<OperationRow>(RunTables* run);
template void match_operations<BriefOperation>(RunTables* run);

}  // namespace lockstep::analysis
