#include "analysis/report/report_page_facts.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/account/peer_traffic.h"
#include "analysis/judge/places.h"
#include "analysis/page/moments.h"
#include "analysis/page/whole_run.h"
#include "analysis/say/evidence.h"
#include "analysis/say/evidence_query.h"
#include "analysis/say/findings.h"
#include "analysis/say/times.h"
#include "analysis/tables/labels.h"
#include "lockstep/message_size.h"

namespace lockstep::analysis {
namespace {

// Of the page's 3 MB for 64 ranks; compressed tiles take a few hundred KB at most.
constexpr size_t kMomentBytes = 768u << 10;
constexpr size_t kEvidenceLines = 30, kEvidenceTimes = 500;
constexpr uint32_t kPeerSide = 64;
constexpr size_t kPeerMatrices = 4;

// When what the evidence names happened, in run time, where it names a time.
struct EvidenceTime {
  const RunTables& run;
  const RunTime& time;

  int64_t operator()(const LateArrival& seen) const {
    if (seen.late.arrival >= run.arrivals.size()) return kNoTime;
    const ArrivalRow& row = run.arrivals[seen.late.arrival];
    return row.operation < run.operations.size()
               ? time.at(run.operations[row.operation].process, row.arrival_ns)
               : kNoTime;
  }
  int64_t operator()(const SlowOperation& seen) const { return called(seen.operation); }
  int64_t operator()(const TransferSeen& seen) const {
    if (seen.match >= run.matches.size()) return kNoTime;
    const ArrivalRow& row = run.arrivals[run.matches[seen.match].first_arrival];
    return time.at(run.operations[row.operation].process, row.arrival_ns);
  }
  int64_t operator()(const SentAgainWhile& seen) const {
    return time.at(seen.process, seen.from_ns);
  }
  int64_t operator()(const LastProgress& seen) const { return called(seen.operation); }
  int64_t operator()(const OtherCall& seen) const { return called(seen.operation); }
  int64_t operator()(const NeverCalled& seen) const { return called(seen.last); }
  int64_t operator()(const OpenTransport& seen) const {
    if (seen.row >= run.open_transports.size()) return kNoTime;
    const OpenTransportRow& row = run.open_transports[seen.row];
    return time.at(row.process, row.since_ns);
  }
  template <typename Other>
  int64_t operator()(const Other&) const {
    return kNoTime;
  }
  int64_t called(uint32_t operation) const {
    if (operation >= run.operations.size()) return kNoTime;
    const OperationRow& row = run.operations[operation];
    return time.at(row.process, row.called_ns());
  }
};

// What the evidence names of the plots: bandwidth is told of whole operations.
struct EvidencePlace {
  const RunTables& run;

  SaidPlace operator()(const KindSlower& seen) const {
    const ExpectedTimeRow& row = seen.kind.row;
    SaidPlace place = point(row.communicator, row.func, row.size_bytes);
    place.slow_took_ns = seen.kind.took_ns;
    return place;
  }
  SaidPlace operator()(const TransferSeen& seen) const { return of_match(seen.match); }
  SaidPlace operator()(const TransfersSeen& seen) const {
    SaidPlace place = of_match(seen.match);
    if (seen.side == SlowSide::Anybody || seen.ranks.size() != 2 ||
        seen.match >= run.matches.size())
      return place;
    place.communicator = communicator_label(run, run.matches[seen.match].communicator);
    place.from_rank = seen.ranks[0];
    place.to_rank = seen.ranks[1];
    return place;
  }
  template <typename Other>
  SaidPlace operator()(const Other&) const {
    return {};
  }
  SaidPlace of_match(uint32_t match) const {
    if (match >= run.matches.size()) return {};
    const MatchRow& row = run.matches[match];
    return point(row.communicator, row.func, row.size_bytes);
  }
  SaidPlace point(uint32_t communicator, Text func, uint64_t size_bytes) const {
    SaidPlace place;
    place.func = run.text(func);
    place.nranks = run.communicators[communicator].nranks;
    place.size_bytes = size_bytes;
    return place;
  }
};

// Communicators on which a finding names one rank that sends to another.
std::set<std::string> with_pairs(const std::vector<SaidFinding>& findings) {
  std::set<std::string> named;
  for (const SaidFinding& finding : findings) {
    for (const SaidPlace& place : finding.evidence_places) named.insert(place.communicator);
  }
  return named;
}

SaidFinding said(const RunTables& run, const Finding& finding, const RunTime& time) {
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
  out.evidence_sql = evidence_queries(run, finding);
  for (const Evidence& one : finding.evidence) {
    if (out.evidence_places.size() == kEvidenceLines) break;
    out.evidence_places.push_back(std::visit(EvidencePlace{run}, one));
  }
  for (std::vector<std::string>* lines : {&out.evidence, &out.evidence_sql})
    lines->resize(std::min(lines->size(), kEvidenceLines));
  for (const Evidence& one : finding.evidence) {
    const int64_t at_ns = std::visit(EvidenceTime{run, time}, one);
    if (at_ns != kNoTime && out.at_ns.size() < kEvidenceTimes) out.at_ns.push_back(at_ns);
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

// Communicators with as many ranks may differ, so each row has the bandwidth of its own.
ExpectedRow expected(const RunTables& run, const ExpectedTimeRow& row) {
  const std::string func = run.text(row.func);
  const int32_t nranks = run.communicators[row.communicator].nranks;
  const double busbw_gbs = row.expected_ns <= 0
                               ? 0
                               : busbw_factor(func, nranks) * static_cast<double>(row.size_bytes) /
                                     static_cast<double>(row.expected_ns);
  return {func,           communicator_label(run, row.communicator),
          nranks,         row.size_bytes,
          row.operations, row.slow,
          row.median_ns,  row.expected_ns,
          busbw_gbs};
}

}  // namespace

void add_page_facts(const RunTables& run, const Judgement& judgement, Report* report) {
  const RunTime time(run);
  report->length_ns = length_of(run, time);
  report->origin_unix_ns = time.origin_unix_ns();
  report->aligned = run.aligned;
  if (!run.critical_path.empty())
    report->path_start_ns =
        time.at(run.critical_path.front().process, run.critical_path.front().start_ns);
  report->clock_error_ns = widest_clock_error_ns(run);
  for (const ProcessRow& process : run.processes)
    report->places.push_back({process.rank, run.text(process.host), process.pid});
  for (const Finding& finding : judgement.findings)
    report->findings.push_back(said(run, finding, time));
  const std::set<std::string> named = with_pairs(report->findings);
  std::vector<Imbalance> imbalances = find_imbalances(run.peer_traffic);
  std::stable_partition(imbalances.begin(), imbalances.end(), [&](const Imbalance& one) {
    return named.count(communicator_label(run, one.communicator)) != 0;
  });
  for (const Imbalance& one : imbalances) {
    if (report->peers.size() == kPeerMatrices) break;
    if (one.communicator < run.communicators.size())
      report->peers.push_back(matrix_of(run, one.communicator));
  }
  for (const ExpectedTimeRow& row : run.expected_times)
    report->expected.push_back(expected(run, row));
  for (const LogRow& row : run.log_lines)
    report->logs.push_back({time.at(0, row.at_ns), run.text(row.file), run.text(row.text), row.line,
                            row.rank, row.level});
  report->lanes = lanes_of(run, time);
  report->tiles = tiles_of(run, time);
  report->moments = slowest_moments(run, time, kMomentBytes);
}

}  // namespace lockstep::analysis
