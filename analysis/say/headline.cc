#include "analysis/say/headline.h"

#include <variant>

#include "analysis/judge/places.h"
#include "analysis/say/findings.h"
#include "analysis/say/names.h"
#include "analysis/say/words.h"
#include "analysis/tables/labels.h"

namespace lockstep::analysis {
namespace {

// Where all culprits run on one host, its name.
std::string common_host(const RunTables& run, const std::vector<Place>& places) {
  if (places.empty()) return "";
  const Text host = run.processes[places.front().process].host;
  for (const Place& place : places)
    if (run.processes[place.process].host != host) return "";
  return run.text(host);
}

std::string who_costs(const RunTables& run, const Finding& finding) {
  const std::vector<Place> places = culprits_of(run, finding);
  std::vector<int32_t> ranks;
  for (const Place& place : places)
    if (place.world_rank >= 0) ranks.push_back(place.world_rank);
  const std::string host = common_host(run, places);
  const auto* late = std::get_if<LateFacts>(&finding.facts);
  if (late != nullptr && late->whole_host && !host.empty()) return "All ranks of " + host;
  const std::string who =
      ranks.size() == finding.culprits.size() && !ranks.empty()
          ? rank_list(ranks)
          : rank_list(finding.culprits) + " of " + communicator_label(run, finding.communicator);
  return capitalized(who) + (host.empty() ? "" : " on " + host);
}

const char* reason_of(const Finding& finding) {
  if (!finding.why) return "";
  switch (finding.why->why) {
    case Why::NotKnown:
      return data_may_be_late(finding) ? " Or what it receives comes late." : " Why is not known.";
    case Why::OwnCode:
      return " Its host had no hand in it.";
    case Why::NoProcessor:
      return " It had no processor.";
    case Why::Throttled:
      return " It was throttled.";
    case Why::MemoryPressure:
      return " Its host was short of memory.";
    case Why::GpuErrors:
      return " Its GPU counted errors.";
    case Why::LinkErrors:
      return " Its link counted errors.";
    case Why::Retransmits:
      return " Its host sent data again.";
    case Why::PrecededBy:
      return "";
    case Why::Delay:
      return " Packets take longer to its host.";
  }
  return "";
}

// With the host to drain: a rank's number in a communicator does not tell.
std::string with_place(const RunTables& run, const Finding& finding) {
  const std::string where = where_they_run(run, culprits_of(run, finding));
  return what_is_wrong(run, finding) + (where.empty() ? "" : " " + where);
}

bool is_stall(const Finding& finding) { return std::holds_alternative<StallFacts>(finding.facts); }

std::string costs(const RunTables& run, const Finding& finding, double share) {
  const std::string cost =
      share <= 0 ? "" : "without that the run would be " + percent(share) + " shorter";
  if (finding.kind == FindingKind::Straggler && !cost.empty())
    return who_costs(run, finding) + (finding.culprits.size() == 1 ? " holds" : " hold") +
           " up the others: " + cost + "." + reason_of(finding);
  return with_place(run, finding);
}

// Damage and lost records can hide a finding, and so can anything that judge() could not see.
Headline without_finding(const RunTables& run, const Judgement& judgement) {
  Headline line;
  if (run.operations.empty()) {
    line.text = no_finding(run);
    return line;
  }
  if (judgement.not_known.empty() && run.damage.empty()) {
    line.kind = HeadlineKind::Nothing;
    line.text =
        "Nothing stands out: every call was recorded, and no rank is late more often than "
        "chance explains.";
    return line;
  }
  const size_t gaps = judgement.not_known.size();
  line.text = "Nothing was found, but " +
              (gaps == 0 ? std::string("part of the recording is damaged")
                         : counted(gaps, "thing") + (gaps == 1 ? " is" : " are") + " not known") +
              ".";
  return line;
}

}  // namespace

double cost_share(const Finding& finding) {
  if (const auto* late = std::get_if<LateFacts>(&finding.facts)) return late->gain_share;
  if (const auto* machine = std::get_if<MachineFacts>(&finding.facts)) return machine->gain_share;
  if (const auto* slower = std::get_if<SlowerFacts>(&finding.facts)) return slower->gain_share;
  if (const auto* path = std::get_if<PathFacts>(&finding.facts))
    if (path->replayed) return path->gain_share;
  return -1;
}

Headline headline(const RunTables& run, const Judgement& judgement) {
  if (judgement.findings.empty()) return without_finding(run, judgement);
  Headline line;
  // What stands still comes before all that only costs time; then the costliest.
  for (size_t i = 0; i < judgement.findings.size(); ++i) {
    const Finding& finding = judgement.findings[i];
    const bool before = is_stall(judgement.findings[line.finding]);
    if (before) break;
    if (is_stall(finding) || cost_share(finding) > cost_share(judgement.findings[line.finding]))
      line.finding = i;
  }
  const Finding& finding = judgement.findings[line.finding];
  if (is_stall(finding)) {
    line.kind = HeadlineKind::Hangs;
    line.text = with_place(run, finding);
    return line;
  }
  line.kind = HeadlineKind::Costs;
  line.cost_share = cost_share(finding);
  line.text = costs(run, finding, line.cost_share);
  return line;
}

}  // namespace lockstep::analysis
