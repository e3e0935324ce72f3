#include "analysis/waits/usual_calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace lockstep::analysis {
namespace {

// So many calls before it say where in a step a call stands.
constexpr size_t kLongestContext = 16;
// Fewer are alike by chance where sizes vary, and tell nothing.
constexpr size_t kShortestContext = 4;

using Call = std::tuple<uint32_t, Text, uint64_t, Text, int32_t>;
using Calls = std::vector<Call>;

// How often each call followed the context in `calls`, before place `end`.
void count_followers(const Calls& calls, const Calls& context, size_t end,
                     std::map<Call, uint32_t>* counts) {
  for (size_t i = context.size(); i < end; ++i) {
    const auto before = calls.begin() + static_cast<ptrdiff_t>(i - context.size());
    if (std::equal(context.begin(), context.end(), before)) ++(*counts)[calls[i]];
  }
}

Calls last_of(const Calls& calls, size_t end, size_t length) {
  return Calls(calls.begin() + static_cast<ptrdiff_t>(end - length),
               calls.begin() + static_cast<ptrdiff_t>(end));
}

uint32_t count_of(const std::map<Call, uint32_t>& counts, const Call& call) {
  const auto found = counts.find(call);
  return found == counts.end() ? 0 : found->second;
}

// The calls of one kind on each communicator of a size: collectives, or what one rank sends another.
class SimilarCalls {
 public:
  SimilarCalls(const RunTables& run, const Stall& stall) : pair_(stall.pair) {
    const int32_t nranks = run.communicators[stall.communicator].nranks;
    for (const OperationRow& row : run.operations) {
      if (row.communicator == kNoRow || run.communicators[row.communicator].nranks != nranks ||
          row.replay > 1 || (pair_ ? row.kind != OpKind::PointToPoint : row.position == kNoRow))
        continue;
      series_[series_of(row)].push_back(call_of(row));
      rows_[series_of(row)].push_back(&row);
    }
  }

  // Calls that followed the longest context that any of `candidates` followed.
  std::map<Call, uint32_t> followers(const OperationRow& row,
                                     const std::vector<Call>& candidates) const {
    const Series own = series_of(row);
    const auto& rows = rows_.at(own);
    const auto end = static_cast<size_t>(std::find(rows.begin(), rows.end(), &row) - rows.begin());
    for (size_t length = std::min(end, kLongestContext) + 1; length-- > 0;) {
      const Calls context = last_of(series_.at(own), end, length);
      std::map<Call, uint32_t> counts;
      for (const auto& [series, calls] : series_) {
        const bool same = std::get<0>(series) == std::get<0>(own);
        count_followers(calls, context, same ? std::min(end, calls.size()) : calls.size(), &counts);
      }
      if (std::any_of(candidates.begin(), candidates.end(),
                      [&](const Call& one) { return count_of(counts, one) != 0; }))
        return counts;
    }
    return {};
  }

  Call call_of(const OperationRow& row) const {
    return {0, pair_ ? 0 : row.func, row.size_bytes, row.datatype,
            !pair_ && row.kind == OpKind::Collective ? std::max(0, row.peer) : 0};
  }

 private:
  using Series =
      std::tuple<uint32_t, int32_t, int32_t, Text>;  // communicator, rank, peer, function
  Series series_of(const OperationRow& row) const {
    return {row.communicator, row.rank, pair_ ? row.peer : -1, pair_ ? row.func : 0};
  }

  const bool pair_;
  std::map<Series, Calls> series_;
  std::map<Series, std::vector<const OperationRow*>> rows_;
};

// The calls of a process, and what follows each few of them.
class CallOrder {
 public:
  void add(const Call& call) {
    const uint32_t number =
        numbers_.try_emplace(call, static_cast<uint32_t>(numbers_.size())).first->second;
    for (size_t length = kLongestContext; length > 0; length /= 2) {
      if (calls_.size() >= length) ++followers_[context_of(calls_.size(), length)][number];
    }
    calls_.push_back(number);
  }

  // Whether the i-th call follows what it never follows elsewhere: the longest context before it that has
  // come several times besides.
  bool strays(size_t i) const {
    for (size_t length = kLongestContext; length > 0; length /= 2) {
      if (i < length) continue;
      const std::map<uint32_t, uint32_t>& followers = followers_.at(context_of(i, length));
      uint32_t times = 0;
      for (const auto& [call, count] : followers) times += count;
      if (times > kOftenEnough) return followers.at(calls_[i]) == 1;
    }
    return false;
  }

 private:
  static constexpr uint32_t kOftenEnough = 3;

  std::vector<uint32_t> context_of(size_t end, size_t length) const {
    const auto at = calls_.begin() + static_cast<ptrdiff_t>(end);
    return {at - static_cast<ptrdiff_t>(length), at};
  }

