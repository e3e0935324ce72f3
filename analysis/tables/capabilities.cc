#include "analysis/tables/capabilities.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "lockstep/profiler_versions.h"
#include "lockstep/shared_kinds.h"

namespace lockstep::analysis {
namespace {

constexpr uint32_t kAllKinds = (1u << kKinds) - 1;

// What the process's table of NCCL has; all where the table is not known.
uint32_t offered_to(const RunTables& run, const ProcessRow& process) {
  const std::string& table = run.text(process.nccl_api);  // "v7"
  const auto version = parse_number<int>(table.empty() ? table : table.substr(1));
  if (!version || *version < 1 || *version > abi::kNewestTable) return kAllKinds;
  const bool rccl =
      run.text(process.nccl_library) == abi::kLibraryNames[static_cast<size_t>(abi::Library::Rccl)];
  return abi::known_kinds(rccl ? abi::Library::Rccl : abi::Library::Nccl, *version);
}

// By process: kinds within operations were recorded of one in so many.
std::vector<uint32_t> shares_of(const RunTables& run) {
  std::vector<uint32_t> shares(run.processes.size(), 1);
  for (const SettingRow& row : run.settings) {
    if (row.process >= shares.size() || run.text(row.option) != "events") continue;
    shares[row.process] = one_operation_in(run.text(row.value));
  }
  return shares;
}

class Finder {
 public:
  explicit Finder(const RunTables& run) : run_(run), found_(run.communicators.size()) {}

  std::vector<Capability> find() {
    const std::vector<uint32_t> shares = shares_of(run_);
    for (uint32_t c = 0; c < found_.size(); ++c) add_communicator(c, shares);
    for (const OperationRow& row : run_.operations) add_operation(row);
    for (const LedgerRow& row : run_.ledger) add_ledger(row);
    return std::move(found_);
  }

 private:
  void add_communicator(uint32_t c, const std::vector<uint32_t>& shares) {
    const CommunicatorRow& row = run_.communicators[c];
    Capability& known = found_[c];
    known.communicator = c;
    known.recorded_ranks = row.members;
    known.nranks = row.nranks;
    known.offered = known.on = kAllKinds;
    for (uint32_t i = row.first_member; i < row.first_member + row.members; ++i) {
      const MemberRow& member = run_.members[i];
      if (member.process >= run_.processes.size()) continue;
      const ProcessRow& process = run_.processes[member.process];
      known.offered &= offered_to(run_, process);
      known.on &= static_cast<uint32_t>(process.kinds);
      known.one_in = std::max(known.one_in, shares[member.process]);
      const int64_t from_ns = member.init_ns != kNoTime ? member.init_ns : process.first_ns,
                    to_ns = member.finalize_ns != kNoTime ? member.finalize_ns : process.last_ns;
      if (from_ns != kNoTime) known.recorded_ns = std::max(known.recorded_ns, to_ns - from_ns);
    }
    known.on &= known.offered;
  }

  void add_operation(const OperationRow& row) {
    if (row.communicator >= found_.size() || row.assembled != kNoRow) return;
    Capability& known = found_[row.communicator];
    ++known.operations;
    known.with_end += row.finish_ns != kNoTime;
    known.with_kernels += row.kernels != 0;
    known.with_gpu_times += row.kernel_start_ns != kNoTime;
    known.with_network += row.proxy_ops != 0;
    known.with_steps += row.steps != 0;
    if (row.match >= run_.matches.size()) return;
    const MatchRow& match = run_.matches[row.match];
    const bool whole = match.arrivals == match.expected, comparable = match.comparable != 0;
    known.with_all_ranks += whole;
    known.with_one_clock += comparable;
    known.with_wait += whole && comparable;
  }

  void add_ledger(const LedgerRow& row) {
    if (row.communicator >= found_.size()) return;
    Capability& known = found_[row.communicator];
    if (row.kept != 0 && row.kind < kKinds) known.came |= 1u << row.kind;
    for (const Loss loss : {Loss::Memory, Loss::Disk, Loss::Unknown})
      known.lost += row.lost[static_cast<size_t>(loss)];
  }

  const RunTables& run_;
  std::vector<Capability> found_;
};

}  // namespace

std::vector<Capability> find_capabilities(const RunTables& run) { return Finder(run).find(); }

}  // namespace lockstep::analysis
