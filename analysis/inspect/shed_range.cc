#include "analysis/inspect/shed_range.h"

#include "analysis/say/words.h"

namespace lockstep::analysis {

std::string shed_sentence(const dumper::Ledger& ledger, uint64_t first_raw_ns) {
  const uint64_t calls = ledger.lost(Loss::Memory);
  if (calls == 0 || ledger.shed_to_raw_ns == 0) return {};
  const auto after_first = [&](uint64_t raw_ns) {
    return duration(raw_ns > first_raw_ns ? static_cast<int64_t>(raw_ns - first_raw_ns) : 0);
  };
  return counted(calls, "call") + (calls == 1 ? " was" : " were") +
         " not recorded because the memory cap was reached, between " +
         after_first(ledger.shed_from_raw_ns) + " and " + after_first(ledger.shed_to_raw_ns) +
         " after its first record";
}

}  // namespace lockstep::analysis
