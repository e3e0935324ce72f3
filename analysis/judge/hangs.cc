#include "analysis/judge/hangs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "analysis/judge/hang_case.h"
#include "analysis/judge/verdict.h"
#include "analysis/waits/wait_graph.h"

namespace lockstep::analysis {
namespace {

template <class Row>
void append(const std::vector<Row>& from, std::vector<Row>* to) {
  to->insert(to->end(), from.begin(), from.end());
}

class HangJudge {
 public:
  explicit HangJudge(const RunTables& run) : run_(run), graph_(run), causes_(graph_.causes()) {}

  Hangs judge() {
    unite_hosts();
    unite_absent();
    unite_groups();
    for (HangCause& cause : causes_) judge(&cause);
    drop_companions();
    std::stable_sort(out_.findings.begin(), out_.findings.end(),
                     [](const Finding& a, const Finding& b) {
                       if (names_who(a) != names_who(b)) return names_who(a);
                       if (a.confidence != b.confidence) return a.confidence > b.confidence;
                       return a.consequences.size() > b.consequences.size();
                     });
    return std::move(out_);
  }

 private:
  uint32_t process_of(const HangCause& cause) const {
    return graph_.actors().process_of(cause.actors.front());
  }
  Fate fate_of(const HangCause& cause) const { return graph_.fates().of(process_of(cause)); }
  static bool is_outside(const HangCause& cause) { return !cause.circle && cause.stalls.empty(); }

  // Merges the causes that `key` calls the same; it may change the order of the others' actors only.
  template <class Key>
  void unite(const Key& key) {
    std::vector<HangCause> kept;
    std::map<decltype(key(causes_.front())), size_t> places;
    for (HangCause& cause : causes_) {
      const auto [at, is_new] = places.try_emplace(key(cause), kept.size());
      if (is_new) {
        kept.push_back(std::move(cause));
        continue;
      }
      HangCause& same = kept[at->second];
      append(cause.actors, &same.actors);
      append(cause.stalls, &same.stalls);
      append(cause.blocked, &same.blocked);
      append(cause.waiting, &same.waiting);
    }
    causes_ = std::move(kept);
  }

  // A host whose processes are all gone is one cause, whoever waits for which of them.
  void unite_hosts() {
    using Key = std::pair<Text, uint32_t>;
    std::map<Text, std::vector<uint32_t>> processes;
    std::set<uint32_t> absent;
    for (uint32_t i = 0; i < run_.processes.size(); ++i)
      processes[run_.processes[i].host].push_back(i);
    for (const HangCause& cause : causes_) {
      if (is_outside(cause)) absent.insert(process_of(cause));
    }
    const auto gone = [&](const HangCause& cause) {
      const std::vector<uint32_t>& here = processes[run_.processes[process_of(cause)].host];
      const Fate fate = fate_of(cause);
      return fate != Fate::Behind && here.size() > 1 &&
             std::all_of(here.begin(), here.end(), [&](const uint32_t process) {
               return graph_.fates().of(process) == fate &&
                      (fate != Fate::Sound || absent.count(process) != 0);
             });
    };
    uint32_t number = 0;
    unite([&](const HangCause& cause) {
      ++number;
      return is_outside(cause) && gone(cause) ? Key{run_.processes[process_of(cause)].host, 0}
                                              : Key{0, number};
    });
    for (HangCause& cause : causes_) {
      if (is_outside(cause) && gone(cause))
        add_actors_of(run_.processes[process_of(cause)].host, &cause);
    }
  }

  void add_actors_of(Text host, HangCause* cause) const {
    for (uint32_t actor = 0; actor < graph_.actors().size(); ++actor) {
      const bool here = run_.processes[graph_.actors().process_of(actor)].host == host;
      if (here &&
          std::find(cause->actors.begin(), cause->actors.end(), actor) == cause->actors.end())
        cause->actors.push_back(actor);
    }
    std::sort(cause->actors.begin(), cause->actors.end());
  }

