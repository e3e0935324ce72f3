#include "cli/job/scontrol.h"

#include <array>
#include <cstdio>

namespace lockstep::cli {

std::string scontrol_show(const std::string& what, const std::string& job) {
  std::FILE* answer = popen(("scontrol -o show " + what + " " + job + " 2>/dev/null").c_str(), "r");
  if (answer == nullptr) return {};
  std::string text;
  std::array<char, 4096> part;
  for (size_t n; (n = std::fread(part.data(), 1, part.size(), answer)) > 0;)
    text.append(part.data(), n);
  pclose(answer);
  return text;
}

}  // namespace lockstep::cli
