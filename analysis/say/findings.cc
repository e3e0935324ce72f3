#include "analysis/say/findings.h"

#include <cstdio>

#include "analysis/say/names.h"
#include "analysis/say/why.h"
#include "analysis/say/words.h"
#include "analysis/tables/labels.h"

namespace lockstep::analysis {
namespace {

bool one(const std::vector<int32_t>& ranks) { return ranks.size() == 1; }

std::string seconds(double s) { return duration(static_cast<int64_t>(s * 1e9)); }

// "Ranks 0 and 1 have been waiting in AllGather #9 on world for 98.0 s"
std::string waiting(const RunTables& run, const Finding& finding, const StallFacts& facts) {
  const std::string where = operation_on(run, facts.operation);
  const std::string time = " for " + seconds(finding.since_s);
  if (facts.waiting.empty()) return where + " has not moved" + time;
  return capitalized(rank_list(facts.waiting)) + (one(facts.waiting) ? " has" : " have") +
         " been waiting in " + where + time;
}

// "Broadcast #68 on dp, Broadcast #69 on dp and 2 more operations"
std::string operations_on(const RunTables& run, const std::vector<uint32_t>& operations) {
  constexpr size_t kShown = 4;
  std::vector<std::string> names;
  for (size_t i = 0; i < operations.size() && i < kShown; ++i)
    names.push_back(operation_on(run, operations[i]));
  if (operations.size() > kShown)
    names.push_back(counted(operations.size() - kShown, "more operation"));
  return listed(names);
}

std::vector<int32_t> world_ranks_of(const RunTables& run, const Finding& finding) {
  std::vector<int32_t> ranks;
  for (const Place& place : culprits_of(run, finding)) ranks.push_back(place.world_rank);
  return ranks;
}

std::string circle(const RunTables& run, const Finding& finding, const StallFacts& facts) {
  std::string text = "Ranks have been waiting for each other for " + seconds(finding.since_s) +
                     " in " + operations_on(run, facts.circle) +
                     ": they call these operations in different orders.";
  if (finding.culprits.empty() && !finding.culprits_elsewhere.empty() && !facts.one_of) {
    const std::vector<int32_t> ranks = world_ranks_of(run, finding);
    return text + " World " + rank_list(ranks) + (one(ranks) ? " leaves" : " leave") +
           " the order usual in this run.";
  }
  if (facts.one_of || finding.culprits.empty())
    return text + " Which of them left the order usual in this run is not known.";
  return text + " " + capitalized(rank_list(finding.culprits)) + " of " +
         communicator_label(run, finding.communicator) +
         (one(finding.culprits) ? " leaves" : " leave") + " the order usual in this run.";
}

std::string inside_clue(const StallFacts& facts) {
  const std::string named = rank_list(facts.named);
  switch (facts.clue) {
    case StallClue::KernelNeverBegan:
      return (one(facts.named) ? "The kernel of " : "The kernels of ") + named + " never began: " +
             (one(facts.named) ? "its GPU or stream is" : "their GPUs or streams are") +
             " busy with something else.";
    case StallClue::DataNeverArrived:
      return "Data from " + named + " to " + rank_name(facts.peer) +
             " entered the network and never arrived.";
    case StallClue::HostCutOff:
      return "What " + named + (one(facts.named) ? " sends" : " send") +
             " to other hosts entered the network and never arrived, nor did what is sent to " +
             (one(facts.named) ? "its host." : "their host.");
    case StallClue::NoCredit:
      return capitalized(rank_name(facts.peer)) + " has data for " + named +
             (one(facts.named) ? ", which offers" : ", which offer") + " no buffer for it.";
    case StallClue::GpuStandsStill:
      return "All data for " + named + " has arrived, but " +
             (one(facts.named) ? "its GPU does" : "their GPUs do") + " not go on.";
    case StallClue::DataNeverLeft:
      return "Data that " + named + (one(facts.named) ? " has does" : " have does") + " not leave.";
    case StallClue::NotTakenOrLeft:
      return "Data that " + named + (one(facts.named) ? " has does" : " have does") +
             " not leave, or the next host does not take it; which is not known.";
    case StallClue::NoNetworkOperation:
      return "None of its network operations is open.";
    case StallClue::StepsNotRecorded:
      return "Its network operations are still open.";
    default:
      return "Every rank waits for data from another.";
  }
}

std::string shift_sentence(Shift shift, const std::vector<int32_t>& named) {
  if (shift == Shift::None) return "";
  const bool more = shift == Shift::OneMore;
  return " From there on the calls of " + rank_list(named) + " come one place " +
         (more ? "later" : "earlier") + " than the others': " + (one(named) ? "it " : "they ") +
         (more ? "made one call more." : "left one out.");
}

std::string stall_headline(const RunTables& run, const Finding& finding, const StallFacts& facts) {
  const std::string wait = waiting(run, finding, facts);
  // Whoever has no rank in the communicator is named by its world rank.
  const bool elsewhere = facts.named.empty() && !finding.culprits_elsewhere.empty();
  const std::vector<int32_t> ranks = elsewhere ? world_ranks_of(run, finding) : facts.named;
  const std::string named = (elsewhere ? "world " : "") + rank_list(ranks);
  switch (facts.clue) {
    case StallClue::NeverCalled:
      return wait + "; " + named + " never called it.";
    case StallClue::NotRecorded:
      return wait + "; nothing is known of " + named + ".";
    case StallClue::Behind:
      return wait + "; the recording of " + named +
             " ends before the others', so whether it entered is not known.";
    case StallClue::Stopped:
      return wait + "; the " + (one(ranks) ? "process of " : "processes of ") + named +
             (one(ranks) ? " is" : " are") + " stopped by a signal.";
    case StallClue::Silent:
      return wait + "; the " + (one(ranks) ? "process of " : "processes of ") + named +
             " died or " + (one(ranks) ? "was" : "were") + " frozen long before the others.";
    case StallClue::Circle:
      return circle(run, finding, facts);
    case StallClue::NobodyCalls:
      return "The job stands still: no rank has called NCCL for " + seconds(finding.since_s) +
             ", where no pause was longer than " + duration(facts.usual_pause_ns) +
             " before. All have called " + operation_on(run, facts.operation) +
             ", and nobody is missing anywhere: a GPU or the network holds an operation up, or the "
             "ranks do something else.";
    case StallClue::Died:
      return (one(ranks) ? "The process of " : "The processes of ") + named + " died. " + wait +
             ".";
    case StallClue::OtherCall:
      return wait + "; " + named + " called " + operation_name(run, run.operations[facts.other]) +
             " instead." + shift_sentence(facts.shift, facts.named);
    case StallClue::OtherValues:
      return wait + ", but the ranks disagree about size, type or root: " + named +
             (one(facts.named) ? " differs" : " differ") + " from the others." +
             shift_sentence(facts.shift, facts.named);
    case StallClue::NoCommonValues:
      return wait + ", but the ranks disagree about size, type or root: " + named +
             " differ from each other.";
    case StallClue::EndsBeforeNotKnown:
      return wait + "; nobody is missing. The kernels of " + named +
             " never began. Nothing tells whether " + operations_on(run, facts.before) +
             " ended, which " + (facts.before.size() == 1 ? "was" : "were") +
             " called before: they may wait for that.";
    case StallClue::GaveUp:
      return capitalized(named) + " gave up " + operation_on(run, facts.operation) +
             " while the others were inside. " + wait + ".";
    default:
      return wait + "; nobody is missing. " + inside_clue(facts);
  }
}

std::string which_of(const Finding& finding, const StallFacts& facts) {
  if (facts.clue == StallClue::Circle || facts.clue == StallClue::NotTakenOrLeft) return "";
  return finding.kind == FindingKind::StuckInTransport
             ? " One of " + rank_list(finding.culprits) + " holds it up; which is not known."
             : " Which of them is right is not known.";
}

std::string held_up_sentence(const Finding& finding) {
  const size_t others = finding.consequences.size();
  if (others == 0) return "";
  return " " + counted(others, "other operation") + (others == 1 ? " stands" : " stand") +
         " still because of that.";
}

std::string stall_sentence(const RunTables& run, const Finding& finding, const StallFacts& facts) {
  std::string text = stall_headline(run, finding, facts);
  if (facts.too_soon)
    text += " The recording ends so soon afterwards that " + rank_list(facts.named) +
            " may just have been on the way.";
  if (facts.by_calls)
    text +=
        " Only the calls were recorded, not when operations end (LOCKSTEP_EVENTS=kernel or proxy "
        "records that).";
  if (!facts.held.empty())
    text += " " + capitalized(rank_list(facts.held)) + (one(facts.held) ? " is" : " are") +
            " held up elsewhere.";
  if (facts.one_of) text += which_of(finding, facts);
  return text + held_up_sentence(finding);
}

std::string size_sentence(const RunTables& run, const Finding& finding, const SizeFacts& facts) {
  return operation_on(run, facts.operation) +
         (facts.ended
              ? " ended although its ranks passed different sizes: its result cannot be right."
              : " was called with different sizes: it hangs, or its result is wrong.") +
         (facts.times > 1 ? " This happened " + std::to_string(facts.times) + " times." : "") +
         shift_sentence(facts.shift, finding.culprits) +
         (facts.one_of ? " Which of them is right is not known." : "") + held_up_sentence(finding);
}

std::string who_of(const RunTables& run, const Finding& finding) {
  return rank_list(finding.culprits) + " of " + communicator_label(run, finding.communicator);
}

// Where and how much: "in 22 of 943 operations, typically by 21.1 ms (host_late); the others waited 462 ms for ".
std::string lateness(const LateFacts& facts) {
  const std::string when =
      facts.pattern.when == WhenLate::Once
          ? "once, " + duration(facts.pattern.until_ns) + " into the run, by "
          : "in " + std::to_string(facts.late) + " of " +
                counted(facts.operations, facts.grouped ? "group call" : "operation") +
                ", typically by ";
  return when + duration(facts.typical_ns) + " (" +
         kCauseNames[static_cast<unsigned>(facts.cause)] + "); the others waited " +
         duration(facts.caused_wait_ns) + " for ";
}

// When in the run, where that tells something: " It was late only in the first 1.20 s of the run."
std::string when_late(const LatePattern& pattern, bool single) {
  const std::string who = single ? " It was late" : " They were late";
  switch (pattern.when) {
    case WhenLate::AtStart:
      return who + " only at the start of the run, in its first " + duration(pattern.until_ns) +
             ".";
    case WhenLate::Periodic:
      return who + " every " + duration(pattern.period_ns) + ".";
    case WhenLate::InBursts:
      return who + " in bursts, in " + percent(pattern.share_of_time) + " of the run's time.";
    case WhenLate::Growing:
      return who + " more and more, at the end " + times(pattern.growth) +
             " as much as at the start.";
    case WhenLate::Once:  // lateness() says so
    case WhenLate::Throughout:
      break;
  }
  return "";
}

// " Without it the run would be 18 % (3.60 s) shorter."
template <class Facts>
std::string cost(const Facts& facts, bool single, const char* at_most = "") {
  return std::string(" Without ") + (single ? "it" : "them") + " the run would be " + at_most +
         percent(facts.gain_share) + " (" + duration(facts.gain_ns) + ") shorter.";
}

std::string late_sentence(const RunTables& run, const Finding& finding, const LateFacts& facts) {
  const bool single = one(finding.culprits);
  std::string text = capitalized(who_of(run, finding));
  if (!single && facts.whole_host)
    text += ", all of its ranks on host " + run.text(facts.host) + ",";
  text +=
      " arrived last, and clearly late, " + lateness(facts) + (single ? "it" : "them") + " in all.";
  if (facts.passed_on != 0)
    text += " Held up by that, others were late for " + counted(facts.passed_on, "operation") +
            " themselves (peer_late), which cost another " + duration(facts.passed_on_wait_ns) +
            ".";
  if (facts.elsewhere != 0)
    text += (single ? " It is" : " They are") + std::string(" just as late on ") +
            counted(facts.elsewhere, "other communicator") + ".";
  text +=
      when_late(facts.pattern, single) + cost(facts, single, facts.gain_at_most ? "up to " : "");
  if (facts.gain_at_most)
    text += " Calls run ahead here, and what others lost by a late one is not recorded.";
  if (facts.alone)
    text += std::string(" No other rank does the same work, so ") +
            (single ? "it is compared with itself" : "they are compared with themselves") +
            " over time.";
  if (facts.assumed_clocks)
    text += " This holds if the hosts' clocks are as assumed: nothing connects them.";
  return text;
}

// What of a slow path is slow, or may be.
std::string suspicion(const PathFacts& facts) {
  const std::string how_to_know =
      facts.steps ? "." : " (`lockstep ctl RUN events step` records what tells).";
  switch (facts.side) {
    case SlowSide::Link:
      return "The link is slow: its network steps take long from sending to acknowledgement.";
    case SlowSide::Way:
      return "The way is slow: data arrives long after the network took it, and the receiver's "
             "proxy thread, which "
             "sees its own sends in time, is not what holds it up.";
    case SlowSide::Sender:
      return "The link is as fast as others: the sender's GPU or proxy thread hands data over "
             "late.";
    case SlowSide::ReceiverProxy:
      return "Its proxy thread takes data up late.";
    case SlowSide::ReceiverGpu:
      return "Its GPU takes long to empty the buffers.";
    case SlowSide::Receiver:
      return "Its receives are suspected, by its proxy thread or its GPU" + how_to_know;
    case SlowSide::SenderOrLink:
    case SlowSide::Gpu:
    case SlowSide::Anybody:
      break;
  }
  return "Its sends are suspected, by its GPU or its proxy thread, or the link" + how_to_know;
}

std::string rounds(const PathFacts& facts) {
  return "it takes " + duration(facts.round_ns) +
         " to make visible to its GPU what has come, where others take " +
         duration(facts.others_round_ns) + ".";
}

std::string slow_part_sentence(const RunTables& run, const Finding& finding,
                               const PathFacts& facts) {
  const bool single = one(finding.culprits);
  const std::string who = who_of(run, finding);
  const bool receives = is_of_receiver(facts.side);
  std::string text;
  const std::string peer =
      facts.peer >= 0 ? rank_name(facts.peer) : "host " + run.text(facts.peer_host);
  if (facts.both_ways) {
    text = "What " + who + (single ? " exchanges with " : " exchange with ") + peer + " takes ";
  } else if (facts.peer >= 0) {
    text = "What " + who + (receives ? " receives from " : " sends to ") + rank_name(facts.peer) +
           " takes ";
  } else if (facts.peer_host != 0) {
    text = "What " + who + ", on host " + run.text(facts.host) +
           (receives ? (single ? ", receives from host " : ", receive from host ")
                     : (single ? ", sends to host " : ", send to host ")) +
           run.text(facts.peer_host) + " takes ";
  } else if (facts.both_ends) {
    text = "What " + who + " exchange takes ";
  } else if (facts.round_ns != 0) {
    text = "What passes " + who + " takes ";
  } else if (facts.whole_host) {
    text = "What " + who + ", all of its ranks on host " + run.text(facts.host) +
           ", exchange with other hosts takes ";
  } else {
    text = "What " + who +
           (facts.side == SlowSide::Gpu ? " hands on inside its host takes "
                                        : " sends and receives takes ");
  }
  text += times(facts.factor) + " as long as such transfers usually do (" + duration(facts.own_ns) +
          " per operation against " + duration(facts.others_ns) + "). ";
  if (facts.both_ways)
    text += "What " + peer +
            " exchanges with others takes no longer than usual, so the other side is suspected, or "
            "the way "
            "between the two.";
  else if (facts.whole_host)
    text += "The host's way to the network is suspected.";
  else if (facts.inside_host && single)
    text += "Its GPU is suspected, or what connects it to the other GPUs of its host.";
  else if (facts.inside_host)
    text += "What connects their GPUs on host " + run.text(facts.host) +
            " is suspected, or one of these GPUs: which, nothing recorded tells.";
  else if (facts.both_ends)
    text += "The way between their hosts is suspected, or one of its two ends.";
  else if (facts.side == SlowSide::Gpu)
    text += "Its GPU is slow to hand it on.";
  else if (facts.round_ns != 0)
    text += "Its proxy thread is slow: " + rounds(facts);
  else if (facts.peer_host != 0)
    text += "The way between these hosts is suspected.";
  else if (facts.peer < 0 && facts.side != SlowSide::ReceiverProxy)
    text += "Its GPU, its proxy thread or its way to the network is suspected.";
  else
    text += suspicion(facts);
  return text + cost(facts, single);
}

// " So does what 3 more ranks of its host send on other communicators."
std::string slow_elsewhere(const Finding& finding) {
  const size_t ranks = finding.culprits_elsewhere.size();
  if (ranks == 0) return "";
  return " So does what " + counted(ranks, "more rank") + " of its host " +
         (ranks == 1 ? "sends on another communicator." : "send on other communicators.");
}

std::string path_sentence(const RunTables& run, const Finding& finding, const PathFacts& facts) {
  if (facts.sent != 0) return lossy_sentence(run, facts);
  if (facts.replayed) return slow_part_sentence(run, finding, facts);
  const bool single = one(finding.culprits);
  const std::string who = who_of(run, finding);
  const std::string figures =
      " (" + duration(facts.own_ns) + " per operation against " + duration(facts.others_ns) + ").";
  if (facts.round_ns != 0) return "The proxy thread of " + who + " is slow: " + rounds(facts);
  if (facts.never_waits)
    return "Everybody waits for " + who +
           ", which hardly ever waits itself: its proxy thread falls behind" + figures;
  if (finding.kind == FindingKind::SlowLink)
    return "What " + who + (single ? " sends" : " send") +
           (facts.peer_host != 0 ? " to host " + run.text(facts.peer_host) : "") + " takes " +
           times(facts.factor) + " as long in the network as the others' data" + figures +
           slow_elsewhere(finding);
  return (single ? "The proxy thread of " : "The proxy threads of ") + who +
         (single ? " takes " : " take ") + times(facts.factor) +
         " as long to react as the others'" + figures;
}

// What says how long they should take.
const char* expected_by(ExpectedBy by) {
  switch (by) {
    case ExpectedBy::Itself:
      return "as its own undisturbed operations do";
    case ExpectedBy::Alike:
      return "as on communicators of the same shape";
    case ExpectedBy::Sizes:
      break;
  }
  return "as its other sizes, larger ones too, let expect";
}

std::string slower_sentence(const RunTables& run, const Finding& finding,
                            const SlowerFacts& facts) {
  const ExpectedTimeRow& worst = facts.slower.worst().row;
  const std::string took = duration(facts.slower.worst().took_ns);
  std::string text = run.text(worst.func) + " of " + bytes(worst.size_bytes) + " on " +
                     communicator_label(run, finding.communicator);
  text += facts.slower.is_once()
              ? " took " + took + " once, where " + duration(worst.expected_ns) + " is usual."
              : " takes " + times(facts.factor) + " as long " + expected_by(worst.by) + " (" +
                    took + " against " + duration(worst.expected_ns) + "), in " +
                    std::to_string(worst.slow) + " of " + counted(worst.operations, "operation") +
                    ".";
  if (worst.algo != 0)
    text += " NCCL chose " + run.text(worst.algo) +
            (worst.proto != 0 ? ", " + run.text(worst.proto) : "") + " for it.";
  const size_t kinds = facts.slower.kinds.size();
  if (kinds > 1)
    text += " " + counted(kinds - 1, "other kind") + " of operations " +
            (kinds == 2 ? "is" : "are") + " slower likewise.";
  if (facts.slower.is_once())
    text += " No rank, link or host stands out in it: what held it up is not known.";
  else if (worst.by == ExpectedBy::Sizes)
    text += " The choice of the algorithm is suspected.";
  else
    text +=
        " No rank, link or host stands out in all of them: what slowed them together is not known.";
  return text + " Without that the run would be " + percent(facts.gain_share) + " (" +
         duration(facts.slower.gain_ns) + ") shorter.";
}

class Sentence {
 public:
  Sentence(const RunTables& run, const Finding& finding) : run_(run), finding_(finding) {}
  std::string operator()(const StallFacts& facts) const {
    return stall_sentence(run_, finding_, facts);
  }
  std::string operator()(const SizeFacts& facts) const {
    return size_sentence(run_, finding_, facts);
  }
  std::string operator()(const LateFacts& facts) const {
    return late_sentence(run_, finding_, facts);
  }
  std::string operator()(const PathFacts& facts) const {
    return path_sentence(run_, finding_, facts);
  }
  std::string operator()(const MachineFacts& facts) const {
    return machine_sentence(run_, finding_, facts);
  }
  std::string operator()(const SlowerFacts& facts) const {
    return slower_sentence(run_, finding_, facts);
  }

