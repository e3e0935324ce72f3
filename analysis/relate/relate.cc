#include "analysis/relate/relate.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "analysis/join/channel_totals.h"
#include "analysis/join/operation_children.h"
#include "analysis/relate/arrivals.h"
#include "analysis/relate/assemble.h"
#include "analysis/relate/bandwidth.h"
#include "analysis/relate/communicators.h"
#include "analysis/relate/marked_steps.h"
#include "analysis/relate/matching.h"
#include "analysis/relate/roles.h"
#include "analysis/relate/run_clock.h"
#include "analysis/relate/span_numbers.h"
#include "analysis/relate/steps.h"

namespace lockstep::analysis {
namespace {

template <typename Row>
std::vector<Row>& rows_of(ProcessOperations* joined) {
  if constexpr (std::is_same_v<Row, BriefOperation>)
    return joined->brief;
  else
    return joined->rows;
}

}  // namespace

// Moves one process's results into the run, its texts renumbered.
template <typename Row>
class Merger {
 public:
  explicit Merger(RunTables* run) : run_(*run), operations_(operations_of<Row>(*run)) {}

  void add(LoadedProcess* process, size_t processes) {
    number_ = static_cast<uint32_t>(run_.processes.size());
    texts_.clear();
    for (Text i = 0; i < process->strings.size(); ++i)
      texts_.push_back(run_.strings.intern(process->strings.text(i)));
    ProcessRow& row = process->row;
    for (Text* text : {&row.host, &row.boot_id, &row.job, &row.nccl_api, &row.library,
                       &row.nccl_library, &row.driver_version})
      *text = texts_[*text];
    run_.processes.push_back(row);
    for (JoinedComm& comm : process->joined.comms) {
      comm.name = texts_[comm.name];
      comm.gpu = texts_[comm.gpu];
      instances_.push_back({number_, comm});
    }
    for (const ProxyWork& work : process->joined.foreign) {
      if (work.pid != row.pid) foreign_.push_back({row.host, work});
    }
    const size_t still = std::max<size_t>(processes, number_ + 1) - number_;
    make_room(rows_of<Row>(&process->joined).size(), still, &operations_);
    make_room(process->joined.channel_ends.size(), still, &run_.channel_ends);
    add_operations(&process->joined);
    add_marks(process->joined);
    for (LedgerRow& entry : process->ledger) {
      entry.process = number_;
      run_.ledger.push_back(entry);
    }
    for (const SettingRow& setting : process->settings)
      run_.settings.push_back({number_, texts_[setting.option], texts_[setting.value]});
    // What all processes say alike, as of their common library, is said once.
    for (std::string& note : process->notes) {
      if (said_.insert(note).second) run_.notes.push_back(std::move(note));
    }
    for (std::string& sentence : process->damage) run_.damage.push_back(std::move(sentence));
  }
  std::vector<CommInstance>& instances() { return instances_; }

  // Network operations that one process did for another of the same host (PXN) go to the operation
  // they served.
  void resolve_foreign() {
    std::map<std::pair<Text, uint32_t>, uint32_t> processes;
    for (size_t i = 0; i < run_.processes.size(); ++i) {
      processes[{run_.processes[i].host, run_.processes[i].pid}] = static_cast<uint32_t>(i);
    }
    std::unordered_map<uint64_t, uint32_t> wanted;  // event id, salted with its process -> row
    const auto key = [](uint32_t process, uint64_t id) {
      return id ^ (uint64_t{process} + 1) * 0x9e3779b97f4a7c15ULL;
    };
    for (const Foreign& one : foreign_) {
      const auto owner = processes.find({one.host, one.work.pid});
      if (owner != processes.end()) wanted[key(owner->second, one.work.parent)] = kNoRow;
    }
    if (wanted.empty()) return;
    for (size_t i = 0; i < operations_.size(); ++i) {
      const Row& row = operations_[i];
      const auto found = wanted.find(key(row.process, row.event_id));
      if (found != wanted.end()) found->second = static_cast<uint32_t>(i);
    }
    ChannelTotals channels(run_.channels);
    for (const Foreign& one : foreign_) {
      const auto owner = processes.find({one.host, one.work.pid});
      if (owner == processes.end()) continue;
      const uint32_t at = wanted[key(owner->second, one.work.parent)];
      if (at == kNoRow || operations_[at].rank != one.work.rank) continue;
      Row& row = operations_[at];
      const int64_t finish_ns = row.finish_ns;
      add_work(one.work, &row);
      if constexpr (std::is_same_v<Row, OperationRow>) {
        channels.add(one.work, row, &run_.channels);
        if (needs_channel_ends(row, run_.strings))
          add_channel_end(one.work, row, at, &run_.channel_ends);
      }
      row.flags |= kForeignChildren;
      if (row.state != OpState::Done) row.finish_ns = finish_ns;
    }
  }