  // Ranks that one operation lacks for the same reason are one cause.
  void unite_absent() {
    using Key = std::tuple<uint32_t, Fate, uint32_t>;
    uint32_t number = 0;
    unite([&](const HangCause& cause) {
      ++number;
      return is_outside(cause) ? Key{first_blocked(cause), fate_of(cause), 0}
                               : Key{kNoRow, Fate::Sound, number};
    });
  }

  // What stands still on one communicator is one group call, to its user one operation.
  void unite_groups() {
    using Key = std::pair<uint32_t, uint32_t>;
    uint32_t number = 0;
    unite([&](const HangCause& cause) {
      ++number;
      return cause.circle || cause.stalls.empty()
                 ? Key{kNoRow, number}
                 : Key{stall(cause.stalls.front()).communicator, 0};
    });
  }

  const Stall& stall(uint32_t number) const { return graph_.stalls()[number]; }

  // The one that was called first: what came later may only have been enqueued ahead.
  uint32_t earliest(const std::vector<uint32_t>& stalls) const {
    uint32_t first = kNoRow;
    for (const uint32_t number : stalls) {
      if (first == kNoRow || begin_of(number) < begin_of(first)) first = number;
    }
    return first;
  }
  // Of those that it blocks, the first with somebody else inside.
  uint32_t first_blocked(const HangCause& cause) const {
    std::vector<uint32_t> awaited;
    for (const uint32_t number : cause.blocked) {
      if (!waiting_in(stall(number), cause).empty()) awaited.push_back(number);
    }
    return earliest(awaited.empty() ? cause.blocked : awaited);
  }
  std::pair<int64_t, uint32_t> begin_of(uint32_t number) const {
    const Stall& one = stall(number);
    const uint32_t match = run_.operations[one.operation].match;
    const int64_t start_ns = match == kNoRow ? kNoTime : run_.matches[match].start_ns;
    return {start_ns, number};
  }

  void judge(HangCause* judged) {
    const HangCause& cause = *judged;
    if (cause.stalls.empty() && cause.blocked.empty()) return;
    uint32_t chosen = is_outside(cause) ? first_blocked(cause) : earliest(cause.stalls);
    Verdict verdict = judge_cause(run_, graph_, cause, stall(chosen));
    // Of several that stand still together, the one that tells who holds it up.
    for (size_t i = 0; i < cause.stalls.size() && i < kMostTried && !cause.circle; ++i) {
      if (verdict.finding.has_value() && names_who(*verdict.finding)) break;
      if (cause.stalls[i] == chosen) continue;
      HangCause alone;
      alone.actors = cause.actors;
      alone.stalls = {cause.stalls[i]};
      Verdict other = judge_cause(run_, graph_, alone, stall(cause.stalls[i]));
      if (!other.finding.has_value() || !names_who(*other.finding)) continue;
      verdict = std::move(other);
      chosen = cause.stalls[i];
    }
    append(verdict.not_known, &out_.not_known);
    if (!verdict.finding.has_value()) return;
    Finding& finding = *verdict.finding;
    add_pairs(cause, stall(chosen), &finding);
    add_consequences(cause, chosen, &finding);
    out_.findings.push_back(std::move(finding));
    judged_.emplace_back(judged, chosen);
  }

  // Of an operation that merely has not ended while its ranks also stand in another one, of the same
  // group call perhaps, nothing is known that accuses anybody: it follows from that other one.
  void drop_companions() {
    for (size_t i = 0; i < judged_.size();) {
      const size_t origin = names_who(out_.findings[i]) ? i : origin_of(i);
      if (origin == i) {
        ++i;
        continue;
      }
      add_consequence(judged_[i].second, *judged_[i].first, &out_.findings[origin]);
      // What follows from this one follows from that one.
      for (const auto* list :
           {&judged_[i].first->stalls, &judged_[i].first->blocked, &judged_[i].first->waiting})
        append(*list, &judged_[origin].first->waiting);
      append(out_.findings[i].consequences, &out_.findings[origin].consequences);
      out_.findings.erase(out_.findings.begin() + static_cast<ptrdiff_t>(i));
      judged_.erase(judged_.begin() + static_cast<ptrdiff_t>(i));
    }
  }

