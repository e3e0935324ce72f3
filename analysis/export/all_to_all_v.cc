#include "analysis/export/all_to_all_v.h"

#include <algorithm>

namespace lockstep::analysis {

AllToAllV::AllToAllV(const RunTables& run)
    : run_(run), uneven_(run.operations.size()), uneven_matches_(run.matches.size()) {
  const Text all_to_all = run.strings.find("AlltoAll");
  std::unordered_map<uint32_t, uint64_t> counts;  // of the first part, by whole
  for (const OperationRow& part : run.operations) {
    if (part.assembled >= run.operations.size()) continue;
    const OperationRow& whole = run.operations[part.assembled];
    if (whole.func != all_to_all) continue;
    const auto first = counts.emplace(part.assembled, part.count).first;
    if (first->second == part.count) continue;
    uneven_[part.assembled] = true;
    if (whole.match < run.matches.size()) uneven_matches_[whole.match] = true;
  }
}

bool AllToAllV::is_uneven(uint32_t whole) const {
  const uint32_t match = run_.operations[whole].match;
  return uneven_[whole] || (match < uneven_matches_.size() && uneven_matches_[match]);
}

std::unordered_map<uint32_t, Splits> AllToAllV::splits_of(
    const std::vector<uint32_t>& operations) const {
  const Text send = run_.strings.find("Send");
  std::unordered_map<uint32_t, Splits> splits;
  for (const uint32_t row : operations) {
    const OperationRow& part = run_.operations[row];
    if (part.assembled >= run_.operations.size() || !is_uneven(part.assembled)) continue;
    const auto ranks =
        static_cast<size_t>(std::max(0, run_.communicators[part.communicator].nranks));
    const auto peer = static_cast<size_t>(part.peer);
    Splits& of_whole = splits[part.assembled];
    std::vector<uint64_t>& side = part.func == send ? of_whole.in : of_whole.out;
    of_whole.in.resize(ranks);
    of_whole.out.resize(ranks);
    if (peer < ranks) side[peer] += part.count;
  }
  return splits;
}

}  // namespace lockstep::analysis