 private:
  // For so many rows more, and those of all processes that will come if they have as many. Memory that is not used is
  // not there, but a copy into a larger place would be.
  template <typename AnyRow>
  static void make_room(size_t rows, size_t processes, std::vector<AnyRow>* all) {
    if (all->size() + rows > all->capacity())
      all->reserve(all->size() + rows * processes + rows * processes / 8);
  }
  void add_marks(const ProcessOperations& joined) {
    for (MarkedStepRow row : joined.steps) {
      row.process = number_;
      run_.rank_steps.push_back(row);
    }
    for (RangeRow row : joined.ranges) {
      row.process = number_;
      row.text = texts_[row.text];
      row.domain = texts_[row.domain];
      run_.ranges.push_back(row);
    }
  }
  void add_operations(ProcessOperations* joined) {
    const auto base = static_cast<uint32_t>(operations_.size());
    std::vector<Row>& rows = rows_of<Row>(joined);
    for (Row& row : rows) {
      row.func = texts_[row.func];
      if constexpr (std::is_same_v<Row, OperationRow>)
        for (Text* text : {&row.datatype, &row.algo, &row.proto}) *text = texts_[*text];
      row.process = number_;
    }
    operations_.insert(operations_.end(), rows.begin(), rows.end());
    for (ChannelRow row : joined->channels) {
      row.process = number_;
      run_.channels.push_back(row);
    }
    for (ChannelEndRow row : joined->channel_ends) {
      row.operation += base;
      run_.channel_ends.push_back(row);
    }
    for (OpenTransportRow& row : joined->open) {
      row.process = number_;
      if (row.operation != kNoRow) row.operation += base;
      run_.open_transports.push_back(row);
    }
  }

  RunTables& run_;
  std::vector<Row>& operations_;
  uint32_t number_ = 0;
  std::vector<Text> texts_;
  std::set<std::string> said_;
  std::vector<CommInstance> instances_;
  struct Foreign {
    Text host;
    ProxyWork work;
  };
  std::vector<Foreign> foreign_;
};

namespace {

template <typename Row>
void number_communicators(RunTables* run) {
  const CommunicatorIndex index(*run);
  for (Row& row : operations_of<Row>(*run))
    row.communicator = index.find(row.process, row.communicator);
  for (ChannelRow& row : run->channels)
    row.communicator = index.find(row.process, row.communicator);
  for (LedgerRow& row : run->ledger) {
    if (row.number != kUnknownComm) row.communicator = index.find(row.process, row.number);
  }
}

void sort_channel_ends(RunTables* run) {
  std::sort(
      run->channel_ends.begin(), run->channel_ends.end(),
      [](const ChannelEndRow& a, const ChannelEndRow& b) { return a.operation < b.operation; });
}

void compare_clocks(RunTables* run) {
  bool one_host = true;
  for (const ProcessRow& process : run->processes)
    one_host = one_host && process.host == run->processes[0].host;
  run->aligned = one_host || std::all_of(run->processes.begin(), run->processes.end(),
                                         [](const ProcessRow& p) { return p.aligned != 0; });
}

}  // namespace

template <typename Row>
struct Relating<Row>::State {
  std::unique_ptr<RunTables> run = std::make_unique<RunTables>();
  Merger<Row> merger{run.get()};
};

template <typename Row>
Relating<Row>::Relating(RunTables* over) : state_(std::make_unique<State>()) {
  if (over == nullptr) return;
  operations_of<Row>(*over).clear();
  operations_of<Row>(*state_->run).swap(operations_of<Row>(*over));
  arrivals_of<Row>(*over).clear();
  arrivals_of<Row>(*state_->run).swap(arrivals_of<Row>(*over));
}
template <typename Row>
Relating<Row>::~Relating() = default;

template <typename Row>
void Relating<Row>::add(std::unique_ptr<LoadedProcess> process, size_t processes) {
  state_->merger.add(process.get(), processes);
}

template <typename Row>
std::unique_ptr<RunTables> Relating<Row>::finish(const std::string& clock_directory) {
  std::unique_ptr<RunTables> run = std::move(state_->run);
  state_->merger.resolve_foreign();
  sort_channel_ends(run.get());
  unite_communicators(std::move(state_->merger.instances()), run.get());
  number_communicators<Row>(run.get());
  if (!clock_directory.empty()) apply_clock_model<Row>(clock_directory, run.get());
  compare_clocks(run.get());
  align_numbers<Row>(NumberedRows::Recorded, run.get());
  if (assemble_groups<Row>(run.get())) align_numbers<Row>(NumberedRows::Assembled, run.get());
  match_operations<Row>(run.get());
  time_arrivals<Row>(run.get());
  if constexpr (std::is_same_v<Row, OperationRow>) {
    rate_operations(run.get());
    if (!number_marked_steps(run.get())) find_steps(run.get());
    number_operations_by_match(run.get());
    guess_roles(run.get());
  }
  return run;
}

template class Relating<OperationRow>;
template class Relating<BriefOperation>;

}  // namespace lockstep::analysis
