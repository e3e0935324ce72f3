#include "analysis/say/headline_text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <variant>
#include <vector>

#include "analysis/judge/places.h"
#include "analysis/say/findings.h"
#include "analysis/say/names.h"
#include "analysis/say/words.h"
#include "analysis/tables/labels.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kNamedHosts = 3;

std::vector<std::string> hosts_of(const RunTables& run, const std::vector<Place>& places) {
  std::vector<std::string> hosts;
  for (const Place& place : places) {
    std::string host = run.text(run.processes[place.process].host);
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end())
      hosts.push_back(std::move(host));
  }
  return hosts;
}

// "Rank 3 on node8 (pid 4703)", "Ranks 12, 13, 14 and 15 on node0003", "All ranks of node7".
struct Who {
  std::string text;
  bool one = false;
  const char* verb(const char* of_one, const char* of_several) const {
    return one ? of_one : of_several;
  }
  std::string inside_a_sentence() const {
    std::string lower = text;
    lower.front() = static_cast<char>(std::tolower(lower.front()));
    return lower;
  }
};

Who who_is_it(const RunTables& run, const Finding& finding) {
  const std::vector<Place> places = culprits_of(run, finding);
  const std::vector<std::string> hosts = hosts_of(run, places);
  const auto* late = std::get_if<LateFacts>(&finding.facts);
  if (late != nullptr && late->whole_host && hosts.size() == 1)
    return {"All ranks of " + hosts.front()};
  std::vector<int32_t> ranks;
  for (const Place& place : places)
    if (place.world_rank >= 0) ranks.push_back(place.world_rank);
  std::sort(ranks.begin(), ranks.end());
  const bool known =
      !ranks.empty() && ranks.size() == places.size() && places.size() >= finding.culprits.size();
  const size_t count = known ? ranks.size() : finding.culprits.size();
  std::string text =
      known ? rank_list(ranks)
            : rank_list(finding.culprits) + " of " + communicator_label(run, finding.communicator);
  if (!hosts.empty() && hosts.size() <= kNamedHosts) text += " on " + listed(hosts);
  if (places.size() == 1 && std::holds_alternative<StallFacts>(finding.facts))
    text += " (pid " + std::to_string(run.processes[places.front().process].pid) + ")";
  return {capitalized(text), count == 1};
}

// Its name, where it has one.
std::string name_of_comm(const RunTables& run, uint32_t communicator) {
  const std::string name = run.text(run.communicators[communicator].name);
  return name.empty() ? communicator_label(run, communicator) : name;
}

