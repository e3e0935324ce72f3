// Why a link or a proxy thread is slow: what the ports of its host counted over the run, against the
// other hosts', and how long the proxy threads waited for a processor, against the other processes'. Pure.
#pragma once

#include "analysis/why/load_samples.h"

namespace lockstep::analysis {

WhyFacts why_slow(const RunTables& run, const Finding& slow_path, const LoadSamples& samples);

}  // namespace lockstep::analysis
