// The rows that hosts send for `lockstep nodes`, shown with the grades of their clocks. What is no object
// is passed over: an agent may be of another version. Pure functions, any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace lockstep::cli {

using ClockGrades = std::map<std::string, std::string>;  // by host

struct NodeList {
  std::string json;   // the rows, a JSON array, with `clock` in each: null where it is not known
  std::string table;  // for people
};
NodeList node_list(std::string_view rows, const ClockGrades& clocks);

}  // namespace lockstep::cli
