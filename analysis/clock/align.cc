#include "analysis/clock/align.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "base/quantile.h"
#include "dumper/run/chunk_search.h"
#include "dumper/run/run_directory.h"

namespace lockstep::analysis {
namespace {

using clocksync::ClockModel;
using clocksync::EdgeBounds;
using clocksync::EdgeModel;
using clocksync::GraphEdge;
using clocksync::GraphSolver;
using clocksync::HappensBefore;
using clocksync::OffsetSource;

// Hosts whose REALTIME minus RAW agree to this share a clock (a time namespace shifts RAW only).
constexpr int64_t kSameClockNs = 1'000'000;
// How far beyond its observations an edge is solved at most; further out the model widens by
// itself.
constexpr int64_t kMaxExtensionNs = 600'000'000'000;

struct Extent {
  int64_t from_ns = INT64_MAX, to_ns = INT64_MIN;
};

// Everything align_run() knows before it solves.
struct Evidence {
  ClockInput input;
  std::vector<std::string> names;
  std::vector<HappensBefore> observations;
  std::map<std::string, Extent> recorded;  // when each host's processes recorded, its raw clock
};

void add_facts(const dumper::RunDirectory& run, Evidence* evidence) {
  for (const dumper::ProcessEntry& process : run.processes) {
    ClockHost& host = evidence->input.hosts[process.host];
    if (host.boot_id.empty()) host.boot_id = process.facts.boot_id;
    const auto span = dumper::span_of(process);
    if (!span) continue;
    if (!host.real_minus_raw_ns) host.real_minus_raw_ns = span->last_real_offset_ns;
    Extent& extent = evidence->recorded[process.host];
    extent.from_ns = std::min(extent.from_ns, static_cast<int64_t>(span->first_raw_ns));
    extent.to_ns = std::max(extent.to_ns, static_cast<int64_t>(span->last_raw_ns));
  }
}

Status read_evidence(const std::string& directory, const AlignOptions& options,
                     Evidence* evidence) {
  Result<ClockInput> input = read_clock_files(directory);
  if (!input.ok()) return input.status();
  evidence->input = std::move(input.value());
  std::unique_ptr<RunTables> run;
  if (!options.probes_only && dumper::has_segments(directory)) {
    const Result<dumper::RunDirectory> opened = dumper::RunDirectory::open(directory);
    if (!opened.ok() && evidence->input.hosts.empty()) return opened.status();
    if (!opened.ok()) evidence->input.add_damage(opened.message());
    if (opened.ok() && options.without_collectives) add_facts(opened.value(), evidence);
    if (opened.ok() && !options.without_collectives)
      run = load_opened(opened.value(), LoadOptions());
  }
  if (run != nullptr) {
    for (const std::string& sentence : run->damage) evidence->input.add_damage(sentence);
    for (const ProcessRow& process : run->processes) {
      const std::string& name = run->text(process.host);
      ClockHost& host = evidence->input.hosts[name];
      if (host.boot_id.empty()) host.boot_id = run->text(process.boot_id);
      if (!host.real_minus_raw_ns && process.real_offset_ns != 0) {
        host.real_minus_raw_ns = process.real_offset_ns;
      }
      Extent& extent = evidence->recorded[name];
      if (process.first_ns != kNoTime) extent.from_ns = std::min(extent.from_ns, process.first_ns);
      if (process.last_ns != kNoTime) extent.to_ns = std::max(extent.to_ns, process.last_ns);
    }
  }
  for (const auto& host : evidence->input.hosts) evidence->names.push_back(host.first);
  if (evidence->names.empty()) {
    return Status::error(directory + ": holds neither segments (*.lks) nor clock records (*" +
                         kClockFileSuffix + "); name the run directory");
  }
  if (run != nullptr) evidence->observations = collect_happens_before(*run, evidence->names);
  return Status();
}

// Probes between two hosts outrank this: they would show it.
bool same_clock(const ClockHost& a, const ClockHost& b) {
  if (a.boot_id.empty() || a.boot_id != b.boot_id) return false;
  const bool spaces_known = !a.clock_namespace.empty() && !b.clock_namespace.empty();
  const bool offsets_known = a.real_minus_raw_ns && b.real_minus_raw_ns;
  if (spaces_known && a.clock_namespace != b.clock_namespace) return false;
  if (offsets_known) return std::llabs(*a.real_minus_raw_ns - *b.real_minus_raw_ns) < kSameClockNs;
  return spaces_known;
}

class EdgeMaker {
 public:
  explicit EdgeMaker(Evidence* evidence) : evidence_(*evidence) {
    options_.limits.d_ns_s2 = evidence->input.d_ns_s2;
    options_.limits.max_slope_ppm = 2 * evidence->input.rho_ppm;
  }