 private:
  const RunTables& run_;
  const Finding& finding_;
};

}  // namespace

std::string what_is_wrong(const RunTables& run, const Finding& finding) {
  return std::visit(Sentence(run, finding), finding.facts);
}

std::string sentence(const RunTables& run, const Finding& finding) {
  std::string text = what_is_wrong(run, finding);
  const std::string why =
      std::holds_alternative<MachineFacts>(finding.facts) ? "" : why_sentence(finding);
  if (!why.empty()) text += " " + why;
  const std::string where = where_they_run(run, culprits_of(run, finding));
  return where.empty() ? text : text + " " + where;
}

std::string clause(const RunTables& run, const Consequence& consequence) {
  const std::string where = operation_on(run, consequence.operation);
  std::string text = consequence.waiting.empty()
                         ? where + " waits"
                         : rank_list(consequence.waiting) +
                               (one(consequence.waiting) ? " waits in " : " wait in ") + where;
  if (!consequence.held.empty()) text += " for " + rank_list(consequence.held);
  return text;
}

std::string late_in_short(const RunTables& run, const Finding& finding) {
  const auto* facts = std::get_if<LateFacts>(&finding.facts);
  if (facts == nullptr) return "";
  return who_of(run, finding) + ", " + lateness(*facts) +
         (one(finding.culprits) ? "it. " : "them. ") +
         where_they_run(run, culprits_of(run, finding));
}

std::string no_finding(const RunTables& run) {
  return run.operations.empty() ? "Nothing was recorded that could be judged."
                                : "Nothing wrong found.";
}

}  // namespace lockstep::analysis
