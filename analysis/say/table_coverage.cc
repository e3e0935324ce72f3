#include "analysis/say/table_coverage.h"

#include <algorithm>

#include "analysis/say/words.h"
#include "analysis/tables/labels.h"
#include "lockstep/kind_mask.h"

namespace lockstep::analysis {
namespace {

using Known = std::vector<const Capability*>;

constexpr size_t kNamed = 3;

// "world, split0 and 4 more"; "all of them" where there are others in none.
std::string names_of(const RunTables& run, const Known& some, size_t of) {
  if (some.size() == of && of > 1) return "any of them";
  std::vector<std::string> names;
  for (const Capability* one : some) {
    if (names.size() == kNamed) {
      names.push_back(std::to_string(some.size() - kNamed) + " more");
      break;
    }
    names.push_back(communicator_label(run, one->communicator));
  }
  return listed(names);
}

// "Covers all 8 ranks of world.", "Covers all ranks of 3 communicators, but 1 of 4 of split0 and ...".
std::string ranks_covered(const RunTables& run, const Known& all) {
  Known partial;
  for (const Capability* one : all) {
    if (one->recorded_ranks < static_cast<uint32_t>(std::max(0, one->nranks)))
      partial.push_back(one);
  }
  const auto some_of = [&](const Capability& one) {
    return std::to_string(one.recorded_ranks) + " of " +
           counted(static_cast<uint64_t>(std::max(0, one.nranks)), "rank") + " of " +
           communicator_label(run, one.communicator);
  };
  if (all.size() == 1) {
    const Capability& one = *all.front();
    if (!partial.empty()) return "Covers " + some_of(one) + ".";
    return "Covers all " + counted(static_cast<uint64_t>(std::max(0, one.nranks)), "rank") +
           " of " + communicator_label(run, one.communicator) + ".";
  }
  if (partial.empty()) return "Covers all ranks of " + counted(all.size(), "communicator") + ".";
  std::vector<std::string> parts;
  for (const Capability* one : partial) {
    if (parts.size() == kNamed) {
      parts.push_back("some of " + std::to_string(partial.size() - kNamed) + " more");
      break;
    }
    parts.push_back(some_of(*one));
  }
  const size_t whole = all.size() - partial.size();
  if (whole == 0) return "Covers " + listed(parts) + ".";
  return "Covers " + listed(parts) + "; all ranks of the other " +
         (whole == 1 ? "communicator" : counted(whole, "communicator")) + ".";
}

// Why events of a kind did not come from any rank of these.
std::string why_none(const Known& some, uint32_t kinds) {
  const auto all = [&](uint32_t Capability::*member, bool has) {
    return std::all_of(some.begin(), some.end(),
                       [&](const Capability* one) { return ((one->*member & kinds) != 0) == has; });
  };
  if (all(&Capability::offered, false)) return " (this version of NCCL does not report them)";
  if (all(&Capability::on, false)) return " (they were switched off)";
  return "";
}

template <typename Count>
std::pair<uint64_t, uint64_t> counted_of(const Known& all, Count count) {
  std::pair<uint64_t, uint64_t> sums;
  for (const Capability* one : all) {
    sums.first += one->*count;
    sums.second += one->operations;
  }
  return sums;
}

template <typename Lacks>
Known those(const Known& all, Lacks lacks) {
  Known some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [&](const Capability* one) { return lacks(*one); });
  return some;
}

std::string share(const std::pair<uint64_t, uint64_t>& sums) {
  return std::to_string(sums.first) + " of " + counted(sums.second, "rank call");
}

std::string about_ends(const RunTables& run, const Known& all) {
  const auto ends = counted_of(all, &Capability::with_end);
  if (ends.first == ends.second) return "";
  constexpr uint32_t kEnding = kind_bit(Kind::KernelCh) | kind_bit(Kind::ProxyOp);
  std::string text = " The end of " + share({ends.second - ends.first, ends.second}) +
                     " is not known, and so neither their time nor bandwidth";
  const Known blind = those(all, [](const Capability& one) { return (one.came & kEnding) == 0; });
  if (!blind.empty())
    text += ": neither kernels nor network operations were recorded on " +
            names_of(run, blind, all.size()) + why_none(blind, kEnding);
  return text + ".";
}

std::string about_waits(const RunTables& run, const Known& all) {
  const auto waits = counted_of(all, &Capability::with_wait);
  if (waits.first == waits.second) return "";
  std::string text = " Waits of " + share({waits.second - waits.first, waits.second}) +
                     " are not known across all their ranks";
  if (!run.aligned) {
    text += ": the hosts are not on one clock";
  } else if (counted_of(all, &Capability::with_all_ranks).first != waits.second) {
    text += ": not every rank's call is in the recording";
  }
  return text + ".";
}

std::string about_network(const RunTables& run, const Known& all) {
  constexpr uint32_t kSteps = kind_bit(Kind::ProxyStep);
  std::string text;
  const Known blind = those(all, [](const Capability& one) { return (one.came & kSteps) == 0; });
  const Known blind_there =
      those(blind, [](const Capability& one) { return one.with_network != 0; });
  if (!blind_there.empty()) {
    text += " No network steps were recorded on " + names_of(run, blind_there, all.size()) +
            why_none(blind_there, kSteps) +
            ", so what its links moved, and how fast, is not known.";
    if (blind_there.size() > 1) text.replace(text.find("its links"), 3, "their");
  }
  const Known inside = those(all, [](const Capability& one) { return one.with_network == 0; });
  if (!inside.empty())
    text += " No network operation was recorded on " + names_of(run, inside, all.size()) +
            why_none(inside, kind_bit(Kind::ProxyOp)) + ".";
  uint32_t one_in = 1;
  for (const Capability* one : all) {
    if ((one->came & kSteps) != 0) one_in = std::max(one_in, one->one_in);
  }
  if (one_in > 1)
    text += " Network steps were recorded of one operation in " + std::to_string(one_in) + " only.";
  return text;
}

std::string about_phases(const RunTables& run, const Known& all) {
  constexpr uint32_t kPhases = kind_bit(Kind::KernelPhase);
  const Known blind = those(all, [](const Capability& one) { return (one.came & kPhases) == 0; });
  return blind.empty() ? ""
                       : " No phases came from kernels on " + names_of(run, blind, all.size()) +
                             why_none(blind, kPhases) + ".";
}

}  // namespace

std::string coverage_line(const RunTables& run, const std::vector<Capability>& capabilities,
                          unsigned rests) {
  Known all;
  for (const Capability& one : capabilities) {
    if (one.operations != 0) all.push_back(&one);
  }
  if (all.empty() || rests == 0) return "";
  std::string text = ranks_covered(run, all);
  if ((rests & kOnEnds) != 0) text += about_ends(run, all);
  if ((rests & kOnWaits) != 0) text += about_waits(run, all);
  if ((rests & kOnNetwork) != 0) text += about_network(run, all);
  if ((rests & kOnPhases) != 0) text += about_phases(run, all);
  uint64_t lost = 0;
  for (const Capability* one : all) lost += one->lost;
  if (lost != 0)
    text += " " + counted(lost, "call") + " of theirs " + (lost == 1 ? "was" : "were") + " lost.";
  return text;
}

}  // namespace lockstep::analysis
