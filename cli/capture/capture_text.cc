#include "cli/capture/capture_text.h"

#include <algorithm>
#include <map>

#include "analysis/say/words.h"
#include "base/number_ranges.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

using dumper::Capture;
using dumper::CaptureRank;
using dumper::CaptureState;

std::string name_of(CaptureState state) {
  return dumper::kCaptureStateNames[static_cast<size_t>(state)];
}

std::string what_happened(const CaptureRank& rank) {
  const std::string place = rank.position ? " position " + std::to_string(*rank.position) : " it";
  switch (rank.state) {
    case CaptureState::Armed:
      return "did not reach" + (rank.position ? place : " the beginning");
    case CaptureState::Started:
      return "began and did not confirm its end";
    case CaptureState::Late:
      return "was beyond" + place + " when it was armed";
    case CaptureState::Dead:
      return rank.start_ns ? "ended before the capture did" : "has ended";
    case CaptureState::Deaf:
      return "did not answer";
    case CaptureState::Stopped:
      break;
  }
  return "is whole";
}

std::string spread_text(const Capture& capture) {
  if (!capture.spread_ns) return "not known";
  return analysis::duration(*capture.spread_ns) + " +- " +
         analysis::duration(capture.spread_bound_ns.value_or(0));
}

std::string events_text(const Capture& capture) {
  return capture.events_before == capture.events_after
             ? capture.events_before
             : capture.events_before + ", after it " + capture.events_after;
}

}  // namespace

CaptureCount count_of(const Capture& capture) {
  CaptureCount count;
  count.all = capture.ranks.size();
  for (const CaptureRank& rank : capture.ranks)
    count.whole += rank.state == CaptureState::Stopped ? 1 : 0;
  return count;
}

std::vector<std::string> host_lines(const Capture& capture) {
  std::map<std::string, std::map<CaptureState, std::vector<int64_t>>> hosts;
  for (const CaptureRank& rank : capture.ranks) hosts[rank.host][rank.state].push_back(rank.rank);
  std::vector<std::string> lines;
  for (const auto& [host, states] : hosts) {
    std::string line;
    for (const auto& [state, ranks] : states) {
      line += (line.empty() ? host + ": " : ", ") + analysis::counted(ranks.size(), "rank") + " " +
              name_of(state);
      if (state != CaptureState::Stopped) line += " (" + number_ranges(ranks) + ")";
    }
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> missing_ranks(const Capture& capture) {
  std::vector<std::string> lines;
  for (const CaptureRank& rank : capture.ranks) {
    if (rank.state != CaptureState::Stopped)
      lines.push_back("rank " + std::to_string(rank.rank) + " of " + rank.host + ", process " +
                      std::to_string(rank.pid) + ", " + what_happened(rank));
  }
  return lines;
}

std::string capture_banner(const Capture& capture, const std::string& run) {
  const size_t whole = count_of(capture).whole;
  std::string text = capture.id + ": " + std::to_string(whole) + " of " +
                     analysis::counted(capture.ranks.size(), "rank");
  if (capture.spread_ns) text += ", begun within " + spread_text(capture);
  text += ", " + std::to_string(capture.bytes) + " bytes\n";
  if (whole == 0) return text;
  return text + "open it:\n  lockstep report " + run + " --capture " + capture.id +
         "\n  lockstep export " + run + " --capture " + capture.id + " --to perfetto -o " +
         capture.id + ".pftrace\n";
}

std::string captures_table(const std::vector<Capture>& captures) {
  Table table({{"capture"},
               {"name"},
               {"by"},
               {"ranks", Align::Right},
               {"whole", Align::Right},
               {"spread"},
               {"bytes", Align::Right},
               {"rule"}});
  for (const Capture& capture : captures)
    table.add({capture.id, capture.name, capture.by, std::to_string(capture.ranks.size()),
               std::to_string(count_of(capture).whole), spread_text(capture),
               std::to_string(capture.bytes), capture.rule});
  return table.text();
}

std::string capture_text(const Capture& capture) {
  std::string text = "capture  " + capture.id + "\n";
  if (!capture.name.empty()) text += "name     " + capture.name + "\n";
  text += "by       " + capture.by + "\nrule     " + capture.rule + "\nevents   " +
          events_text(capture) + "\nspread   " + spread_text(capture) + "\nbytes    " +
          std::to_string(capture.bytes) + "\n\n";
  Table table({{"rank", Align::Right},
               {"host"},
               {"pid", Align::Right},
               {"state"},
               {"position", Align::Right},
               {"start_ns", Align::Right},
               {"length", Align::Right}});
  const auto number = [](const std::optional<uint64_t>& value) {
    return value ? std::to_string(*value) : std::string("-");
  };
  for (const CaptureRank& rank : capture.ranks) {
    const bool has_length = rank.start_ns && rank.stop_ns && *rank.stop_ns >= *rank.start_ns;
    table.add({std::to_string(rank.rank), rank.host, std::to_string(rank.pid), name_of(rank.state),
               number(rank.position), number(rank.start_ns),
               has_length ? analysis::duration(static_cast<int64_t>(*rank.stop_ns - *rank.start_ns))
                          : "-"});
  }
  return text + table.text();
}

}  // namespace lockstep::cli
