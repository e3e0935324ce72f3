#include "analysis/why/why_slow.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>

#include "analysis/judge/places.h"
#include "base/quantile.h"
#include "clocksync/record/clock_model.h"

namespace lockstep::analysis {
namespace {

// A cause covers so much of what was lost.
constexpr double kExplainsSlowness = 0.5;
// Fewer errors, or segments sent again, mean nothing;
constexpr int64_t kFewestErrors = 10;
constexpr double kLeastShareSentAgain = 1e-3;
// nor do they where another host has more than this part of them.
constexpr int64_t kTimesOthersCount = 4;

// Packets that come back sooner are from a host nearby.
constexpr int64_t kFarNs = 200'000;

// Errors of interfaces and of InfiniBand ports. What is dropped is not among them: hosts drop much that
// is no concern of theirs.
constexpr const char* kLinkErrors[] = {"rx_errors",
                                       "rx_fifo_errors",
                                       "rx_frame_errors",
                                       "tx_errors",
                                       "tx_fifo_errors",
                                       "tx_carrier_errors",
                                       "collisions",
                                       "carrier_changes",
                                       "symbol_error",
                                       "link_error_recovery",
                                       "link_downed",
                                       "port_rcv_errors",
                                       "port_rcv_remote_physical_errors",
                                       "port_xmit_discards",
                                       "local_link_integrity_errors",
                                       "excessive_buffer_overrun_errors"};
// What RDMA adapters count when they send again.
constexpr const char* kSentAgain[] = {"packet_seq_err", "out_of_sequence", "local_ack_timeout_err",
                                      "rnr_nak_retry_err", "roce_adp_retrans"};

template <size_t N>
bool is_one_of(const char* const (&names)[N], const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

class WhySlow {
 public:
  WhySlow(const RunTables& run, const Finding& finding, const LoadSamples& samples)
      : run_(run), finding_(finding), samples_(samples) {
    for (const Place& place : culprits_of(run, finding)) {
      processes_.insert(place.process);
      hosts_.insert(run.text(run.processes[place.process].host));
    }
    elsewhere_ = std::any_of(
        run.processes.begin(), run.processes.end(),
        [&](const ProcessRow& process) { return hosts_.count(run.text(process.host)) == 0; });
  }

  WhyFacts answer() {
    const bool sampled = std::any_of(hosts_.begin(), hosts_.end(), [&](const std::string& host) {
      return samples_.hosts.count(host) != 0;
    });
    add_round_trip();
    if (!sampled) return std::move(out_);
    if (out_.why == Why::NotKnown) out_.why = Why::OwnCode;
    if (finding_.kind == FindingKind::SlowProxy || finding_.kind == FindingKind::SlowLink)
      add_waits();
    if (!elsewhere_) return std::move(out_);
    add_counters(Why::LinkErrors, WhySeen::What::LinkErrors,
                 [](const std::string& name) { return is_one_of(kLinkErrors, name); });
    add_counters(Why::Retransmits, WhySeen::What::Retransmits,
                 [](const std::string& name) { return is_one_of(kSentAgain, name); });
    add_tcp();
    return std::move(out_);
  }

 private:
  void add(Why why, const WhySeen& seen) {
    if (out_.why == Why::OwnCode || out_.why == Why::NotKnown || out_.why == Why::Delay)
      out_.why = why;
    out_.seen.insert(why == Why::Delay ? out_.seen.end() : out_.seen.begin(), seen);
  }

  // The clock's probes: how long the fastest packets take between two hosts and back. Only where others
  // have probes as well does that say anything of the host.
  void add_round_trip() {
    if (run_.clock_model == nullptr) return;
    WhySeen seen;
    seen.what = WhySeen::What::RoundTrip;
    for (const clocksync::EdgeReport& edge : run_.clock_model->edges) {
      if (edge.source != clocksync::OffsetSource::Probes || edge.floor_width_ns <= 0) continue;
      const bool a = hosts_.count(edge.a) != 0, b = hosts_.count(edge.b) != 0;
      if (!a && !b) seen.others = std::max(seen.others, edge.floor_width_ns);
      if (a != b)
        seen.amount =
            seen.amount == 0 ? edge.floor_width_ns : std::min(seen.amount, edge.floor_width_ns);
    }
    if (seen.others > 0 && seen.amount >= kFarNs && seen.amount > kTimesOthersCount * seen.others)
      add(Why::Delay, seen);
  }

  // The thread that serves the network waited for a processor instead.
  void add_waits() {
    int64_t lost_ns = 0;
    for (const Evidence& one : finding_.evidence) {
      const auto* column = std::get_if<SlowColumn>(&one);
      if (column != nullptr)
        lost_ns =
            std::abs(column->own_ns - column->others_ns) * static_cast<int64_t>(column->operations);
    }
    std::vector<int64_t> others;
    WhySeen seen;
    seen.what = WhySeen::What::ProcessorWait;
    seen.of = lost_ns;
    int64_t waited_ns = 0;
    for (uint32_t process = 0; process < run_.processes.size(); ++process) {
      const ThreadTotal total = samples_.total_of(process, false);
      if (total.sampled_ns == 0) continue;
      if (processes_.count(process) != 0)
        waited_ns = std::max(waited_ns, total.wait_ns);
      else if (hosts_.count(run_.text(run_.processes[process].host)) != 0)
        others.push_back(total.wait_ns);
    }
    seen.others = lower_median(&others);
    seen.amount = std::clamp<int64_t>(waited_ns - seen.others, 0, lost_ns);
    if (lost_ns > 0 &&
        static_cast<double>(seen.amount) >= kExplainsSlowness * static_cast<double>(lost_ns))
      add(Why::NoProcessor, seen);
  }

  // The port of its hosts that counted most, if no other host's did nearly as much.
  template <class Counts>
  void add_counters(Why why, WhySeen::What what, Counts counts) {
    WhySeen most;
    most.what = what;
    for (const auto& [key, grown] : samples_.counters) {
      const auto& [host, device, port, name] = key;
      if (device == "tcp" || !counts(name)) continue;
      if (hosts_.count(host) == 0) {
        most.others = std::max(most.others, grown);
      } else if (grown > most.amount) {
        most.amount = grown;
        most.where = device + " " + name;
        most.port = port;
      }
    }
    if (most.amount >= kFewestErrors && most.amount > kTimesOthersCount * most.others)
      add(why, most);
  }

  void add_tcp() {
    std::set<std::string> all;
    for (const auto& [key, grown] : samples_.counters) all.insert(std::get<0>(key));
    WhySeen most;
    most.what = WhySeen::What::Retransmits;
    double share = 0, others_share = 0;
    for (const std::string& host : all) {
      const int64_t again = samples_.grown(host, "tcp", "retransmitted_segments");
      // The kernel does not count what is sent again among what is sent.
      const int64_t sent = samples_.grown(host, "tcp", "out_segments") + again;
      if (sent == 0) continue;
      const double of_host = static_cast<double>(again) / static_cast<double>(sent);
      if (hosts_.count(host) == 0) {
        others_share = std::max(others_share, of_host);
        most.others = std::max(most.others, again);
      } else if (of_host > share) {
        share = of_host;
        most.amount = again;
        most.of = sent;
        most.where = "tcp";
      }
    }
    if (most.amount >= kFewestErrors && share >= kLeastShareSentAgain &&
        share > static_cast<double>(kTimesOthersCount) * others_share)
      add(Why::Retransmits, most);
  }

  const RunTables& run_;
  const Finding& finding_;
  const LoadSamples& samples_;
  std::set<uint32_t> processes_;
  std::set<std::string> hosts_;
  bool elsewhere_ = false;  // some ranks are: only then do a host's counters tell it from others
  WhyFacts out_;
};

}  // namespace

WhyFacts why_slow(const RunTables& run, const Finding& slow_path, const LoadSamples& samples) {
  return WhySlow(run, slow_path, samples).answer();
}

}  // namespace lockstep::analysis
