// When a process counted calls and did not record them because its buffers were full, in words, for
// `lockstep verify` and `lockstep info`. A pure function.
#pragma once

#include <cstdint>
#include <string>

#include "dumper/segment/ledger.h"

namespace lockstep::analysis {

// "120 calls were not recorded because the memory cap was reached, between 3.20 s and 5.00 s after its
// first record"; empty when there were none, or the ledger does not say when.
// `first_raw_ns` is the time of the process's first record.
std::string shed_sentence(const dumper::Ledger& ledger, uint64_t first_raw_ns);

}  // namespace lockstep::analysis
