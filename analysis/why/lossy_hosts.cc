#include "analysis/why/lossy_hosts.h"

#include <algorithm>
#include <map>

namespace lockstep::analysis {
namespace {

constexpr double kLeastShare = 0.01;
constexpr double kTimesOthers = 10;
constexpr int64_t kFewest = 100;  // segments sent again
// A full segment of Ethernet, in bytes.
constexpr double kSegmentBytes = 1448;
constexpr double kConfidence = 0.9;
constexpr size_t kMostStretches = 30;

struct Sent {
  int64_t again = 0, all = 0;
  double share() const {
    return all == 0 ? 0 : static_cast<double>(again) / static_cast<double>(all);
  }
};

// The largest communicator that has ranks on the host.
uint32_t communicator_on(const RunTables& run, Text host) {
  uint32_t best = kNoRow;
  for (const MemberRow& member : run.members) {
    if (member.process == kNoRow || run.processes[member.process].host != host) continue;
    if (best == kNoRow ||
        run.communicators[member.communicator].nranks > run.communicators[best].nranks)
      best = member.communicator;
  }
  return best;
}

// The stretches of time in which most was sent again, with what the process was in longest then.
std::vector<SentAgainWhile> worst_stretches(const RunTables& run, uint32_t process,
                                            std::vector<Span> spans) {
  std::stable_sort(spans.begin(), spans.end(),
                   [](const Span& a, const Span& b) { return a.amount_ns > b.amount_ns; });
  if (spans.size() > kMostStretches) spans.resize(kMostStretches);
  std::vector<SentAgainWhile> worst;
  for (const Span& span : spans) {
    SentAgainWhile one;
    one.process = process;
    one.from_ns = span.from_ns;
    one.to_ns = span.to_ns;
    one.again = span.amount_ns;
    worst.push_back(one);
  }
  for (uint32_t i = 0; i < run.operations.size(); ++i) {
    const OperationRow& row = run.operations[i];
    if (row.process != process || row.finish_ns == kNoTime || row.assembled != kNoRow) continue;
    const int64_t begun_ns = row.kernel_start_ns == kNoTime ? row.called_ns() : row.kernel_start_ns;
    for (SentAgainWhile& one : worst) {
      const int64_t inside_ns =
          std::min(row.finish_ns, one.to_ns) - std::max(begun_ns, one.from_ns);
      if (inside_ns > one.inside_ns) one.operation = i, one.inside_ns = inside_ns;
    }
  }
  return worst;
}

void add_evidence(const RunTables& run, Text host, const Sent& sent, int64_t others,
                  const std::vector<Span>& spans, Finding* finding) {
  const auto at = std::find_if(run.processes.begin(), run.processes.end(),
                               [&](const ProcessRow& one) { return one.host == host; });
  SentAgain all;
  all.process = static_cast<uint32_t>(at - run.processes.begin());
  all.again = sent.again;
  all.all = sent.all;
  all.others = others;
  finding->evidence.emplace_back(all);
  for (const SentAgainWhile& one : worst_stretches(run, all.process, spans))
    finding->evidence.emplace_back(one);
}

Finding finding_of(const RunTables& run, Text host, const Sent& sent, int64_t others) {
  Finding finding;
  finding.kind = FindingKind::SlowLink;
  finding.communicator = communicator_on(run, host);
  for (const MemberRow& member : run.members) {
    if (member.communicator == finding.communicator && member.process != kNoRow &&
        run.processes[member.process].host == host)
      finding.culprits.push_back(member.rank);
  }
  std::sort(finding.culprits.begin(), finding.culprits.end());
  finding.confidence = kConfidence;
  PathFacts facts;
  facts.host = host;
  facts.sent_again = sent.again;
  facts.sent = sent.all;
  finding.facts = facts;
  WhySeen seen;
  seen.what = WhySeen::What::Retransmits;
  seen.amount = sent.again;
  seen.of = sent.all;
  seen.others = others;
  seen.where = "tcp";
  finding.why = WhyFacts{Why::Retransmits, {seen}};
  return finding;
}

}  // namespace

std::vector<Finding> find_lossy_hosts(const RunTables& run, const LoadSamples& samples) {
  std::map<Text, double> bytes;  // that each host's ranks called operations for
  for (const OperationRow& row : run.operations)
    bytes[run.processes[row.process].host] += static_cast<double>(row.size_bytes);
  std::map<Text, Sent> sent;
  for (const auto& [host, called_bytes] : bytes) {
    Sent& one = sent[host];
    one.again = samples.grown(run.text(host), "tcp", "retransmitted_segments");
    // The kernel does not count what is sent again among what is sent.
    one.all = samples.grown(run.text(host), "tcp", "out_segments") + one.again;
  }
  std::vector<Finding> findings;
  for (const auto& [host, one] : sent) {
    Sent worst;  // of the others
    for (const auto& [other, theirs] : sent) {
      if (other != host && theirs.share() >= worst.share() && theirs.all != 0) worst = theirs;
    }
    const bool carries_the_data = static_cast<double>(one.all) * kSegmentBytes * 2 >= bytes[host];
    if (one.again >= kFewest && one.share() >= kLeastShare && worst.all != 0 &&
        one.share() > kTimesOthers * worst.share() && carries_the_data) {
      findings.push_back(finding_of(run, host, one, worst.again));
      add_evidence(run, host, one, worst.again, samples.sent_again.at(run.text(host)),
                   &findings.back());
    }
  }
  return findings;
}

}  // namespace lockstep::analysis