  std::vector<GraphEdge> make() {
    for (auto& [path, bounds] : evidence_.input.edges) {
      add(index(path.a), index(path.b), OffsetSource::Probes, std::move(bounds), path.interface);
    }
    for (uint32_t a = 0; a < evidence_.names.size(); ++a) {
      for (uint32_t b = a + 1; b < evidence_.names.size(); ++b) {
        if (done_.count({a, b}) != 0 || !same_clock(host(a), host(b))) continue;
        done_.insert({a, b});
        edges_.push_back({a, b, OffsetSource::SameHost, EdgeModel(), 0, 0});
      }
    }
    clocksync::CollectiveBounds collectives;
    for (const HappensBefore& o : evidence_.observations) {
      const auto pair = std::minmax(o.from, o.to);
      if (done_.count({pair.first, pair.second}) == 0) collectives.add(o);
    }
    for (auto& [pair, learned] : collectives.take()) {
      add(pair.first, pair.second, OffsetSource::Collectives, std::move(learned.bounds));
      const EdgeModel& model = edges_.back().model;
      learned.ends.fit(model.breaks(), options_.limits.max_slope_ppm, model.floor_width_ns());
      edges_.back().ends = std::move(learned.ends);
    }
    return std::move(edges_);
  }

 private:
  const ClockHost& host(uint32_t h) const { return evidence_.input.hosts.at(evidence_.names[h]); }
  uint32_t index(const std::string& name) const {
    const auto& names = evidence_.names;
    return uint32_t(std::lower_bound(names.begin(), names.end(), name) - names.begin());
  }

  void add(uint32_t a, uint32_t b, OffsetSource source, EdgeBounds bounds,
           const std::string& interface = "") {
    clocksync::EdgeOptions options = options_;
    const auto recorded = evidence_.recorded.find(evidence_.names[a]);
    if (recorded != evidence_.recorded.end() && !bounds.upper.empty()) {
      const int64_t near_ns = bounds.upper.front().x_raw_ns;
      options.from_raw_ns = std::max(recorded->second.from_ns, near_ns - kMaxExtensionNs);
      options.to_raw_ns =
          std::min(recorded->second.to_ns, bounds.upper.back().x_raw_ns + kMaxExtensionNs);
    }
    const uint64_t upper = bounds.upper.size(), lower = bounds.lower.size();
    edges_.push_back({a, b, source, EdgeModel::solve(std::move(bounds), options), upper, lower});
    edges_.back().interface = interface;
    // One direction only: the collectives may know the other.
    if (upper != 0 && lower != 0) done_.insert({a, b});
  }

  Evidence& evidence_;
  clocksync::EdgeOptions options_;
  std::set<std::pair<uint32_t, uint32_t>> done_;  // pairs that need no other evidence
  std::vector<GraphEdge> edges_;
};

int64_t median_half_width_ns(const clocksync::HostModel& host) {
  std::vector<int64_t> halves;
  for (const clocksync::ClockKnot& knot : host.knots)
    halves.push_back((knot.hi_ns - knot.lo_ns + 1) / 2);
  return median(&halves);
}

class PairViews {
 public:
  // `conditional`: the same graph under the declared asymmetry, or nothing.
  PairViews(GraphSolver* solver, GraphSolver* conditional, const ClockModel& model)
      : solver_(*solver), conditional_(conditional), model_(model) {}

  std::vector<PairView> make(const AlignOptions& options) {
    const uint32_t hosts = uint32_t(model_.hosts.size());
    std::vector<std::vector<uint32_t>> wanted(hosts);
    for (uint32_t a = 0; a < hosts && hosts <= kMaxHostsForAllPairs; ++a) {
      for (uint32_t b = a + 1; b < hosts; ++b) wanted[a].push_back(b);
    }
    if (hosts > kMaxHostsForAllPairs) {
      for (const GraphEdge& edge : solver_.edges()) wanted[edge.a].push_back(edge.b);
    }
    std::vector<PairView> views;
    for (uint32_t a = 0; a < hosts; ++a) {
      const auto& knots = model_.hosts[a].knots;
      if (wanted[a].empty() || knots.empty()) continue;
      const int64_t at_ns = options.at_raw_ns.value_or(knots[knots.size() / 2].local_raw_ns);
      const auto offsets = solver_.pairs(a, at_ns);
      const auto narrow =
          conditional_ != nullptr ? conditional_->pairs(a, at_ns) : decltype(offsets)(hosts);
      for (const uint32_t b : wanted[a]) {
        if (!offsets[b]) continue;
        views.push_back({model_.hosts[a].host, model_.hosts[b].host, at_ns, *offsets[b], narrow[b],
                         source(a, b)});
      }
    }
    return views;
  }

 private:
  // Of the edge between the two, else the weaker of their links to the reference.
  OffsetSource source(uint32_t a, uint32_t b) const {
    for (const GraphEdge& edge : solver_.edges()) {
      if (edge.a == a && edge.b == b) return edge.source;
    }
    return std::max(model_.hosts[a].source, model_.hosts[b].source);
  }

