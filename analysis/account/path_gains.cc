#include "analysis/account/path_gains.h"

#include <algorithm>
#include <map>

#include "analysis/whatif/what_if.h"

namespace lockstep::analysis {
namespace {

// So many ranks, hosts and communicators each.
constexpr size_t kMostReplayed = 5;

class Gains {
 public:
  Gains(const RunTables& run, const OwnSegments& own, const PathExcesses& excesses)
      : run_(run),
        own_(own),
        excesses_(excesses),
        nobody_(own.actors.size(), 0),
        what_if_(run, own, excesses.own_ns) {}

  std::vector<PathGainRow> find(const std::vector<CriticalPathRow>& path) {
    PathGainRow ranks, transfers;
    transfers.of = GainOf::AllTransfers;
    std::map<uint32_t, PathGainRow> processes, communicators;
    std::map<Text, PathGainRow> hosts;
    for (const CriticalPathRow& piece : path) {
      if (piece.part == PathPart::Transfer) {
        add(piece, &transfers);
        add(piece, &communicators[piece.communicator]);
        continue;
      }
      add(piece, &ranks);
      add(piece, &processes[piece.process]);
      add(piece, &hosts[run_.processes[piece.process].host]);
    }
    replay_own(&ranks, [](uint32_t) { return true; });
    replay_transfers(&transfers);
    out_ = {ranks, transfers};
    for (auto& [process, row] : processes) row.of = GainOf::Process, row.process = process;
    for (auto& [host, row] : hosts) row.of = GainOf::Host, row.host = host;
    for (auto& [number, row] : communicators)
      row.of = GainOf::Communicator, row.communicator = number;
    for (PathGainRow row : most(processes)) {
      replay_own(&row, [&](uint32_t process) { return process == row.process; });
      out_.push_back(row);
    }
    for (PathGainRow row : most(hosts)) {
      replay_own(&row, [&](uint32_t process) { return run_.processes[process].host == row.host; });
      out_.push_back(row);
    }
    for (PathGainRow row : most(communicators)) {
      replay_transfers(&row);
      out_.push_back(row);
    }
    return std::move(out_);
  }

 private:
  static void add(const CriticalPathRow& piece, PathGainRow* row) {
    row->on_path_ns += piece.duration_ns;
    row->excess_ns += piece.excess_ns;
  }

  template <class Key>
  static std::vector<PathGainRow> most(const std::map<Key, PathGainRow>& all) {
    std::vector<PathGainRow> rows;
    for (const auto& [key, row] : all) {
      if (row.excess_ns > 0) rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const PathGainRow& a, const PathGainRow& b) {
      return a.excess_ns > b.excess_ns;
    });
    if (rows.size() > kMostReplayed) rows.resize(kMostReplayed);
    return rows;
  }

  template <class IsCured>
  void replay_own(PathGainRow* row, IsCured is_cured) {
    std::vector<uint8_t> cured = nobody_;
    for (size_t i = 0; i < cured.size(); ++i) cured[i] = is_cured(own_.actors[i].process) ? 1 : 0;
    row->gain_ns = std::max<int64_t>(0, what_if_.gain_ns(cured));
  }
  void replay_transfers(PathGainRow* row) {
    std::vector<int64_t> saved_ns(own_.segments.size());
    for (const uint32_t a : own_.order) {
      const uint32_t match = run_.arrivals[a].match;
      const Segment& segment = own_.segments[a];
      const bool wanted =
          row->communicator == kNoRow || run_.matches[match].communicator == row->communicator;
      if (!wanted || !segment.waits) continue;
      // A transfer keeps an end behind its last start, as the replay wants it.
      const int64_t most_ns = segment.end_ns - own_.last_start_ns[match] - 1;
      saved_ns[a] =
          std::clamp<int64_t>(excesses_.transfer_ns[match], 0, std::max<int64_t>(0, most_ns));
    }
    row->gain_ns = std::max<int64_t>(0, what_if_.gain_of_transfers_ns(saved_ns));
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const PathExcesses& excesses_;
  const std::vector<uint8_t> nobody_;  // by actor
  WhatIf what_if_;
  std::vector<PathGainRow> out_;
};

}  // namespace

std::vector<PathGainRow> find_path_gains(const RunTables& run, const OwnSegments& own,
                                         const PathExcesses& excesses,
                                         const std::vector<CriticalPathRow>& path) {
  if (path.empty()) return {};
  return Gains(run, own, excesses).find(path);
}

}  // namespace lockstep::analysis
