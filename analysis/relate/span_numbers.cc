#include "analysis/relate/span_numbers.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace lockstep::analysis {
namespace {

// Ranks run ahead of each other by some operations at most: NCCL's queues are bounded.
constexpr ptrdiff_t kMostAhead = 64;
constexpr size_t kMostCompared = 512;  // operations that are compared

// One rank's operations of a series, in the order of their calls.
struct Count {
  uint32_t process = 0;
  std::vector<uint32_t> rows;
};

template <typename Row>
class NumberAligner {
 public:
  NumberAligner(RunTables* run, const std::vector<uint8_t>& from_inside)
      : run_(*run),
        from_inside_(from_inside),
        operations_(operations_of<Row>(*run)),
        send_(run->strings.find("Send")),
        receive_(run->strings.find("Recv")) {}

  void align(NumberedRows rows) {
    collect(rows);
    for (auto& [key, counts] : series_) align_counts(counts);
  }
  void align_positions();

 private:
  // Communicator, function, sender, receiver.
  using Key = std::tuple<uint32_t, Text, int32_t, int32_t>;

  bool is_numbered_here(const Row& row, NumberedRows rows) const {
    if (row.communicator == kNoRow || row.state == OpState::Captured || row.replay != 0)
      return false;
    if (rows == NumberedRows::Assembled) return row.kind == OpKind::Assembled;
    return row.kind == OpKind::PointToPoint || row.kind == OpKind::CopyEngine ||
           (row.kind == OpKind::ApiOnly && row.func != send_ && row.func != receive_);
  }

  void collect(NumberedRows rows) {
    for (uint32_t i = 0; i < operations_.size(); ++i) {
      const Row& row = operations_[i];
      if (!is_numbered_here(row, rows)) continue;
      Key key{row.communicator, row.func, -1, -1};
      if (row.kind == OpKind::PointToPoint) {
        const bool sends = row.func == send_;
        key = {row.communicator, send_, sends ? row.rank : row.peer, sends ? row.peer : row.rank};
      }
      // To oneself: both sides are the process's own, each a count of its own.
      const int32_t side =
          row.kind == OpKind::PointToPoint ? (row.func == send_ ? -2 : -1) : row.rank;
      Count& count = series_[key][side];
      count.process = row.process;
      count.rows.push_back(i);
    }
  }

  // Its numbers are those of the whole run.
  bool begins_whole(uint32_t process) const { return from_inside_[process] == 0; }
  bool comparable(const Count& a, const Count& b) const {
    return clock_key(run_.processes[a.process]) == clock_key(run_.processes[b.process]);
  }

  bool has_ends(const Count& count) const {
    return std::any_of(count.rows.begin(), count.rows.end(),
                       [this](uint32_t row) { return operations_[row].finish_ns != kNoTime; });
  }
  int64_t time_of(uint32_t row, bool end) const {
    const Row& operation = operations_[row];
    return end ? operation.finish_ns : operation.called_ns();
  }

  // How far apart the ends (or calls) of a's operation i + shift and b's operation i lie, in the middle.
  int64_t distance_ns(const Count& a, const Count& b, ptrdiff_t shift, bool ends) const {
    std::vector<int64_t> apart;
    for (size_t i = 0; i < b.rows.size() && apart.size() < kMostCompared; ++i) {
      const ptrdiff_t j = static_cast<ptrdiff_t>(i) + shift;
      if (j < 0 || j >= static_cast<ptrdiff_t>(a.rows.size())) continue;
      const int64_t x = time_of(a.rows[static_cast<size_t>(j)], ends);
      const int64_t y = time_of(b.rows[i], ends);
      if (x != kNoTime && y != kNoTime) apart.push_back(std::abs(x - y));
    }
    const size_t least = std::min(a.rows.size(), b.rows.size());
    if (apart.empty() || apart.size() * 2 < std::min(least, kMostCompared))
      return std::numeric_limits<int64_t>::max();
    const auto middle = apart.begin() + static_cast<ptrdiff_t>(apart.size() / 2);
    std::nth_element(apart.begin(), middle, apart.end());
    return *middle;
  }

  ptrdiff_t best_shift(const Count& a, const Count& b) const {
    const bool whole = begins_whole(a.process) && begins_whole(b.process);
    if (whole || !comparable(a, b)) return 0;
    ptrdiff_t best = 0;
    const bool ends = has_ends(a) && has_ends(b);
    int64_t least_ns = distance_ns(a, b, 0, ends);
    for (ptrdiff_t ahead = 1; ahead <= kMostAhead; ++ahead) {
      for (const ptrdiff_t shift : {ahead, -ahead}) {
        const int64_t ns = distance_ns(a, b, shift, ends);
        if (ns < least_ns) least_ns = ns, best = shift;
      }
    }
    return best;
  }

