#include "analysis/inspect/withheld_kinds.h"

#include <algorithm>

#include "lockstep/record_fields.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kMostComms = 256;  // 7 KB each

// What a process was told to record at run time stands in its notes (EventSwitch).
bool changed_itself(const dumper::Ledger& ledger) {
  return std::any_of(ledger.notes.begin(), ledger.notes.end(), [](const std::string& note) {
    return note.find("events set to ") != std::string::npos ||
           note.find("held back ") != std::string::npos ||
           note.find(" capture ") != std::string::npos;
  });
}

bool asked_for(const dumper::ProcessFacts& facts, unsigned kind) {
  return (facts.activation_mask >> kind & 1) != 0;
}

uint64_t starts_lost(const dumper::Ledger& ledger, unsigned kind, Loss why) {
  uint64_t starts = 0;
  for (const auto& [key, count] : ledger.losses) {
    if (loss_kind(key) == kind && loss_call(key) == Call::Start && loss_why(key) == why)
      starts += count;
  }
  return starts;
}

}  // namespace

size_t WithheldKinds::place_of(Kind kind) {
  switch (kind) {
    case Kind::CollApi:
      return 0;
    case Kind::Coll:
      return 1;
    case Kind::KernelCh:
      return 2;
    case Kind::CeColl:
      return 3;
    default:
      return 4;
  }
}

void WithheldKinds::see(const uint64_t* words) {
  const Tag tag = tag_of(words[0]);
  const size_t place = is_start(tag) ? place_of(static_cast<Kind>(tag)) : 4;
  if (place == 4) return;
  const uint32_t number = comm_of(EventRecord::read(words).id);
  if (comms_.size() >= kMostComms && comms_.count(number) == 0) return;
  // Symmetric kernels have no channels to tell of.
  if (tag == start_tag(Kind::Coll) && CollRecord::read(words).symmetric) return;
  Seen& seen = comms_[number][place];
  const uint64_t ticks = ticks_of(words[0]);
  seen.latest_ticks[seen.starts++ % kEnough] = ticks;
  seen.last_ticks = std::max(seen.last_ticks, ticks);
}

// `kind` came as often as `with`, and then no more while `with` went on.
bool WithheldKinds::stopped(const Comm& comm, Kind kind, Kind with) {
  const Seen& gone = comm[place_of(kind)];
  const Seen& goes_on = comm[place_of(with)];
  if (gone.starts < kEnough || goes_on.starts < 2 * kEnough) return false;
  const uint64_t first_of_latest =
      *std::min_element(goes_on.latest_ticks.begin(), goes_on.latest_ticks.end());
  return first_of_latest > gone.last_ticks;
}

std::vector<std::string> WithheldKinds::withheld(const dumper::ProcessFacts& facts,
                                                 const dumper::Ledger& ledger) const {
  std::vector<std::string> sentences;
  if (changed_itself(ledger)) return sentences;
  const auto check = [&](Kind kind, Kind with, bool otherwise_explained) {
    const auto bit = static_cast<unsigned>(kind);
    if (otherwise_explained || !asked_for(facts, bit) ||
        starts_lost(ledger, bit, Loss::Memory) != 0)
      return;
    sentences.push_back(
        std::string(kKindNames[bit]) + " events stopped coming while " +
        kKindNames[static_cast<unsigned>(with)] +
        " events went on, though they were asked for: somebody changed NCCL's mask (RAS CONTROL "
        "PROFILER_MASK, from NCCL 2.32 on)");
  };
  bool coll = false, kernel = false;
  for (const auto& [number, comm] : comms_) {
    // What goes to a copy engine has no Coll of its own.
    const bool by_engine =
        comm[place_of(Kind::CeColl)].last_ticks > comm[place_of(Kind::Coll)].last_ticks;
    coll = coll || (!by_engine && stopped(comm, Kind::Coll, Kind::CollApi));
    kernel = kernel || stopped(comm, Kind::KernelCh, Kind::Coll);
  }
  check(Kind::Coll, Kind::CollApi, !coll);
  check(Kind::KernelCh, Kind::Coll, !kernel);
  return sentences;
}

std::vector<std::string> WithheldKinds::uncalled_for(const dumper::ProcessFacts& facts,
                                                     const dumper::Ledger& ledger) const {
  std::vector<std::string> sentences;
  if (changed_itself(ledger)) return sentences;
  std::string kinds;
  uint64_t calls = 0;
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    const uint64_t starts = starts_lost(ledger, kind, Loss::Filtered);
    if (starts == 0 || asked_for(facts, kind)) continue;
    kinds += (kinds.empty() ? "" : ", ") + std::string(kKindNames[kind]);
    calls += starts;
  }
  if (calls != 0)
    sentences.push_back("NCCL called " + std::to_string(calls) +
                        " times with events that nobody asked for (" + kinds +
                        "): somebody changed its mask (RAS CONTROL PROFILER_MASK?), or a chained "
                        "plugin wanted them");
  return sentences;
}

}  // namespace lockstep::analysis
