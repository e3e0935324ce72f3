#include "analysis/why/crowded_hosts.h"

#include <algorithm>

#include "analysis/judge/places.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kMostOperations = 100;

ProcessorWaited waited_of(const std::vector<Place>& places, const LateAnswer& answer) {
  ProcessorWaited waited;
  for (const Place& place : places) {
    waited.ranks.push_back(place.world_rank);
    waited.processes.push_back(place.process);
  }
  waited.wait_ns = answer.wait_ns;
  waited.late_ns = answer.late_ns;
  return waited;
}

}  // namespace

CrowdedHosts::CrowdedHosts(const RunTables& run, const LoadSamples& samples)
    : run_(run), samples_(samples) {}

void CrowdedHosts::add(const Finding& straggler, const LateAnswer& answer) {
  const LateFacts& late = std::get<LateFacts>(straggler.facts);
  const std::vector<Place> places = culprits_of(run_, straggler);
  const auto [at, is_new] = hosts_.try_emplace(late.host);
  Host& host = at->second;
  if (is_new) host.finding.facts = MachineFacts();
  MachineFacts& facts = std::get<MachineFacts>(host.finding.facts);
  const HostTotal& total = samples_.hosts.at(run_.text(late.host));
  facts.host = late.host;
  facts.processors = total.processors;
  facts.runnable = static_cast<double>(total.runnable) / static_cast<double>(total.samples);
  facts.wait_ns += answer.wait_ns;
  facts.late_ns += answer.late_ns;
  facts.gain_ns += late.gain_ns;
  facts.gain_share += late.gain_share;
  host.finding.kind = FindingKind::MachineOverloaded;
  host.finding.since_s = static_cast<double>(facts.gain_ns) * 1e-9;
  host.finding.confidence = std::max(host.finding.confidence, straggler.confidence);
  host.finding.why = answer.facts;

  const uint32_t process = places.empty() ? kNoRow : places.front().process;
  if (answer.facts.why == Why::Throttled) {
    const WhySeen& seen = answer.facts.seen.front();
    host.shortage = QuotaUsedUp{process, seen.where, seen.amount, seen.of};
  } else {
    host.shortage = HostCrowded{process, facts.runnable, facts.processors, total.samples};
  }
  host.waited.emplace_back(waited_of(places, answer));
  for (const Evidence& one : straggler.evidence) {
    if (const auto* arrival = std::get_if<LateArrival>(&one)) host.late.push_back(arrival->late);
  }
}

std::vector<Finding> CrowdedHosts::findings() const {
  std::vector<Finding> findings;
  for (const auto& [name, host] : hosts_) {
    Finding finding = host.finding;
    finding.evidence = {host.shortage};
    finding.evidence.insert(finding.evidence.end(), host.waited.begin(), host.waited.end());
    std::vector<LateOperation> late = host.late;
    std::stable_sort(late.begin(), late.end(), [](const LateOperation& a, const LateOperation& b) {
      return a.excess_ns > b.excess_ns;
    });
    if (late.size() > kMostOperations) late.resize(kMostOperations);
    for (const LateOperation& one : late) finding.evidence.emplace_back(LateArrival{one});
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace lockstep::analysis
