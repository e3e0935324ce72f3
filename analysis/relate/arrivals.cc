#include "analysis/relate/arrivals.h"

#include <algorithm>
#include <type_traits>

#include "analysis/relate/run_clock.h"

namespace lockstep::analysis {
namespace {

int64_t moment(const BriefOperation& row, ArrivalBasis basis) {
  switch (basis) {
    case ArrivalBasis::KernelStart:
      return row.kernel_start_ns;
    case ArrivalBasis::KernelSeen:
      return row.kernel_seen_ns;
    case ArrivalBasis::Enqueue:
      return row.enqueue_ns;
    case ArrivalBasis::ApiCall:
      return row.api_start_ns;
  }
  return kNoTime;
}

constexpr ArrivalBasis kBestFirst[] = {ArrivalBasis::KernelStart, ArrivalBasis::KernelSeen,
                                       ArrivalBasis::Enqueue, ArrivalBasis::ApiCall};

int64_t finish_of(const BriefOperation& row) {
  return row.state == OpState::Done ? row.over_ns() : row.finish_ns;
}

template <typename Row>
class MatchTimer {
 public:
  MatchTimer(RunTables* run, const ClockErrors* errors, MatchRow* match)
      : run_(*run),
        operations_(operations_of<Row>(*run)),
        arrivals_(arrivals_of<Row>(*run)),
        errors_(*errors),
        match_(*match),
        begin_(arrivals_.data() + match->first_arrival),
        end_(begin_ + match->arrivals) {}

  void time() {
    choose_basis();
    find_last();
    measure();
  }

 private:
  static constexpr bool kFull = std::is_same_v<Row, OperationRow>;
  using Arrival = ArrivalOf<Row>;

  const BriefOperation& row(const Arrival& arrival) const { return operations_[arrival.operation]; }
  const ProcessRow& process(const Arrival& arrival) const {
    return run_.processes[arrival.process];
  }

  void choose_basis() {
    ArrivalBasis basis = ArrivalBasis::ApiCall;
    bool common = false;
    for (const ArrivalBasis candidate : kBestFirst) {
      common = std::all_of(begin_, end_,
                           [&](const Arrival& a) { return moment(row(a), candidate) != kNoTime; });
      basis = candidate;
      if (common) break;
    }
    for (Arrival* a = begin_; a != end_; ++a) {
      const BriefOperation& own = row(*a);
      a->process = own.process;
      a->rank = own.rank;
      for (const ArrivalBasis candidate : kBestFirst) {
        if (common && candidate != basis) continue;
        if constexpr (kFull) a->basis = candidate;
        a->arrival_ns = moment(own, candidate);
        if (a->arrival_ns != kNoTime) break;
      }
    }
  }

  void find_last() {
    std::vector<std::pair<uint64_t, const Arrival*>> lasts;  // one per clock: nearly always one
    const auto of_clock = [&](uint64_t clock) -> const Arrival*& {
      for (auto& [key, last] : lasts) {
        if (key == clock) return last;
      }
      return lasts.emplace_back(clock, nullptr).second;
    };
    for (const Arrival* a = begin_; a != end_; ++a) {
      const Arrival*& last = of_clock(clock_key(process(*a)));
      if (a->arrival_ns == kNoTime) continue;
      if (last == nullptr || a->arrival_ns > last->arrival_ns) last = a;
    }
    for (Arrival* a = begin_; a != end_; ++a) {
      const Arrival* last = of_clock(clock_key(process(*a)));
      if (last != nullptr) a->last_rank_row = number(last);
    }
    match_.comparable = lasts.size() == 1;
    const Arrival* overall = lasts.front().second;
    if (match_.comparable == 0 || overall == nullptr || match_.arrivals < 2) return;
    match_.last_rank = overall->rank;
    if constexpr (kFull) bound_errors(*overall);
  }
  void bound_errors(const ArrivalRow& overall) {
    const int64_t last_error_ns = errors_.at(overall.process, overall.arrival_ns);
    for (ArrivalRow* a = begin_; a != end_; ++a) {
      if (process(*a).host == process(overall).host) continue;
      if (a->arrival_ns == kNoTime) continue;
      a->clock_error_ns = errors_.at(a->process, a->arrival_ns) + last_error_ns;
    }
  }
  uint32_t number(const Arrival* arrival) const {
    return static_cast<uint32_t>(arrival - arrivals_.data());
  }

  void measure() {
    int64_t first = kNoTime, last_arrival = kNoTime, last_finish = kNoTime;
    bool all_finished = match_.arrivals == match_.expected;
    for (Arrival* a = begin_; a != end_; ++a) {
      const int64_t finish_ns = finish_of(row(*a));
      if constexpr (kFull) a->finish_ns = finish_ns;
      all_finished = all_finished && finish_ns != kNoTime;
      last_finish = std::max(last_finish, finish_ns);
      if (a->last_rank_row == kNoRow || a->arrival_ns == kNoTime) continue;
      const Arrival& last = arrivals_[a->last_rank_row];
      if constexpr (kFull) a->last = a->last_rank_row == number(a) && match_.arrivals > 1 ? 1 : 0;
      a->wait_ns = last.arrival_ns - a->arrival_ns;
      first = first == kNoTime ? a->arrival_ns : std::min(first, a->arrival_ns);
      last_arrival = std::max(last_arrival, last.arrival_ns);
      if (finish_ns == kNoTime) continue;
      // A rank that needs nothing from the last one (a broadcast's root) can be done before it
      // came.
      if (finish_ns < last.arrival_ns) a->wait_ns = 0;
      if constexpr (kFull)
        a->transfer_ns =
            finish_ns - std::max(a->arrival_ns, a->wait_ns == 0 ? a->arrival_ns : last.arrival_ns);
    }
    if (match_.comparable == 0) return;
    if (first != kNoTime && match_.arrivals > 1) match_.spread_ns = last_arrival - first;
    if (!all_finished || last_finish == kNoTime) return;
    match_.finish_ns = last_finish;
    if (last_arrival != kNoTime) match_.transfer_ns = last_finish - last_arrival;
  }

  RunTables& run_;
  const std::vector<Row>& operations_;
  std::vector<Arrival>& arrivals_;
  const ClockErrors& errors_;
  MatchRow& match_;
  Arrival *begin_, *end_;
};

}  // namespace

template <typename Row>
void time_arrivals(RunTables* run) {
  const ClockErrors errors(*run);
  for (MatchRow& match : run->matches) MatchTimer<Row>(run, &errors, &match).time();
}
template void time_arrivals<OperationRow>(RunTables* run);
template void time_arrivals<BriefOperation>(RunTables* run);

}  // namespace lockstep::analysis
