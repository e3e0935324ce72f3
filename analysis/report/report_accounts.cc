#include "analysis/report/report_accounts.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/account/peer_traffic.h"
#include "analysis/account/step_times.h"
#include "analysis/say/names.h"
#include "analysis/say/table_coverage.h"
#include "analysis/say/words.h"
#include "analysis/tables/labels.h"
#include "base/quantile.h"
#include "base/text.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kLines = 10, kLogLines = 50;

std::string share_of(int64_t ns, int64_t all_ns) {
  return all_ns <= 0 ? "-" : percent(static_cast<double>(ns) / static_cast<double>(all_ns));
}
std::string ranks_of(int32_t nranks) {
  return counted(static_cast<uint64_t>(std::max(0, nranks)), "rank");
}

class Tables {
 public:
  Tables(const RunTables& run, Report* report) : run_(run), report_(*report) {}

  void add() {
    if (!run_.critical_path.empty()) {
      all_ns_ = run_.critical_path.back().end_ns - run_.critical_path.front().start_ns;
      add_answer();
      add_phases();
      add_gains();
      add_steps();
    }
    add_slower();
    add_traffic();
    add_pairs();
    add_channels();
    add_captures();
    add_logs();
  }

 private:
  void add_answer() {
    int64_t own_ns = 0;
    for (const CriticalPathRow& piece : run_.critical_path)
      own_ns += piece.part == PathPart::Own ? piece.duration_ns : 0;
    std::string text = "Critical path: of " + duration(all_ns_) + ", set-up included, " +
                       share_of(own_ns, all_ns_) + " between the operations of ranks, " +
                       share_of(all_ns_ - own_ns, all_ns_) + " in operations.";
    const PathGainRow* most = nullptr;
    for (const PathGainRow& row : run_.path_gains) {
      const bool single = row.of == GainOf::Process || row.of == GainOf::Communicator;
      if (single && (most == nullptr || row.gain_ns > most->gain_ns)) most = &row;
    }
    if (most != nullptr && most->gain_ns > 0)
      text += " Most to win: " + name_of(*most) + ", " + duration(most->gain_ns) + " (" +
              share_of(most->gain_ns, run_.after_set_up_ns) +
              " of the run's time, not counting its set-up).";
    report_.answers.push_back(std::move(text));
  }

  void add_phases() {
    SaidTable table;
    table.title = "Critical path";
    table.rests = kOnEnds | kOnWaits;
    table.words =
        "What determined how long the run takes: the time before these operations, where a rank "
        "did "
        "something else, and the time in them once all had begun. Shares are of all of it, set-up "
        "included.";
    table.columns = {"operation", "on the path", "before it", "in it", "beyond usual", "share"};
    for (const PhaseTime& phase : find_phase_times(run_, run_.critical_path)) {
      if (table.rows.size() == kLines) break;
      table.rows.push_back(
          {run_.text(phase.func) + " of " + bytes(phase.size_bytes) + ", " + ranks_of(phase.nranks),
           std::to_string(phase.operations), duration(phase.own_ns), duration(phase.transfer_ns),
           duration(phase.excess_ns), share_of(phase.own_ns + phase.transfer_ns, all_ns_)});
    }
    report_.accounts.push_back(std::move(table));
  }

  std::string name_of(const PathGainRow& row) const {
    switch (row.of) {
      case GainOf::AllRanks:
        return "all ranks together";
      case GainOf::AllTransfers:
        return "all transfers together";
      case GainOf::Process:
        return process_label(run_, run_.processes[row.process]);
      case GainOf::Host:
        return "all ranks of " + run_.text(row.host);
      case GainOf::Communicator:
        break;
    }
    return "transfers on " + communicator_label(run_, row.communicator);
  }
  void add_gains() {
    SaidTable table;
    table.title = "What could be won";
    table.rests = kOnEnds | kOnWaits;
    table.words =
        "How much shorter the run would be had they never taken longer than usual, as a replay "
        "says; less than what they took beyond usual where another path is nearly as long. Shares "
        "are of the run's time, not counting its set-up.";
    table.columns = {"who", "on the path", "beyond usual", "shorter by", "share"};
    for (const PathGainRow& row : run_.path_gains)
      table.rows.push_back({name_of(row), duration(row.on_path_ns), duration(row.excess_ns),
                            duration(row.gain_ns), share_of(row.gain_ns, run_.after_set_up_ns)});
    report_.accounts.push_back(std::move(table));
  }