// "AllReduce #21 on dp"
std::string operation_of(const RunTables& run, uint32_t operation) {
  const OperationRow& row = run.operations[operation];
  return operation_name(run, row) + " on " + name_of_comm(run, row.communicator);
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

bool is_known_who_strayed(const RunTables& run, const Finding& finding, const StallFacts& facts) {
  return !facts.one_of && !culprits_of(run, finding).empty();
}

// "; 15 ranks have been waiting for 9.91 s."
std::string who_waits(const RunTables& run, const Finding& finding, const StallFacts& facts) {
  const size_t waiting = waiting_ranks(run, finding);
  const std::string time = " for " + duration(static_cast<int64_t>(finding.since_s * 1e9)) + ".";
  if (facts.clue == StallClue::Circle && waiting == 0)
    return std::string(is_known_who_strayed(run, finding, facts) ? "; ranks" : "; they") +
           " have been waiting for each other" + time;
  if (waiting == 0) return "; nothing has moved" + time;
  return "; " + counted(waiting, "rank") + (waiting == 1 ? " has" : " have") + " been waiting" +
         time;
}

// A send needs a receive, and the other way round.
std::string never_called(const RunTables& run, uint32_t operation) {
  const OperationRow& row = run.operations[operation];
  if (row.kind != OpKind::PointToPoint) return " never called " + operation_of(run, operation);
  const bool receives = run.text(row.func) == "Recv";
  return (receives ? " never sent what " : " never received what ") + rank_name(row.rank) +
         (receives ? " waits for in " : " sends in ") + operation_of(run, operation);
}

// "AllReduce on tp and AllReduce on dp", each once.
std::string circle_names(const RunTables& run, const StallFacts& facts) {
  std::set<std::string> names;
  for (const uint32_t operation : facts.circle) {
    const OperationRow& row = run.operations[operation];
    names.insert(run.text(row.func) + " on " + name_of_comm(run, row.communicator));
  }
  return listed({names.begin(), names.end()});
}

// What the culprits of a stall did, up to who waits for it; empty: there is no short form.
std::string stall_cause(const RunTables& run, const Finding& finding, const StallFacts& facts) {
  const Who who = who_is_it(run, finding);
  if (facts.clue == StallClue::Circle)
    return "Deadlock: " + (is_known_who_strayed(run, finding, facts)
                               ? who.inside_a_sentence() + who.verb(" leaves", " leave") +
                                     " the usual order of " + circle_names(run, facts)
                               : "ranks call " + circle_names(run, facts) + " in different orders");
  if (facts.one_of || facts.too_soon || finding.culprits.empty()) return "";
  const std::string operation = operation_of(run, facts.operation);
  switch (facts.clue) {
    case StallClue::NeverCalled:
      return who.text + never_called(run, facts.operation);
    case StallClue::Stopped:
      return who.text + who.verb(" is", " are") + " stopped by a signal, before " + operation;
    case StallClue::Silent:
      return who.text + " died or froze before " + operation;
    case StallClue::Died:
      return who.text + " died in or before " + operation;
    case StallClue::OtherCall:
      return who.text + " called " + operation_name(run, run.operations[facts.other]) +
             " instead of " + operation;
    case StallClue::OtherValues:
      return who.text + who.verb(" disagrees", " disagree") +
             " with the others about size, type or root of " + operation;
    case StallClue::GaveUp:
      return who.text + " gave up " + operation;
    default:
      return "";
  }
}

// What is slow, and how much: "Transfers from rank 15 on node0003 to rank 0 take 7.4 times as long as usual".
std::string slow_part(const RunTables& run, const Finding& finding, const PathFacts& facts) {
  const bool receives = is_of_receiver(facts.side);
  const std::string factor = " take " + times(facts.factor) + " as long as usual";
  const auto between = [&](const std::string& here, const std::string& there) {
    if (facts.both_ways) return "Transfers between " + here + " and " + there + factor;
    return "Transfers from " + (receives ? there : here) + " to " + (receives ? here : there) +
           factor;
  };
  const std::string who = who_is_it(run, finding).inside_a_sentence();
  if (facts.peer >= 0) {
    const std::vector<Place> peer = places_of(run, finding.communicator, {facts.peer});
    const bool known = peer.size() == 1 && peer.front().world_rank >= 0;
    return between(who, known ? rank_name(peer.front().world_rank)
                              : rank_name(facts.peer) + " of " +
                                    communicator_label(run, finding.communicator));
  }
  if (facts.peer_host != 0) return between(run.text(facts.host), run.text(facts.peer_host));
  if (facts.both_ends) return "Transfers among " + who + factor;
  if (facts.whole_host)
    return "Transfers between " + run.text(facts.host) + " and other hosts" + factor;
  return (facts.side == SlowSide::Gpu ? "Transfers through the GPU of " : "Transfers of ") + who +
         factor;
}

const char* suspect_of(const PathFacts& facts) {
  switch (facts.side) {
    case SlowSide::Link:
    case SlowSide::Way:
      return " The link is slow.";
    case SlowSide::Sender:
      return " Its GPU or its proxy thread is slow.";
    case SlowSide::ReceiverProxy:
      return facts.round_ns != 0 ? " Its proxy thread is slow."
                                 : " The receiver's proxy thread is slow.";
    case SlowSide::ReceiverGpu:
      return " The receiver's GPU is slow.";
    default:
      return "";
  }
}

// With the host to drain: a rank's number in a communicator does not tell.
std::string at_length(const RunTables& run, const Finding& finding) {
  const std::string where = where_they_run(run, culprits_of(run, finding));
  return what_is_wrong(run, finding) + (where.empty() ? "" : " " + where);
}

}  // namespace

size_t waiting_ranks(const RunTables& run, const Finding& finding) {
  const auto* facts = std::get_if<StallFacts>(&finding.facts);
  if (facts == nullptr) return 0;
  std::set<uint32_t> processes(facts->inside_circle.begin(), facts->inside_circle.end());
  if (facts->clue == StallClue::Circle && processes.empty()) return 0;
  const auto add = [&](uint32_t operation, const std::vector<int32_t>& ranks) {
    for (const Place& place : places_of(run, run.operations[operation].communicator, ranks))
      processes.insert(place.process);
  };
  add(facts->operation, facts->waiting);
  for (const Consequence& one : finding.consequences) add(one.operation, one.waiting);
  return processes.size();
}

std::string headline_text(const RunTables& run, const Finding& finding, double share) {
  if (const auto* stall = std::get_if<StallFacts>(&finding.facts)) {
    const std::string cause = stall_cause(run, finding, *stall);
    return cause.empty() ? at_length(run, finding) : cause + who_waits(run, finding, *stall);
  }
  if (share <= 0) return at_length(run, finding);
  const std::string cost = ": without that the run would be " + percent(share) + " shorter.";
  if (const auto* late = std::get_if<LateFacts>(&finding.facts)) {
    const Who who = who_is_it(run, finding);
    const bool once = late->pattern.when == WhenLate::Once;
    return who.text + (once ? " held" : who.verb(" holds", " hold")) + " up the others" +
           (once ? " once" : "") + cost + reason_of(finding);
  }
  const auto* path = std::get_if<PathFacts>(&finding.facts);
  if (path != nullptr && path->replayed && path->sent == 0)
    return slow_part(run, finding, *path) + cost + suspect_of(*path);
  if (const auto* slower = std::get_if<SlowerFacts>(&finding.facts)) {
    const SlowerKind& worst = slower->slower.worst();
    return run.text(worst.row.func) + " of " + bytes(worst.row.size_bytes) + " on " +
           name_of_comm(run, finding.communicator) +
           (slower->slower.is_once() ? " took " + duration(worst.took_ns) + " once"
                                     : " takes " + times(slower->factor) + " as long as expected") +
           cost;
  }
  return at_length(run, finding);
}

}  // namespace lockstep::analysis
