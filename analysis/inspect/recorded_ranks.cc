#include "analysis/inspect/recorded_ranks.h"

#include "analysis/tables/labels.h"

namespace lockstep::analysis {
namespace {

// "rank 3", "ranks 0, 4-7"
std::string all_but(const std::set<uint32_t>& recorded, uint32_t ranks) {
  std::string list;
  const auto add = [&](uint32_t from, uint32_t end) {
    if (from == end) return;
    list += (list.empty() ? "" : ", ") + std::to_string(from);
    if (end - from > 1) list += "-" + std::to_string(end - 1);
  };
  uint32_t next = 0;
  for (const uint32_t rank : recorded) {
    add(next, rank);
    next = rank + 1;
  }
  add(next, ranks);
  return (ranks - recorded.size() == 1 ? "rank " : "ranks ") + list;
}

}  // namespace

void RecordedRanks::add_process(const Comms& comms) {
  const Key* first = nullptr;
  for (const auto& [number, comm] : comms) {
    if (comm.rank >= comm.ranks) continue;
    const Key key{comm.id, comm.ranks};
    const auto [found, is_new] = communicators_.try_emplace(key);
    Communicator& entry = found->second;
    if (is_new) entry.joined_to = key;
    if (entry.name.empty()) entry.name = comm.name;
    entry.recorded.insert(comm.rank);
    if (comm.ranks == 1) continue;
    if (first == nullptr) first = &found->first;
    communicators_[root_of(key)].joined_to = root_of(*first);
  }
}

RecordedRanks::Key RecordedRanks::root_of(Key key) const {
  for (;;) {
    const Key next = communicators_.at(key).joined_to;
    if (next == key) return key;
    key = next;
  }
}

size_t RecordedRanks::groups() const {
  size_t groups = 0;
  for (const auto& [key, entry] : communicators_) {
    if (key.second > 1 && entry.joined_to == key) ++groups;
  }
  return groups;
}

std::vector<std::string> RecordedRanks::missing() const {
  std::vector<std::string> sentences;
  for (const auto& [key, entry] : communicators_) {
    const auto& [id, ranks] = key;
    if (entry.recorded.size() == ranks) continue;
    const std::string name = entry.name.empty() ? "" : entry.name + " ";
    sentences.push_back("communicator " + name + "(" + hex_text(id) + ") of " +
                        std::to_string(ranks) + " ranks: nothing was recorded of " +
                        all_but(entry.recorded, ranks));
  }
  return sentences;
}

}  // namespace lockstep::analysis