  // Against the count with the most operations; none becomes negative.
  void align_counts(const std::map<int32_t, Count>& counts) {
    if (counts.size() < 2) return;
    const auto longest = std::max_element(
        counts.begin(), counts.end(),
        [](const auto& a, const auto& b) { return a.second.rows.size() < b.second.rows.size(); });
    std::vector<std::pair<const Count*, ptrdiff_t>> shifts;
    ptrdiff_t lowest = 0;
    for (const auto& [side, count] : counts) {
      const ptrdiff_t shift = side == longest->first ? 0 : best_shift(longest->second, count);
      shifts.emplace_back(&count, shift);
      lowest = std::min(lowest, shift);
    }
    for (const auto& [count, shift] : shifts) {
      for (const uint32_t row : count->rows)
        operations_[row].ordinal += static_cast<uint32_t>(shift - lowest);
    }
  }

  RunTables& run_;
  const std::vector<uint8_t>& from_inside_;  // by process
  std::vector<Row>& operations_;
  Text send_, receive_;
  std::map<Key, std::map<int32_t, Count>> series_;  // by side: rank, or sender and receiver
};

// By the first operation that a rank has in common with the ranks before it.
template <typename Row>
void NumberAligner<Row>::align_positions() {
  using Operation = std::tuple<uint32_t, Text, uint32_t>;  // communicator, function, ordinal
  std::map<Operation, int64_t> positions;
  std::map<std::pair<uint32_t, int32_t>, std::vector<uint32_t>> ranks;  // communicator, rank
  for (uint32_t i = 0; i < operations_.size(); ++i) {
    const Row& row = operations_[i];
    if (row.position != kNoRow && row.communicator != kNoRow)
      ranks[{row.communicator, row.rank}].push_back(i);
  }
  const auto operation = [this](uint32_t i) {
    const Row& row = operations_[i];
    return Operation{row.communicator, row.func, row.ordinal};
  };
  std::map<uint32_t, int64_t> lowest;               // by communicator
  std::vector<std::pair<uint32_t, int64_t>> moved;  // row, position
  for (const auto& [member, rows] : ranks) {
    int64_t shift = 0;
    for (const uint32_t i : rows) {
      const auto known = positions.find(operation(i));
      if (known == positions.end()) continue;
      shift = known->second - int64_t{operations_[i].position};
      break;
    }
    for (const uint32_t i : rows) {
      const int64_t position = int64_t{operations_[i].position} + shift;
      positions.emplace(operation(i), position);
      moved.emplace_back(i, position);
      int64_t& least = lowest[member.first];
      least = std::min(least, position);
    }
  }
  for (const auto& [row, position] : moved) {
    Row& operation_row = operations_[row];
    operation_row.position = static_cast<uint32_t>(position - lowest[operation_row.communicator]);
  }
}

// By process: whether what is known of it begins inside the run, because it was read from there or recorded from there, so
// that no collective has NCCL's first number.
template <typename Row>
std::vector<uint8_t> known_from_inside(RunTables* run) {
  std::vector<uint8_t> first(run->processes.size()), any(first), inside;
  for (const Row& row : operations_of<Row>(*run)) {
    if (row.kind != OpKind::Collective || row.communicator == kNoRow) continue;
    any[row.process] = 1;
    if (row.ordinal == 0) first[row.process] = 1;
  }
  for (size_t i = 0; i < first.size(); ++i) {
    const bool recorded_from_inside = any[i] != 0 && first[i] == 0;
    inside.push_back(run->processes[i].read_from_raw_ns != 0 || recorded_from_inside ? 1 : 0);
  }
  return inside;
}

}  // namespace

template <typename Row>
void align_numbers(NumberedRows rows, RunTables* run) {
  const std::vector<uint8_t> inside = known_from_inside<Row>(run);
  if (std::count(inside.begin(), inside.end(), 1) == 0) return;
  NumberAligner<Row> aligner(run, inside);
  aligner.align(rows);
  if constexpr (std::is_same_v<Row, OperationRow>) {
    if (rows == NumberedRows::Recorded) aligner.align_positions();
  }
}
template void align_numbers<OperationRow>(NumberedRows rows, RunTables* run);
template void align_numbers<BriefOperation>(NumberedRows rows, RunTables* run);

}  // namespace lockstep::analysis
