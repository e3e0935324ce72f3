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
  Host& host = hosts_[late.host];
  if (host.finding.kind != FindingKind::MachineOverloaded) begin(late.host, &host);
  MachineFacts& facts = std::get<MachineFacts>(host.finding.facts);
  const HostTotal& total = samples_.hosts.at(run_.text(late.host));
  facts.wait_ns += answer.wait_ns;
  facts.late_ns += answer.late_ns;
  facts.gain_ns += late.gain_ns;
  facts.gain_share += late.gain_share;
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

bool CrowdedHosts::add_slower(const Finding& slower) {
  const auto& facts = std::get<SlowerFacts>(slower.facts);
  return add_transfers(slower, places_of(run_, slower.communicator, slower.ranks),
                       facts.slower.gain_ns, facts.gain_share);
}

bool CrowdedHosts::add_slow_path(const Finding& slow) {
  const auto& facts = std::get<PathFacts>(slow.facts);
  const bool is_of_way = facts.side == SlowSide::Link || facts.side == SlowSide::Way;
  if (!facts.replayed || is_of_way || (slow.why && slow.why->why != Why::OwnCode)) return false;
  const CommunicatorRow& comm = run_.communicators[slow.communicator];
  std::vector<int32_t> ranks;
  for (uint32_t m = comm.first_member; m < comm.first_member + comm.members; ++m)
    ranks.push_back(run_.members[m].rank);
  return add_transfers(slow, places_of(run_, slow.communicator, ranks), facts.gain_ns,
                       facts.gain_share);
}

bool CrowdedHosts::add_transfers(const Finding& slow, const std::vector<Place>& places,
                                 int64_t gain_ns, double gain_share) {
  std::map<Text, ProcessorWaited> by_host;
  for (const Place& place : places) {
    if (place.process == kNoRow) continue;
    ProcessorWaited& waited = by_host[run_.processes[place.process].host];
    waited.ranks.push_back(place.world_rank);
    waited.processes.push_back(place.process);
    waited.wait_ns += samples_.total_of(place.process, false).wait_ns;
  }
  const auto most = std::max_element(
      by_host.begin(), by_host.end(),
      [](const auto& a, const auto& b) { return a.second.wait_ns < b.second.wait_ns; });
  if (most == by_host.end() || most->second.wait_ns < gain_ns) return false;
  const auto total = samples_.hosts.find(run_.text(most->first));
  if (total == samples_.hosts.end() || !total->second.is_crowded()) return false;
  Host& host = hosts_[most->first];
  if (host.finding.kind != FindingKind::MachineOverloaded) begin(most->first, &host);
  MachineFacts& machine = std::get<MachineFacts>(host.finding.facts);
  for (const uint32_t process : most->second.processes) {
    if (host.serving.insert(process).second)
      machine.serving_wait_ns += samples_.total_of(process, false).wait_ns;
  }
  machine.gain_ns += gain_ns;
  machine.gain_share += gain_share;
  host.finding.since_s = static_cast<double>(machine.gain_ns) * 1e-9;
  host.finding.confidence = std::max(host.finding.confidence, slow.confidence);
  if (!host.finding.why) host.finding.why = WhyFacts{Why::NoProcessor, {}};
  host.shortage = HostCrowded{most->second.processes.front(), machine.runnable, machine.processors,
                              total->second.samples};
  host.waited.emplace_back(std::move(most->second));
  return true;
}

void CrowdedHosts::begin(Text name, Host* host) const {
  const HostTotal& total = samples_.hosts.at(run_.text(name));
  MachineFacts facts;
  facts.host = name;
  facts.processors = total.processors;
  facts.runnable = static_cast<double>(total.runnable) / static_cast<double>(total.samples);
  host->finding.kind = FindingKind::MachineOverloaded;
  host->finding.facts = facts;
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
