#include "analysis/judge/coverage.h"

#include <algorithm>
#include <utility>

#include "analysis/judge/compare_settings.h"
#include "lockstep/kind_mask.h"

namespace lockstep::analysis {
namespace {

// Kinds of events of which a record alone is an operation (OperationJoin).
constexpr uint64_t kTellOfOperations = kind_bit(Kind::Coll) | kind_bit(Kind::P2p) |
                                       kind_bit(Kind::CollApi) | kind_bit(Kind::P2pApi) |
                                       kind_bit(Kind::CeColl);

class GapFinder {
 public:
  explicit GapFinder(const RunTables& run) : run_(run) {}

  std::vector<NotKnown> find() {
    add_nothing();
    add_ranks();
    add_operations();
    add_losses();
    uint64_t damaged = 0;
    for (const ProcessRow& process : run_.processes) damaged += process.damaged_chunks;
    add(NotKnownKind::Damage, damaged);
    add_settings();
    for (const std::string& note : run_.notes) add(NotKnownKind::Note, 1).note = note;
    return std::move(gaps_);
  }

 private:
  NotKnown& add(NotKnownKind kind, uint64_t count, uint64_t of = 0) {
    nothing_ = NotKnown();
    NotKnown& gap = count == 0 ? nothing_ : gaps_.emplace_back();
    gap.kind = kind;
    gap.count = count;
    gap.of = of;
    return gap;
  }

  // Without operations nothing is judged, which proves nothing.
  void add_nothing() {
    if (!run_.operations.empty()) return;
    NotKnown& gap = add(NotKnownKind::Operations, 1, run_.processes.size());
    gap.count = static_cast<uint64_t>(std::count_if(
        run_.processes.begin(), run_.processes.end(),
        [](const ProcessRow& process) { return (process.kinds & kTellOfOperations) == 0; }));
  }

  void add_ranks() {
    for (const CommunicatorRow& comm : run_.communicators) {
      const auto nranks = static_cast<uint64_t>(std::max(0, comm.nranks));
      if (comm.members >= nranks) continue;
      NotKnown& gap = add(NotKnownKind::RanksNotRecorded, nranks - comm.members, nranks);
      gap.communicator = static_cast<uint32_t>(&comm - run_.communicators.data());
      gap.ranks = missing_ranks(comm);
      if (gap.ranks.size() != gap.count) gap.ranks.clear();
    }
  }

  std::vector<int32_t> missing_ranks(const CommunicatorRow& comm) const {
    std::vector<int32_t> known, missing;
    for (uint32_t i = comm.first_member; i < comm.first_member + comm.members; ++i)
      known.push_back(run_.members[i].rank);
    std::sort(known.begin(), known.end());
    for (int32_t rank = 0; rank < comm.nranks; ++rank) {
      if (!std::binary_search(known.begin(), known.end(), rank)) missing.push_back(rank);
    }
    return missing;
  }

  void add_operations() {
    uint64_t endless = 0, suspect = 0;
    for (const OperationRow& row : run_.operations) {
      endless += row.state == OpState::Enqueued;
      suspect += (row.flags & kSuspectGpuTime) != 0;
    }
    add(NotKnownKind::Ends, endless, run_.operations.size());
    add(NotKnownKind::GpuTimes, suspect);
  }

  // Folded calls repeat what was recorded: nothing is unknown for them.
  void add_losses() {
    for (const Loss loss : {Loss::Filtered, Loss::Memory, Loss::Disk, Loss::Unknown}) {
      uint64_t lost = 0;
      for (const LedgerRow& row : run_.ledger) lost += row.lost[static_cast<size_t>(loss)];
      add(NotKnownKind::Lost, lost).loss = loss;
    }
  }

  void add_settings() {
    std::vector<Setting> settings;
    for (const SettingRow& row : run_.settings)
      settings.push_back({row.process, run_.text(row.option), run_.text(row.value)});
    for (SettingDifference& difference : compare_settings(settings))
      add(NotKnownKind::Settings, 1).setting = std::move(difference);
  }

  const RunTables& run_;
  std::vector<NotKnown> gaps_;
  NotKnown nothing_;  // stands for a gap that is none
};

}  // namespace

std::vector<NotKnown> find_gaps(const RunTables& run) { return GapFinder(run).find(); }

}  // namespace lockstep::analysis
