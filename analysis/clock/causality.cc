#include "analysis/clock/causality.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace lockstep::analysis {
namespace {

using clocksync::DataFlow;
using clocksync::HappensBefore;
using clocksync::Participant;

std::optional<DataFlow> flow_of(const std::string& func) {
  static const std::unordered_map<std::string, DataFlow> kFlows = {
      {"AllReduce", DataFlow::AllToAll},     {"AllGather", DataFlow::AllToAll},
      {"ReduceScatter", DataFlow::AllToAll}, {"AlltoAll", DataFlow::AllToAll},
      {"AllToAll", DataFlow::AllToAll},      {"Broadcast", DataFlow::FromRoot},
      {"Bcast", DataFlow::FromRoot},         {"Scatter", DataFlow::FromRoot},
      {"Reduce", DataFlow::ToRoot},          {"Gather", DataFlow::ToRoot}};
  const auto found = kFlows.find(func);
  return found == kFlows.end() ? std::nullopt : std::optional<DataFlow>(found->second);
}

// Data leaves a rank after NCCL was called there, and not before its proxy thread was asked to send
// when it has network operations, nor before its kernel began, which may be much later where hosts call ahead
// of their GPUs; a rank has everything when the last child of its operation stopped. The launch is no safe
// start: Coll events come after it.
Participant participant(const OperationRow& operation, uint32_t host) {
  Participant p;
  p.host = host;
  p.start_ns = operation.replay == 0 ? operation.api_start_ns : operation.proxy_start_ns;
  // The kernel of each channel is known, so that none began before.
  const bool all = operation.kernels != 0 && operation.kernels >= operation.channels;
  if (all && operation.kernel_early_ns != kNoTime)
    p.start_ns = std::max(p.start_ns, operation.kernel_start_ns - operation.kernel_early_ns);
  if (operation.state == OpState::Done) p.end_ns = operation.last_progress_ns;
  p.is_root = operation.rank >= 0 && operation.rank == operation.peer;
  return p;
}

}  // namespace

static_assert(kNoTime == clocksync::kUnknownTime);

std::vector<HappensBefore> collect_happens_before(const RunTables& raw_run,
                                                  const std::vector<std::string>& hosts) {
  std::vector<HappensBefore> all;
  std::vector<uint32_t> host_of(raw_run.processes.size());
  for (size_t p = 0; p < host_of.size(); ++p) {
    const std::string& name = raw_run.text(raw_run.processes[p].host);
    host_of[p] = uint32_t(std::lower_bound(hosts.begin(), hosts.end(), name) - hosts.begin());
  }
  for (const MatchRow& match : raw_run.matches) {
    std::optional<DataFlow> flow = flow_of(raw_run.text(match.func));
    std::vector<Participant> ranks;
    for (uint32_t i = 0; i < match.arrivals; ++i) {
      const uint32_t row = raw_run.arrivals[match.first_arrival + i].operation;
      if (row == kNoRow) continue;
      const OperationRow& operation = raw_run.operations[row];
      if (operation.count == 0 && operation.kind != OpKind::Assembled) continue;
      ranks.push_back(participant(operation, host_of[operation.process]));
      if (operation.kind != OpKind::PointToPoint) continue;
      flow = DataFlow::FromRoot;
      ranks.back().is_root = raw_run.text(operation.func) == "Send";
    }
    if (!flow || ranks.size() < 2) continue;
    const std::vector<HappensBefore> pairs = clocksync::happens_before(*flow, ranks);
    all.insert(all.end(), pairs.begin(), pairs.end());
  }
  return all;
}

Causality check_causality(const clocksync::ClockModel& model,
                          const std::vector<HappensBefore>& observations) {
  Causality result;
  for (const HappensBefore& o : observations) {
    ++result.checked;
    result.violated_before += o.end_ns < o.start_ns;
    const auto start = model.to_global(model.hosts[o.from], o.start_ns);
    const auto end = model.to_global(model.hosts[o.to], o.end_ns);
    if (!start || !end) {
      ++result.unaligned;
      continue;
    }
    result.violated_after += end->ns < start->ns;
    result.beyond_interval += end->hi_ns < start->lo_ns;
    result.worst_after_ns = std::max(result.worst_after_ns, start->ns - end->ns);
  }
  return result;
}

std::vector<PairCausality> check_pairs(const clocksync::ClockModel& model,
                                       const std::vector<HappensBefore>& observations) {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<HappensBefore>> of_pair;
  for (const HappensBefore& o : observations) of_pair[std::minmax(o.from, o.to)].push_back(o);
  std::vector<PairCausality> pairs;
  for (const auto& [pair, own] : of_pair)
    pairs.push_back({pair.first, pair.second, check_causality(model, own)});
  return pairs;
}

}  // namespace lockstep::analysis