  void add_steps() {
    for (const StepTime& step : find_step_times(run_.critical_path)) {
      StepRow row;
      if (step.step != kNoRow) row.step = std::to_string(step.step);
      row.start_ns = step.start_ns - run_.critical_path.front().start_ns;
      row.duration_ns = step.duration_ns();
      row.own_ns = step.own_ns;
      row.transfer_ns = step.transfer_ns;
      row.excess_ns = step.excess_ns;
      row.gain_ns = step.gain_ns;
      if (step.process != kNoRow) {
        row.rank = rank_name(run_.processes[step.process].rank);
        row.host = run_.text(run_.processes[step.process].host);
      }
      if (step.communicator != kNoRow)
        row.communicator = communicator_label(run_, step.communicator);
      report_.steps.push_back(std::move(row));
    }
    std::vector<const StepRow*> longest;
    std::vector<int64_t> times_ns;
    for (const StepRow& row : report_.steps) {
      if (row.step.empty()) continue;
      longest.push_back(&row);
      times_ns.push_back(row.duration_ns);
    }
    if (longest.empty()) return;
    std::stable_sort(longest.begin(), longest.end(), [](const StepRow* a, const StepRow* b) {
      return a->duration_ns > b->duration_ns;
    });
    SaidTable table;
    table.title = "Training steps";
    table.rests = kOnEnds | kOnWaits;
    table.words = counted(longest.size(), run_.rank_steps.empty() ? "step" : "marked step") +
                  ", half of them within " + duration(median(&times_ns)) +
                  " of the critical path; the longest:";
    table.columns = {"step",         "took",   "between operations", "in operations",
                     "beyond usual", "to win", "held up most by",    "most transfers on"};
    for (size_t i = 0; i < longest.size() && i < kLines; ++i) {
      const StepRow& row = *longest[i];
      table.rows.push_back({row.step, duration(row.duration_ns), duration(row.own_ns),
                            duration(row.transfer_ns), duration(row.excess_ns),
                            duration(row.gain_ns), row.rank + ", " + row.host, row.communicator});
    }
    report_.accounts.push_back(std::move(table));
  }

  void add_slower() {
    SaidTable table;
    table.title = "Slower than expected";
    table.rests = kOnEnds;
    table.words =
        "Operations that took clearly longer for a while than their own kind usually does.";
    table.columns = {"operation", "communicator", "algorithm", "operations",
                     "slow",      "median",       "expected",  "by"};
    for (const ExpectedTimeRow& row : run_.expected_times) {
      if (row.slow == 0 || table.rows.size() == kLines) continue;
      table.rows.push_back({run_.text(row.func) + " of " + bytes(row.size_bytes),
                            communicator_label(run_, row.communicator),
                            run_.text(row.algo) + " " + run_.text(row.proto),
                            std::to_string(row.operations), std::to_string(row.slow),
                            duration(row.median_ns), duration(row.expected_ns),
                            kExpectedByNames[static_cast<size_t>(row.by)]});
    }
    if (!table.rows.empty()) report_.accounts.push_back(std::move(table));
  }