  // The finding about what else holds up somebody inside; itself when there is none.
  size_t origin_of(size_t finding) const {
    for (const StallMember& member : stall(judged_[finding].second).members) {
      if (member.actor == kNoRow || member.stand != Stand::Inside) continue;
      for (const uint32_t head : graph_.heads().of(member.actor)) {
        for (size_t i = 0; i < judged_.size(); ++i) {
          if (i != finding && holds(*judged_[i].first, head)) return i;
        }
      }
    }
    return finding;
  }

  bool holds(const HangCause& cause, uint32_t head) const {
    for (const std::vector<uint32_t>* list : {&cause.stalls, &cause.blocked, &cause.waiting}) {
      for (const uint32_t number : *list) {
        for (const StallMember& member : stall(number).members) {
          if (member.operation == head) return true;
        }
      }
    }
    return false;
  }

  // Who else of the communicator waits for the same ranks in sends and receives of its own.
  void add_pairs(const HangCause& cause, const Stall& chosen, Finding* finding) const {
    for (const uint32_t number : cause.blocked) {
      const Stall& other = stall(number);
      if (!cause.stalls.empty() || !other.pair || other.communicator != chosen.communicator)
        continue;
      append(waiting_in(other, cause), &finding->ranks);
    }
    std::sort(finding->ranks.begin(), finding->ranks.end());
    finding->ranks.erase(std::unique(finding->ranks.begin(), finding->ranks.end()),
                         finding->ranks.end());
  }

  std::vector<int32_t> waiting_in(const Stall& one, const HangCause& cause) const {
    std::vector<int32_t> ranks;
    for (const StallMember& member : one.members) {
      const bool inside = member.stand == Stand::Inside || member.stand == Stand::NotBegun;
      const bool culprit =
          std::find(cause.actors.begin(), cause.actors.end(), member.actor) != cause.actors.end();
      if (inside && !culprit) ranks.push_back(member.rank);
    }
    return ranks;
  }

  void add_consequences(const HangCause& cause, uint32_t chosen, Finding* finding) const {
    std::set<uint32_t> told{chosen};
    for (const std::vector<uint32_t>* list : {&cause.stalls, &cause.blocked, &cause.waiting}) {
      for (const uint32_t number : *list) {
        if (!told.insert(number).second || (cause.circle && list == &cause.stalls)) continue;
        add_consequence(number, cause, finding);
      }
    }
  }

  void add_consequence(uint32_t number, const HangCause& cause, Finding* finding) const {
    Consequence consequence;
    consequence.operation = stall(number).operation;
    consequence.waiting = waiting_in(stall(number), cause);
    for (const StallMember& member : stall(number).members) {
      if (member.stand == Stand::Missing || member.stand == Stand::Queued)
        consequence.held.push_back(member.rank);
      // Told from where somebody waits.
      if (!consequence.waiting.empty() && member.rank == consequence.waiting.front())
        consequence.operation = member.operation;
    }
    if (!consequence.waiting.empty()) finding->consequences.push_back(std::move(consequence));
  }

  static constexpr size_t kMostTried = 1'000;

  const RunTables& run_;
  const WaitGraph graph_;
  std::vector<HangCause> causes_;
  // Beside out_.findings: the cause, and the stall that it was judged by.
  std::vector<std::pair<HangCause*, uint32_t>> judged_;
  Hangs out_;
};

}  // namespace

Hangs judge_hangs(const RunTables& run) { return HangJudge(run).judge(); }

}  // namespace lockstep::analysis
