// How quantities, counts and lists are written wherever people read them: one form for each. Pure
// functions; nothing here knows a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::analysis {

// Three digits and a unit: "12.7 ms", "98.0 s"; from two minutes on "2 min 5 s", "3 h 12 min".
std::string duration(int64_t ns);
std::string bytes(uint64_t bytes);       // "64 KiB", "1.5 MiB"
std::string percent(double share);       // of 1: "95 %"
std::string one_decimal(double number);  // "6.4"
std::string times(double factor);        // "12.0 times"
std::string bandwidth(double gbs);       // of 1e9 bytes/s: "12.3 GB/s"

// "1 operation", "3 operations".
std::string counted(uint64_t count, const std::string& noun);
// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& items);
std::string capitalized(std::string sentence);

}  // namespace lockstep::analysis
