#include "cli/show/clock_view.h"

#include <cmath>
#include <cstdio>

#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

using analysis::Alignment;
using analysis::HostView;
using analysis::PairView;

const PairView* to_reference(const Alignment& alignment, const std::string& host) {
  for (const PairView& pair : alignment.pairs) {
    const std::string& reference = alignment.model.reference;
    if ((pair.a == reference && pair.b == host) || (pair.a == host && pair.b == reference))
      return &pair;
  }
  return nullptr;
}

std::string plus_minus(int64_t half_width_ns) { return "+-" + duration_text(half_width_ns); }

// Windows that are ok of all, coverage and loss; three cells.
void add_probed(const analysis::Probed& probed, std::vector<std::string>* cells) {
  const std::string none = "-";
  const bool any = probed.any();
  cells->push_back(any ? std::to_string(probed.ok_windows) + "/" + std::to_string(probed.windows)
                       : none);
  cells->push_back(any ? analysis::percent_text(probed.coverage_percent()) : none);
  cells->push_back(any ? analysis::percent_text(probed.loss_percent()) : none);
}

std::string hosts_text(const Alignment& alignment) {
  Table table({{"HOST"},
               {"GRADE"},
               {"OFFSET", Align::Right},
               {"", Align::Right},
               {"FROM"},
               {"WINDOWS", Align::Right},
               {"HEARD", Align::Right},
               {"LOST", Align::Right},
               {"WHY"}});
  for (size_t h = 0; h < alignment.hosts.size(); ++h) {
    const HostView& host = alignment.hosts[h];
    const auto add = [&](std::vector<std::string> cells) {
      add_probed(alignment.probed_hosts[h], &cells);
      cells.push_back(host.graded.reason);
      table.add(std::move(cells));
    };
    const char* grade = analysis::kGradeNames[size_t(host.graded.grade)];
    if (host.host == alignment.model.reference) {
      add({host.host, grade, "0", "", "reference"});
      continue;
    }
    const PairView* pair = to_reference(alignment, host.host);
    std::string offset = "unknown", half;
    if (pair != nullptr) {
      const int64_t sign = pair->b == host.host ? 1 : -1;
      offset = duration_text(sign * pair->offset.estimate_ns);
      half = plus_minus((pair->offset.hi_ns - pair->offset.lo_ns + 1) / 2);
      if (pair->conditional) {
        half +=
            " (" + plus_minus((pair->conditional->hi_ns - pair->conditional->lo_ns + 1) / 2) + ")";
      }
    } else if (host.connected) {
      offset = "known";
      half = plus_minus(host.half_width_ns);
    }
    add({host.host, grade, offset, half, to_string(host.source)});
  }
  return table.text();
}

std::string edges_text(const Alignment& alignment) {
  Table table({{"PAIR"},
               {"BY"},
               {"GRADE"},
               {"INTERVAL", Align::Right},
               {"BEST", Align::Right},
               {"DISAGREES", Align::Right},
               {"FROM"},
               {"WINDOWS", Align::Right},
               {"HEARD", Align::Right},
               {"LOST", Align::Right},
               {"WHY"}});
  for (size_t e = 0; e < alignment.edges.size(); ++e) {
    const clocksync::EdgeReport& edge = alignment.model.edges[e];
    if (edge.source == clocksync::OffsetSource::SameHost) continue;
    std::vector<std::string> cells = {edge.a + " - " + edge.b,
                                      alignment.probed_edges[e].interface,
                                      analysis::kGradeNames[size_t(alignment.edges[e].grade)],
                                      plus_minus(edge.width_ns / 2),
                                      plus_minus(edge.floor_width_ns / 2),
                                      duration_text(std::llround(edge.residual_ns)),
                                      to_string(edge.source)};
    add_probed(alignment.probed_edges[e], &cells);
    cells.push_back(alignment.edges[e].reason);
    table.add(std::move(cells));
  }
  return table.text();
}

std::string causality_text(const analysis::Causality& c) {
  if (c.checked == 0) return "";
  std::string text = "collectives: " + std::to_string(c.checked) + " pairs checked, " +
                     std::to_string(c.violated_before) + " impossible before, " +
                     std::to_string(c.violated_after) + " after";
  if (c.violated_after != 0) text += " (worst by " + duration_text(c.worst_after_ns) + ")";
  if (c.beyond_interval != 0) {
    text += "; " + std::to_string(c.beyond_interval) +
            " even within the intervals: an assumption is false";
  }
  if (c.unaligned != 0) text += "; " + std::to_string(c.unaligned) + " could not be checked";
  return text + "\n";
}

}  // namespace

std::string causality_table(const Alignment& alignment) {
  Table table({{"PAIR"},
               {"CHECKED", Align::Right},
               {"BEFORE", Align::Right},
               {"AFTER", Align::Right},
               {"WORST", Align::Right},
               {"PROVED WRONG", Align::Right}});
  for (const analysis::PairCausality& pair : alignment.causality_pairs) {
    const analysis::Causality& c = pair.counts;
    table.add({alignment.model.hosts[pair.a].host + " - " + alignment.model.hosts[pair.b].host,
               std::to_string(c.checked), std::to_string(c.violated_before),
               std::to_string(c.violated_after),
               c.violated_after == 0 ? "-" : duration_text(c.worst_after_ns),
               std::to_string(c.beyond_interval)});
  }
  return table.text();
}

std::string duration_text(int64_t ns) {
  constexpr struct {
    double ns;
    const char* name;
  } kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
  char text[40];
  for (const auto& unit : kUnits) {
    const double value = double(ns) / unit.ns;
    if (std::fabs(value) < 1) continue;
    // Offsets of hours keep their microseconds.
    const int digits = unit.ns == 1e9 && std::fabs(value) >= 10 ? 6 : 3;
    std::snprintf(text, sizeof text, "%.*f %s", digits, value, unit.name);
    return text;
  }
  std::snprintf(text, sizeof text, "%lld ns", static_cast<long long>(ns));
  return text;
}

std::string alignment_text(const Alignment& alignment) {
  std::string text = hosts_text(alignment);
  if (!alignment.edges.empty()) text += "\n" + edges_text(alignment);
  std::string findings = causality_text(alignment.causality);
  for (const clocksync::ModelFault& fault : alignment.model.faults) {
    findings += fault.kind + ": " + fault.detail + "\n";
  }
  for (const ClockFault& fault : alignment.prober_faults) {
    findings += fault.kind + ": " + fault.detail +
                (fault.peer.empty() ? "" : " (" + fault.peer + ")") + "\n";
  }
  if (!findings.empty()) text += "\n" + findings;
  text += "\n+- is guaranteed, offsets are clock minus the reference's, if:\n";
  for (const std::string& a : alignment.model.assumptions) text += "  " + a + "\n";
  if (alignment.asymmetry_ns) {
    text +=
        "in brackets, if also the fastest packets of the two directions between hosts differ by "
        "at most " +
        duration_text(*alignment.asymmetry_ns) + " (LOCKSTEP_CLOCK_ASYM_NS)\n";
  }
  return text;
}

}  // namespace lockstep::cli
