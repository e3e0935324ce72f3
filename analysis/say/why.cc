#include "analysis/say/why.h"

#include "analysis/say/words.h"

namespace lockstep::analysis {
namespace {

std::string of_lateness(const WhySeen& seen) {
  return "Of the " + duration(seen.of) + " of this that were sampled, ";
}
std::string port(const WhySeen& seen) {
  return seen.where + (seen.port != 0 ? ", port " + std::to_string(seen.port) : "");
}
std::string others(const WhySeen& seen) {
  return "; on any other host at most " + std::to_string(seen.others);
}

// What was measured, without the verdict.
std::string measured(const WhySeen& seen) {
  switch (seen.what) {
    case WhySeen::What::ProcessorWait:
      return of_lateness(seen) + duration(seen.amount) + " were spent waiting for a processor" +
             (seen.others > 0
                  ? " beyond what the other ranks of the host waited, " + duration(seen.others)
                  : "");
    case WhySeen::What::CgroupThrottled:
      return of_lateness(seen) + duration(seen.amount) +
             " were spent standing still because the processor quota of " + seen.where +
             " was used up";
    case WhySeen::What::GpuThrottled:
      return "In " + duration(seen.amount) + " of the " + duration(seen.of) +
             " that it was late, the clock of GPU " + seen.where + " was held down";
    case WhySeen::What::MemoryStall:
      return of_lateness(seen) + duration(seen.amount) + " were spent waiting for memory" +
             (seen.where.empty() ? "" : " in " + seen.where);
    case WhySeen::What::MemoryLimit:
      return "In " + duration(seen.amount) + " of the " + duration(seen.of) +
             " of this that were sampled, " + seen.where +
             " was at its memory limit and read again what had been thrown out of it";
    case WhySeen::What::RoundTrip:
      return "Even the fastest packets take " + duration(seen.amount) +
             " to its host and back, between any other hosts at most " + duration(seen.others);
    case WhySeen::What::GpuErrors:
      return "In " + duration(seen.amount) + " of the " + duration(seen.of) +
             " that it was late, its GPU had errors: " + seen.where;
    case WhySeen::What::LinkErrors:
      return counted(static_cast<uint64_t>(seen.amount), "error") + " of " + port(seen) +
             others(seen);
    case WhySeen::What::Retransmits:
      return (seen.of != 0 ? std::to_string(seen.amount) + " of " + std::to_string(seen.of) +
                                 " TCP segments were sent again"
                           : std::to_string(seen.amount) + " times something was sent again, by " +
                                 port(seen)) +
             others(seen);
    case WhySeen::What::NewCommunicator:
      return "In " + std::to_string(seen.amount) + " of the " +
             counted(static_cast<uint64_t>(seen.of), "moment") +
             " that it was late, it had just created a communicator";
    case WhySeen::What::Period:
      return "It comes at a period, as a checkpoint does";
  }
  return "";
}

std::string waits_of(const MachineFacts& facts) {
  std::string text;
  if (facts.late_ns != 0)
    text = "Its ranks waited for one in " + duration(facts.wait_ns) + " of the " +
           duration(facts.late_ns) + " that they were late and sampled";
  if (facts.serving_wait_ns != 0)
    text += (text.empty() ? "The" : ", and the") +
            std::string(" threads that serve the network waited for one for ") +
            duration(facts.serving_wait_ns) + " in all";
  return text;
}

}  // namespace

std::string why_sentence(const Finding& finding) {
  if (!finding.why) return "";
  const WhyFacts& facts = *finding.why;
  const std::string name = std::string(" (") + name_of(facts.why) + ")";
  if (facts.why == Why::NotKnown && data_may_be_late(finding))
    return "Why is not known: when operations end was not recorded, so its own code may be late or "
           "what "
           "it receives (LOCKSTEP_EVENTS=kernel or proxy tells).";
  if (facts.why == Why::NotKnown)
    return "Why is not known: nothing was sampled on its host at that time.";
  std::string text = "Why" + name + ": ";
  if (facts.why == Why::OwnCode) {
    text += "nothing that was sampled on its host explains it";
    if (!facts.seen.empty())
      text += " (it waited " + duration(facts.seen.front().amount) + " of " +
              duration(facts.seen.front().of) + " for a processor)";
    return text + ".";
  }
  return text + measured(facts.seen.front()) + ".";
}

std::string lossy_sentence(const RunTables& run, const PathFacts& facts) {
  return "What host " + run.text(facts.host) + " sends gets lost on its way: " +
         percent(static_cast<double>(facts.sent_again) / static_cast<double>(facts.sent)) +
         " of its TCP segments were sent again, far more than any other host's.";
}

std::string machine_sentence(const RunTables& run, const Finding& finding,
                             const MachineFacts& facts) {
  const bool throttled = finding.why && finding.why->why == Why::Throttled;
  const std::string what = throttled
                               ? "the quota of " + finding.why->seen.front().where + " was used up"
                               : one_decimal(facts.runnable) + " threads wanted to run on its " +
                                     counted(static_cast<uint64_t>(facts.processors), "processor") +
                                     ", on average";
  return "Host " + run.text(facts.host) + " has too few processors for what runs there: " + what +
         ". " + waits_of(facts) + ", so none is to blame. Without " + "that the run would be " +
         percent(facts.gain_share) + " (" + duration(facts.gain_ns) + ") shorter.";
}

}  // namespace lockstep::analysis
