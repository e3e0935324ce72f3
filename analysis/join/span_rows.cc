#include "analysis/join/span_rows.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace lockstep::analysis {
namespace {

constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

class RowKeeper {
 public:
  RowKeeper(dumper::RawSpan span, const dumper::Selection& selection, LoadedProcess* process)
      : span_(span), selection_(selection), process_(*process), joined_(process->joined) {}

  void keep() {
    keep_comms();
    const std::vector<uint32_t> moved = keep_operations(&joined_.rows);
    keep_open(moved);
    keep_channel_ends(moved);
    keep_operations(&joined_.brief);
    keep_channels();
    keep_foreign();
    keep_marks(&joined_.steps);
    keep_marks(&joined_.ranges);
  }

 private:
  bool is_inside(int64_t begin_ns, int64_t end_ns) const {
    const auto at = [](int64_t ns) { return ns <= 0 ? 0 : static_cast<uint64_t>(ns); };
    return at(begin_ns) <= span_.to_ns && at(end_ns) >= span_.from_ns;
  }

  template <typename Row>
  void keep_marks(std::vector<Row>* rows) const {
    rows->erase(std::remove_if(rows->begin(), rows->end(),
                               [this](const Row& row) {
                                 return !is_inside(
                                     row.start_ns == kNoTime ? 0 : row.start_ns,
                                     row.finish_ns == kNoTime ? kForever : row.finish_ns);
                               }),
                rows->end());
  }

  // In the order of their numbers, as they began: the first one is the process's.
  void keep_comms() {
    auto& comms = joined_.comms;
    std::sort(comms.begin(), comms.end(),
              [](const JoinedComm& a, const JoinedComm& b) { return a.number < b.number; });
    if (!comms.empty()) process_.row.rank = comms.front().rank;
    if (selection_.comm.empty()) return;
    process_.row.some_comms = 1;
    comms.erase(std::remove_if(comms.begin(), comms.end(),
                               [this](const JoinedComm& comm) {
                                 return !selection_.wants_comm(comm.comm_id,
                                                               process_.strings.text(comm.name));
                               }),
                comms.end());
    for (const JoinedComm& comm : comms) wanted_.insert(comm.number);
  }

  // Threads are written one after the other: what one called before all that was to be read may be in a
  // chunk that was, and its end, from another thread, in the one before.
  bool may_have_ended(int64_t called_ns, int64_t last_ns) const {
    const auto read_from_ns = static_cast<int64_t>(process_.row.read_from_raw_ns);
    return std::max(called_ns, last_ns) < read_from_ns;
  }

  bool is_wanted(const BriefOperation& row) const {
    if (!selection_.comm.empty() && wanted_.count(row.communicator) == 0) return false;
    const bool open = row.state == OpState::InFlight;
    const int64_t end_ns = open ? kForever : std::max(row.last_progress_ns, row.finish_ns);
    const int64_t called_ns = row.called_ns();
    if (open && may_have_ended(called_ns, row.last_progress_ns)) return false;
    return is_inside(called_ns == kNoTime ? row.last_progress_ns : called_ns, end_ns);
  }

  // Where each of them is now.
  template <typename Row>
  std::vector<uint32_t> keep_operations(std::vector<Row>* rows) const {
    std::vector<uint32_t> moved(rows->size(), kNoRow);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < rows->size(); ++i) {
      if (!is_wanted((*rows)[i])) continue;
      (*rows)[kept] = (*rows)[i];
      moved[i] = kept++;
    }
    rows->resize(kept);
    return moved;
  }

  void keep_open(const std::vector<uint32_t>& moved) {
    std::vector<OpenTransportRow> open;
    for (OpenTransportRow row : joined_.open) {
      if (row.operation != kNoRow && moved[row.operation] == kNoRow) continue;
      if (row.operation != kNoRow) row.operation = moved[row.operation];
      open.push_back(row);
    }
    joined_.open.swap(open);
  }

  void keep_channel_ends(const std::vector<uint32_t>& moved) {
    auto& ends = joined_.channel_ends;
    for (ChannelEndRow& end : ends) end.operation = moved[end.operation];
    ends.erase(std::remove_if(ends.begin(), ends.end(),
                              [](const ChannelEndRow& end) { return end.operation == kNoRow; }),
               ends.end());
  }

  void keep_channels() {
    if (selection_.comm.empty()) return;
    auto& channels = joined_.channels;
    channels.erase(std::remove_if(channels.begin(), channels.end(),
                                  [this](const ChannelRow& row) {
                                    return wanted_.count(row.communicator) == 0;
                                  }),
                   channels.end());
  }

  void keep_foreign() {
    auto& works = joined_.foreign;
    works.erase(std::remove_if(works.begin(), works.end(),
                               [this](const ProxyWork& work) {
                                 return !is_inside(work.start_ns, work.last_ns);
                               }),
                works.end());
  }

  const dumper::RawSpan span_;
  const dumper::Selection& selection_;
  LoadedProcess& process_;
  ProcessOperations& joined_;
  std::unordered_set<uint32_t> wanted_;  // communicators, where only some are
};

}  // namespace

void keep_rows(dumper::RawSpan span, const dumper::Selection& selection, LoadedProcess* process) {
  RowKeeper(span, selection, process).keep();
}

}  // namespace lockstep::analysis