  std::string most_of(int32_t rank, uint64_t most, double factor) const {
    if (most == 0) return "-";
    return rank_name(rank) + ", " + bytes(most) + " (" + times(factor) + " the mean)";
  }
  void add_traffic() {
    SaidTable table;
    table.title = "Traffic between ranks";
    table.rests = kOnCalls;
    table.words = "By calls of send and receive, of which an all-to-all is made.";
    table.columns = {"communicator", "ranks", "pairs", "sent", "sends most", "receives most"};
    for (const Imbalance& one : find_imbalances(run_.peer_traffic)) {
      if (table.rows.size() == kLines) break;
      table.rows.push_back({communicator_label(run_, one.communicator), std::to_string(one.ranks),
                            std::to_string(one.pairs), bytes(one.bytes),
                            most_of(one.most_sent_by, one.most_sent, one.sent_factor),
                            most_of(one.most_received_by, one.most_received, one.received_factor)});
    }
    if (!table.rows.empty()) report_.accounts.push_back(std::move(table));
  }
  void add_pairs() {
    std::vector<const PeerTrafficRow*> pairs;
    for (const PeerTrafficRow& row : run_.peer_traffic) {
      if (row.sends != 0) pairs.push_back(&row);
    }
    if (pairs.empty()) return;
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const PeerTrafficRow* a, const PeerTrafficRow* b) {
                       return a->sent_bytes > b->sent_bytes;
                     });
    SaidTable table;
    table.title = "Pairs of ranks that send most";
    table.rests = kOnCalls;
    table.columns = {"from", "to", "communicator", "sends", "bytes"};
    for (size_t i = 0; i < pairs.size() && i < kLines; ++i) {
      const PeerTrafficRow& row = *pairs[i];
      const std::string to_host = row.peer_process < run_.processes.size()
                                      ? ", " + run_.text(run_.processes[row.peer_process].host)
                                      : "";
      table.rows.push_back(
          {rank_name(row.rank) + ", " + run_.text(run_.processes[row.process].host),
           rank_name(row.peer) + to_host, communicator_label(run_, row.communicator),
           std::to_string(row.sends), bytes(row.sent_bytes)});
    }
    report_.accounts.push_back(std::move(table));
  }
  void add_channels() {
    struct Sum {
      uint64_t channels = 0, sent = 0, received = 0;
      const ChannelRow *most = nullptr, *least = nullptr;
    };
    const auto moved = [](const ChannelRow& row) { return row.sent_bytes + row.received_bytes; };
    std::map<uint32_t, Sum> sums;
    for (const ChannelRow& row : run_.channels) {
      if (moved(row) == 0) continue;
      Sum& sum = sums[row.communicator];
      ++sum.channels;
      sum.sent += row.sent_bytes;
      sum.received += row.received_bytes;
      if (sum.most == nullptr || moved(row) > moved(*sum.most)) sum.most = &row;
      if (sum.least == nullptr || moved(row) < moved(*sum.least)) sum.least = &row;
    }
    std::vector<std::pair<uint32_t, Sum>> order(sums.begin(), sums.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return a.second.sent + a.second.received > b.second.sent + b.second.received;
    });
    const auto named = [&](const ChannelRow& row) {
      return bytes(moved(row)) + " (channel " + std::to_string(row.channel) + ", " +
             rank_name(row.rank) + ")";
    };
    SaidTable table;
    table.title = "Channels";
    table.rests = kOnNetwork;
    table.words = "What ranks moved over the network on each channel of a communicator.";
    table.columns = {"communicator", "ranks' channels", "sent",
                     "received",     "most on one",     "least on one"};
    for (const auto& [communicator, sum] : order) {
      if (table.rows.size() == kLines) break;
      table.rows.push_back({communicator_label(run_, communicator), std::to_string(sum.channels),
                            bytes(sum.sent), bytes(sum.received), named(*sum.most),
                            named(*sum.least)});
    }
    if (!table.rows.empty()) report_.accounts.push_back(std::move(table));
  }
  // How many of a capture's ranks are in which state, and when it began after the first record. The windows
  // of LOCKSTEP_CAPTURE_EVERY, which may be hundreds, have one line.
  void add_captures() {
    struct Sum {
      std::map<std::string, uint64_t> states;
      int64_t start_ns = kNoTime;
      const CaptureRow* any = nullptr;
      std::set<std::string> ids;
    };
    std::map<std::string, Sum> captures;
    for (const CaptureRow& row : run_.captures) {
      const std::string& rule = run_.text(row.rule);
      Sum& sum = captures[starts_with(rule, "every:") ? rule : run_.text(row.capture)];
      sum.ids.insert(run_.text(row.capture));
      ++sum.states[run_.text(row.state)];
      sum.any = &row;
      if (row.start_ns != kNoTime && (sum.start_ns == kNoTime || row.start_ns < sum.start_ns))
        sum.start_ns = row.start_ns;
    }
    SaidTable table;
    table.title = "Captures";
    table.rests = kOnCalls;
    table.words = "--capture ID reports on one alone.";
    table.columns = {"capture", "name", "rule", "began", "ranks"};
    for (const auto& [key, sum] : captures) {
      std::vector<std::string> states;
      for (const auto& [state, ranks] : sum.states)
        states.push_back(std::to_string(ranks) + " " + state);
      std::string ids = *sum.ids.begin();
      if (sum.ids.size() > 1) ids += " and " + std::to_string(sum.ids.size() - 1) + " more";
      table.rows.push_back({ids, run_.text(sum.any->name), run_.text(sum.any->rule),
                            sum.start_ns == kNoTime ? "-" : began_text(sum.start_ns),
                            listed(states)});
    }
    if (!table.rows.empty()) report_.accounts.push_back(std::move(table));
  }
  // Errors and warnings where there are any, else the last lines.
  void add_logs() {
    if (run_.log_notes.empty()) return;
    const auto& lines = run_.log_lines;
    std::vector<const LogRow*> shown;
    for (const LogRow& row : lines) {
      if (row.level >= LogLevel::Warning && shown.size() < kLogLines) shown.push_back(&row);
    }
    const bool bad = !shown.empty();
    if (!bad) {
      for (size_t i = lines.size() - std::min(lines.size(), kLines); i < lines.size(); ++i)
        shown.push_back(&lines[i]);
    }
    SaidTable table;
    table.title = "Job logs";
    for (const std::string& note : run_.log_notes)
      table.words += (table.words.empty() ? "" : " ") + note;
    table.columns = {"line", "when", "level", "rank", "text"};
    for (const LogRow* row : shown)
      table.rows.push_back({run_.text(row->file) + ":" + std::to_string(row->line),
                            began_text(row->at_ns), kLogLevelNames[static_cast<size_t>(row->level)],
                            row->rank < 0 ? "-" : std::to_string(row->rank), run_.text(row->text)});
    table.coverage = logs_covered(shown.size(), bad);
    report_.accounts.push_back(std::move(table));
  }
  // As the line that other tables have from analysis/say/table_coverage.h.
  std::string logs_covered(size_t shown, bool bad) const {
    const size_t lines = run_.log_lines.size();
    if (lines == 0) return "Covers nothing: no line has a time in the run.";
    std::string text = "Covers " + std::to_string(shown) + " of " + counted(lines, "line") +
                       " with a time in the run";
    if (shown < lines)
      text += !bad                ? ": the last"
              : shown < kLogLines ? ": errors and warnings"
                                  : ": the first errors and warnings";
    text += ".";
    std::set<Text> hosts;
    for (const ProcessRow& row : run_.processes) hosts.insert(row.host);
    if (hosts.size() > 1)
      text += " Their times are taken for those of " + run_.text(run_.processes.front().host) +
              "'s wall clock: how far the other hosts' are from it is not known here.";
    return text;
  }
  std::string began_text(int64_t start_ns) const {
    int64_t first_ns = kNoTime;
    for (const ProcessRow& row : run_.processes) {
      if (row.first_ns != kNoTime && (first_ns == kNoTime || row.first_ns < first_ns))
        first_ns = row.first_ns;
    }
    return first_ns == kNoTime ? "-"
                               : "after " + duration(std::max<int64_t>(0, start_ns - first_ns));
  }

  const RunTables& run_;
  Report& report_;
  int64_t all_ns_ = 0;
};

}  // namespace

void add_accounts_of(const RunTables& run, Report* report) { Tables(run, report).add(); }

}  // namespace lockstep::analysis