  GraphSolver& solver_;
  GraphSolver* conditional_;
  const ClockModel& model_;
};

// The graph under the declaration that the fastest packets of the two directions of a path differ
// by at most `asymmetry_ns`: then no packet takes less than half of the fastest round trip that is
// left without it.
std::unique_ptr<GraphSolver> solve_conditionally(const GraphSolver& solver, int64_t asymmetry_ns,
                                                 const std::vector<std::string>& names,
                                                 const clocksync::GraphOptions& options,
                                                 std::vector<std::string>* notes) {
  std::vector<GraphEdge> edges = solver.edges();
  for (GraphEdge& edge : edges) {
    if (edge.source != OffsetSource::Probes) continue;
    edge.least_delay_ns = std::max<int64_t>(0, (edge.model.floor_width_ns() - asymmetry_ns) / 2);
  }
  auto conditional = std::make_unique<GraphSolver>(names, std::move(edges), options);
  for (const clocksync::ModelFault& fault : conditional->solve().faults) {
    if (fault.kind == "negative_cycle") {
      notes->push_back("the declared asymmetry of " + std::to_string(asymmetry_ns) +
                       " ns is not true: " + fault.detail);
    }
  }
  return conditional;
}

std::vector<std::string> assumptions(const ClockInput& input, const std::vector<GraphEdge>& edges) {
  const auto number = [](double value) { return std::to_string(int64_t(value)); };
  std::vector<std::string> list = {
      "no clock changes its rate against another by more than " + number(input.d_ns_s2) +
          " ns/s per s (D)",
      "no clock is wrong by more than " + number(input.rho_ppm) + " ppm (rho)",
      "send stamps are never late, receive stamps never early"};
  const bool collectives = std::any_of(edges.begin(), edges.end(), [](const GraphEdge& edge) {
    return edge.source == OffsetSource::Collectives;
  });
  if (collectives)
    list.push_back(
        "pairs without probes: nobody finishes a collective before its last rank calls it "
        "and starts its kernel");
  return list;
}

void add_probing(const Evidence& evidence, Alignment* alignment) {
  constexpr int64_t kSecondNs = 1'000'000'000;
  RecordedSeconds recorded;
  for (const auto& [host, extent] : evidence.recorded)
    recorded[host] = {extent.from_ns / kSecondNs, extent.to_ns / kSecondNs};
  for (HostView& host : alignment->hosts) {
    alignment->probed_hosts.push_back(probed_host(evidence.input, recorded, host.host));
    if (host.source == OffsetSource::Probes && host.host != alignment->model.reference)
      grade_probing(alignment->probed_hosts.back(), &host.graded);
  }
  for (size_t e = 0; e < alignment->edges.size(); ++e) {
    const clocksync::EdgeReport& edge = alignment->model.edges[e];
    alignment->probed_edges.push_back(
        probed_edge(evidence.input, recorded, {edge.a, edge.b, edge.interface}));
    if (edge.source == OffsetSource::Probes)
      grade_probing(alignment->probed_edges.back(), &alignment->edges[e]);
  }
}

}  // namespace

std::vector<HostView> view_hosts(const ClockModel& model) {
  std::vector<HostView> views;
  for (const clocksync::HostModel& host : model.hosts) {
    HostView view;
    view.host = host.host;
    view.source = host.source;
    view.connected = model.hosts[host.component].host == model.reference;
    view.half_width_ns = median_half_width_ns(host);
    view.graded = grade_host(model, view);
    views.push_back(std::move(view));
  }
  return views;
}

bool Alignment::all_connected() const {
  return std::all_of(hosts.begin(), hosts.end(),
                     [](const HostView& host) { return host.connected; });
}

Result<Alignment> align_run(const std::string& directory, const AlignOptions& options) {
  Evidence evidence;
  const Status status = read_evidence(directory, options, &evidence);
  if (!status.ok()) return status;
  clocksync::GraphOptions graph;
  graph.max_slope_ppm = 2 * evidence.input.rho_ppm;
  GraphSolver solver(evidence.names, EdgeMaker(&evidence).make(), graph);
  Alignment alignment;
  alignment.model = solver.solve();
  alignment.model.assumptions = assumptions(evidence.input, solver.edges());
  alignment.hosts = view_hosts(alignment.model);
  std::unique_ptr<GraphSolver> conditional;
  alignment.asymmetry_ns = evidence.input.asymmetry_ns;
  if (alignment.asymmetry_ns) {
    conditional = solve_conditionally(solver, *alignment.asymmetry_ns, evidence.names, graph,
                                      &evidence.input.notes);
  }
  alignment.pairs = PairViews(&solver, conditional.get(), alignment.model).make(options);
  for (const clocksync::EdgeReport& edge : alignment.model.edges) {
    alignment.edges.push_back(grade_edge(edge));
  }
  add_probing(evidence, &alignment);
  alignment.causality = check_causality(alignment.model, evidence.observations);
  alignment.causality_pairs = check_pairs(alignment.model, evidence.observations);
  for (const auto& [name, host] : evidence.input.hosts) {
    for (ClockFault fault : host.faults) {
      fault.detail = name + ": " + fault.detail;
      alignment.prober_faults.push_back(std::move(fault));
    }
  }
  alignment.notes = std::move(evidence.input.notes);
  alignment.damage = std::move(evidence.input.damage);
  return alignment;
}

}  // namespace lockstep::analysis
