// A capture in words: a line for each host, what became of the ranks, what to open. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dumper/run/capture_file.h"

namespace lockstep::cli {

struct CaptureCount {
  size_t all = 0, whole = 0;  // ranks; of which both ends are known
};
CaptureCount count_of(const dumper::Capture& capture);

// "n1: 8 ranks stopped", "n2: 7 ranks stopped, 1 dead (rank 12)".
std::vector<std::string> host_lines(const dumper::Capture& capture);
// "rank 513 of n3, process 4711, did not reach position 4811", for each that is not whole.
std::vector<std::string> missing_ranks(const dumper::Capture& capture);
// How many are whole, how far apart they began, and what to open next.
std::string capture_banner(const dumper::Capture& capture, const std::string& run);

// For `lockstep captures`.
std::string captures_table(const std::vector<dumper::Capture>& captures);
std::string capture_text(const dumper::Capture& capture);

}  // namespace lockstep::cli
