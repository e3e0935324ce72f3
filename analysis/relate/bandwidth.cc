#include "analysis/relate/bandwidth.h"

#include <algorithm>

#include "analysis/relate/run_clock.h"
#include "analysis/tables/collectives.h"
#include "lockstep/message_size.h"

namespace lockstep::analysis {
namespace {

class MatchRater {
 public:
  MatchRater(RunTables* run, const ClockErrors* errors) : run_(*run), errors_(*errors) {}

  void rate(const MatchRow& match) {
    if (match.comparable == 0 || match.arrivals == 0 || match.arrivals != match.expected) return;
    ArrivalRow* const begin = run_.arrivals.data() + match.first_arrival;
    ArrivalRow* const end = begin + match.arrivals;
    const ArrivalRow *first = begin, *last = begin, *finish = begin;
    for (const ArrivalRow* a = begin; a != end; ++a) {
      if (row(*a).state != OpState::Done || a->finish_ns == kNoTime || a->arrival_ns == kNoTime)
        return;
      if (a->arrival_ns < first->arrival_ns) first = a;
      if (a->arrival_ns > last->arrival_ns) last = a;
      if (a->finish_ns > finish->finish_ns) finish = a;
    }
    const ArrivalRow& start = needs_everybody(match, begin, end) ? *last : *first;
    const int64_t took_ns = finish->finish_ns - start.arrival_ns;
    if (took_ns <= 0 || took_ns <= 2 * error_ns(start, *finish)) return;
    const int32_t nranks = run_.communicators[match.communicator].nranks;
    const double factor = busbw_factor(run_.text(match.func), nranks);
    for (ArrivalRow* a = begin; a != end; ++a) {
      a->algbw_gbs = static_cast<double>(match.size_bytes) / static_cast<double>(took_ns);
      a->busbw_gbs = a->algbw_gbs * factor;
    }
  }

 private:
  const OperationRow& row(const ArrivalRow& arrival) const {
    return run_.operations[arrival.operation];
  }

  bool needs_everybody(const MatchRow& match, const ArrivalRow* begin,
                       const ArrivalRow* end) const {
    const std::string_view func = run_.text(match.func);
    if (!ends_together(func) && func != "AlltoAll" && func != "AllGatherV") return false;
    return match.arrivals > 2 && std::none_of(begin, end, [&](const ArrivalRow& arrival) {
             return shares_launch(arrival.operation);
           });
  }
  // The rows of one group are neighbours. An assembled operation is the whole of its group.
  bool shares_launch(uint32_t operation) const {
    const OperationRow& own = run_.operations[operation];
    if (own.kind == OpKind::Assembled) return false;
    if ((own.flags & kSharedKernel) != 0) return true;
    const auto same_group = [&](const OperationRow& other) {
      return own.group_id != 0 && other.group_id == own.group_id && other.process == own.process;
    };
    return (operation > 0 && same_group(run_.operations[operation - 1])) ||
           (operation + 1 < run_.operations.size() && same_group(run_.operations[operation + 1]));
  }

  // Clocks of one host, or of the same rank, do not err against each other.
  int64_t error_ns(const ArrivalRow& start, const ArrivalRow& finish) const {
    const uint32_t from = row(start).process, to = row(finish).process;
    if (run_.processes[from].host == run_.processes[to].host) return 0;
    return errors_.at(from, start.arrival_ns) + errors_.at(to, finish.finish_ns);
  }

  RunTables& run_;
  const ClockErrors& errors_;
};

}  // namespace

void rate_operations(RunTables* run) {
  const ClockErrors errors(*run);
  MatchRater rater(run, &errors);
  for (const MatchRow& match : run->matches) rater.rate(match);
}

}  // namespace lockstep::analysis
