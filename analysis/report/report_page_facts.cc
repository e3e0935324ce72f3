#include "analysis/report/report_page_facts.h"

#include <algorithm>
#include <map>

#include "analysis/account/peer_traffic.h"
#include "analysis/judge/places.h"
#include "analysis/page/moments.h"
#include "analysis/page/rank_times.h"
#include "analysis/page/tiles.h"
#include "analysis/say/evidence.h"
#include "analysis/say/findings.h"
#include "analysis/say/times.h"
#include "analysis/tables/labels.h"
#include "analysis/tables/wall_time.h"

namespace lockstep::analysis {
namespace {

// Of the page's 3 MB for 64 ranks; compressed tiles take a few hundred KB at most.
constexpr size_t kMomentBytes = 768u << 10;
constexpr size_t kEvidenceLines = 30, kEvidenceTimes = 500;
constexpr uint32_t kPeerSide = 64;
constexpr size_t kPeerMatrices = 4;

// When what the evidence names happened, where it names a time.
struct EvidenceTime {
  const RunTables& run;

  int64_t operator()(const LateArrival& seen) const {
    return seen.late.arrival < run.arrivals.size() ? run.arrivals[seen.late.arrival].arrival_ns
                                                   : kNoTime;
  }
  int64_t operator()(const LastProgress& seen) const { return called(seen.operation); }
  int64_t operator()(const OtherCall& seen) const { return called(seen.operation); }
  int64_t operator()(const NeverCalled& seen) const { return called(seen.last); }
  int64_t operator()(const OpenTransport& seen) const {
    return seen.row < run.open_transports.size() ? run.open_transports[seen.row].since_ns : kNoTime;
  }
  template <typename Other>
  int64_t operator()(const Other&) const {
    return kNoTime;
  }
  int64_t called(uint32_t operation) const {
    return operation < run.operations.size() ? run.operations[operation].called_ns() : kNoTime;
  }
};

SaidFinding said(const RunTables& run, const Finding& finding, int64_t from_ns) {
  SaidFinding out;
  out.kind = finding.kind;
  out.confidence = finding.confidence;
  out.text = sentence(run, finding);
  if (finding.communicator != kNoRow)
    out.communicator = communicator_label(run, finding.communicator);
  out.ranks = finding.ranks;
  for (const Place& place : culprits_of(run, finding)) out.culprits.push_back(place.world_rank);
  out.cost_share = cost_share(finding);
  out.since_s = finding.since_s;
  out.evidence = evidence_lines(run, finding);
  if (out.evidence.size() > kEvidenceLines) out.evidence.resize(kEvidenceLines);
  for (const Evidence& one : finding.evidence) {
    const int64_t at_ns = std::visit(EvidenceTime{run}, one);
    if (at_ns != kNoTime && out.at_ns.size() < kEvidenceTimes) out.at_ns.push_back(at_ns - from_ns);
  }
  std::sort(out.at_ns.begin(), out.at_ns.end());
  return out;
}

PeerMatrix matrix_of(const RunTables& run, uint32_t communicator) {
  PeerMatrix matrix;
  matrix.communicator = communicator_label(run, communicator);
  const auto ranks = static_cast<uint32_t>(std::max(1, run.communicators[communicator].nranks));
  matrix.ranks_per_cell = (ranks + kPeerSide - 1) / kPeerSide;
  matrix.side = (ranks + matrix.ranks_per_cell - 1) / matrix.ranks_per_cell;
  std::map<std::pair<uint32_t, uint32_t>, PeerCell> cells;
  for (const PeerTrafficRow& row : run.peer_traffic) {
    if (row.communicator != communicator || row.sends == 0 || row.rank < 0 || row.peer < 0)
      continue;
    const uint32_t from = static_cast<uint32_t>(row.rank) / matrix.ranks_per_cell;
    const uint32_t to = static_cast<uint32_t>(row.peer) / matrix.ranks_per_cell;
    PeerCell& cell = cells[{from, to}];
    cell.from = from;
    cell.to = to;
    cell.bytes += row.sent_bytes;
    cell.sends += row.sends;
  }
  for (const auto& [place, cell] : cells) matrix.cells.push_back(cell);
  return matrix;
}

}  // namespace

void add_page_facts(const RunTables& run, const Judgement& judgement, Report* report) {
  const RunSpan span = span_of(run);
  report->length_ns = span.to_ns - span.from_ns;
  report->aligned = run.aligned;
  if (!run.critical_path.empty())
    report->path_start_ns = run.critical_path.front().start_ns - span.from_ns;
  report->clock_error_ns = widest_clock_error_ns(run);
  for (const ProcessRow& process : run.processes) {
    if (process.first_ns == span.from_ns)
      report->origin_unix_ns = wall_ns(process, process.first_ns);
    report->places.push_back({process.rank, run.text(process.host), process.pid});
  }
  for (const Finding& finding : judgement.findings)
    report->findings.push_back(said(run, finding, span.from_ns));
  for (const Imbalance& one : find_imbalances(run.peer_traffic)) {
    if (report->peers.size() == kPeerMatrices) break;
    if (one.communicator < run.communicators.size())
      report->peers.push_back(matrix_of(run, one.communicator));
  }
  for (const ExpectedTimeRow& row : run.expected_times)
    report->expected.push_back({run.text(row.func), communicator_label(run, row.communicator),
                                row.size_bytes, row.operations, row.slow, row.median_ns,
                                row.expected_ns});
  report->tiles = encode_tiles(make_tiles(run, TileLimits()));
  report->moments = slowest_moments(run, kMomentBytes);
}

}  // namespace lockstep::analysis