  std::map<Call, uint32_t> numbers_;
  std::vector<uint32_t> calls_;
  // By context: how often each call followed it.
  std::map<std::vector<uint32_t>, std::map<uint32_t, uint32_t>> followers_;
};

// Whether the operation is a call of its own: of the sends and receives of a group call the first is.
bool is_call(const RunTables& run, uint32_t operation) {
  const OperationRow& row = run.operations[operation];
  if (row.kind == OpKind::Assembled || row.replay > 1) return false;
  if (row.kind != OpKind::PointToPoint || row.group_id == 0) return true;
  uint32_t before = operation;
  while (before > 0 && run.operations[--before].kind == OpKind::Assembled) {
  }
  const OperationRow& last = run.operations[before];
  return before == operation || last.kind == OpKind::Assembled || last.process != row.process ||
         last.group_id != row.group_id;
}

Call call_of(const OperationRow& row, Sizes sizes) {
  const uint64_t bytes = sizes == Sizes::Compared ? row.size_bytes : 0;
  return {row.communicator, row.func, bytes, row.datatype, row.peer};
}

// The calls of the operation's process, from it, or its group call, on backwards.
Calls calls_back_from(const RunTables& run, uint32_t operation, Sizes sizes) {
  const uint32_t process = run.operations[operation].process;
  Calls calls;
  for (uint32_t i = operation + 1; i-- > 0 && run.operations[i].process == process;) {
    if (is_call(run, i)) calls.push_back(call_of(run.operations[i], sizes));
  }
  return calls;
}

// By place in `back`: how many calls before it are those before the first, one after the other: the
// Z-function of all but the first.
std::vector<size_t> alike_before(const Calls& back) {
  std::vector<size_t> alike(back.size());
  const size_t size = back.size() - 1;
  size_t from = 0, until = 0;  // what is known to be alike, furthest back
  for (size_t i = 1; i < size; ++i) {
    size_t length = i < until ? std::min(until - i, alike[i - from]) : 0;
    while (i + length < size && back[1 + length] == back[1 + i + length]) ++length;
    alike[i] = length;
    if (i + length > until) from = i, until = i + length;
  }
  return alike;
}

}  // namespace

std::vector<Stray> last_strays(const RunTables& run, Sizes sizes) {
  constexpr size_t kLast = 512;
  std::vector<std::vector<uint32_t>> rows(run.processes.size());
  for (uint32_t i = 0; i < run.operations.size(); ++i) {
    if (is_call(run, i)) rows[run.operations[i].process].push_back(i);
  }
  std::vector<Stray> strays(rows.size());
  for (size_t process = 0; process < rows.size(); ++process) {
    const std::vector<uint32_t>& own = rows[process];
    CallOrder order;
    for (const uint32_t row : own) order.add(call_of(run.operations[row], sizes));
    Stray& stray = strays[process];
    for (size_t i = own.size() - std::min(kLast, own.size());
         i < own.size() && stray.second == kNoRow; ++i) {
      const OperationRow& row = run.operations[own[i]];
      if (stray.first == kNoRow) {
        if (order.strays(i)) stray.first = own[i];
      } else if (row.communicator != run.operations[stray.first].communicator) {
        stray.second = own[i];
      }
    }
    if (stray.second == kNoRow) stray.first = kNoRow;
  }
  return strays;
}

std::optional<size_t> usual_group(const RunTables& run, const Stall& stall,
                                  const PassedValues& passed) {
  const SimilarCalls similar(run, stall);
  std::vector<Call> candidates;
  for (const PassedValues::Group& group : passed.groups)
    candidates.push_back(similar.call_of(run.operations[group.operation]));
  std::vector<uint32_t> votes(candidates.size());
  for (const PassedValues::Group& group : passed.groups) {
    const auto counts = similar.followers(run.operations[group.operation], candidates);
    for (size_t i = 0; i < votes.size(); ++i) votes[i] += count_of(counts, candidates[i]);
  }
  const auto most = std::max_element(votes.begin(), votes.end());
  if (*most == 0 || std::count(votes.begin(), votes.end(), *most) > 1) return std::nullopt;
  return static_cast<size_t>(most - votes.begin());
}

Precedent precedent_of(const RunTables& run, uint32_t operation, Sizes sizes) {
  constexpr size_t kPlaces = 4;  // that are most like it
  const Calls back = calls_back_from(run, operation, sizes);
  if (back.empty()) return {};
  const std::vector<size_t> alike = alike_before(back);
  std::vector<size_t> longest;  // contexts that came before
  for (size_t i = 1; i < back.size(); ++i) {
    if (alike[i] != 0) longest.push_back(alike[i]);
  }
  std::sort(longest.rbegin(), longest.rend());
  if (longest.empty() || longest.front() < kShortestContext) return {};
  const size_t enough = std::min(longest.front(), kLongestContext);
  const size_t most = std::max(enough, longest[std::min(kPlaces, longest.size()) - 1]);
  Precedent precedent;
  precedent.never = true;
  for (size_t i = 1; i < back.size(); ++i) {
    const bool same = back[i] == back[0];
    if (same && alike[i] >= enough) precedent.never = false;
    if (alike[i] < most) continue;
    ++precedent.times;
    precedent.same += same ? 1 : 0;
  }
  return precedent;
}

}  // namespace lockstep::analysis
