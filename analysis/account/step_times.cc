#include "analysis/account/step_times.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace lockstep::analysis {
namespace {

struct Share {
  int64_t excess_ns = 0, all_ns = 0;
  bool operator<(const Share& other) const {
    return std::tie(excess_ns, all_ns) < std::tie(other.excess_ns, other.all_ns);
  }
};

struct Shares {
  std::map<uint32_t, Share> processes;
  std::map<uint32_t, int64_t> communicators;
};

template <class Value>
uint32_t largest(const std::map<uint32_t, Value>& all) {
  const auto most = std::max_element(
      all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == all.end() ? kNoRow : most->first;
}

}  // namespace

std::vector<StepTime> find_step_times(const std::vector<CriticalPathRow>& path) {
  std::vector<StepTime> steps;
  std::vector<Shares> shares;
  std::unordered_map<uint32_t, size_t> place;  // by number of the step
  for (const CriticalPathRow& piece : path) {
    const auto [at, is_new] = place.try_emplace(piece.step, steps.size());
    if (is_new) {
      steps.emplace_back().step = piece.step;
      steps.back().start_ns = piece.start_ns;
      shares.emplace_back();
    }
    StepTime& step = steps[at->second];
    step.end_ns = piece.end_ns;
    step.excess_ns += piece.excess_ns;
    step.gain_ns = std::max(step.gain_ns, piece.gain_ns);
    if (piece.part == PathPart::Transfer) {
      step.transfer_ns += piece.duration_ns;
      shares[at->second].communicators[piece.communicator] += piece.duration_ns;
      continue;
    }
    step.own_ns += piece.duration_ns;
    Share& share = shares[at->second].processes[piece.process];
    share.excess_ns += piece.excess_ns;
    share.all_ns += piece.duration_ns;
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i].process = largest(shares[i].processes);
    steps[i].communicator = largest(shares[i].communicators);
  }
  return steps;
}

std::vector<PhaseTime> find_phase_times(const RunTables& run,
                                        const std::vector<CriticalPathRow>& path) {
  std::map<std::tuple<Text, uint64_t, int32_t>, PhaseTime> phases;
  for (const CriticalPathRow& piece : path) {
    const uint64_t size_bytes = run.operations[piece.operation].size_bytes;
    const int32_t nranks = run.communicators[piece.communicator].nranks;
    PhaseTime& phase = phases[{piece.func, size_bytes, nranks}];
    phase.func = piece.func;
    phase.size_bytes = size_bytes;
    phase.nranks = nranks;
    phase.operations += piece.part == PathPart::Transfer ? 1 : 0;
    (piece.part == PathPart::Transfer ? phase.transfer_ns : phase.own_ns) += piece.duration_ns;
    phase.excess_ns += piece.excess_ns;
  }
  std::vector<PhaseTime> rows;
  for (const auto& [key, phase] : phases) rows.push_back(phase);
  std::stable_sort(rows.begin(), rows.end(), [](const PhaseTime& a, const PhaseTime& b) {
    return a.own_ns + a.transfer_ns > b.own_ns + b.transfer_ns;
  });
  return rows;
}

}  // namespace lockstep::analysis
