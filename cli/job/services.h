// The servers that show a run already: found, offered, ended.
#pragma once

#include <optional>
#include <string>

namespace lockstep::cli {

// What to do when there is one: print its URL, start another; neither: a person is asked, if there is one.
struct Another {
  bool reuse = false, anew = false;
};

// An exit code: one of them will do, and its URL is printed. Nothing: one more is wanted.
std::optional<int> offer_services(const std::string& directory, const Another& another);
// Ends those of this machine; others are named.
int stop_services(const std::string& directory);

}  // namespace lockstep::cli
