#include "live/http/parameters.h"

#include <algorithm>

#include "base/text.h"

namespace lockstep::serve {

Parameters::Parameters(const HttpRequest& request, const std::vector<std::string>& known)
    : request_(request) {
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  for (const auto& parameter : request.parameters) {
    if (std::find(known.begin(), known.end(), parameter.first) == known.end() && error_.empty())
      error_ = "a parameter is not known here; these are: " + names;
  }
}

int64_t Parameters::number(const std::string& name, int64_t missing) {
  const auto found = request_.parameters.find(name);
  if (found == request_.parameters.end()) return missing;
  const auto number = parse_number<int64_t>(found->second);
  if (!number) wrong(name, "a whole number");
  return number.value_or(missing);
}

NumberRanges Parameters::ranks(const std::string& name) {
  const auto found = request_.parameters.find(name);
  if (found == request_.parameters.end() || found->second.empty()) return {};
  const auto ranges = parse_number_ranges(found->second);
  if (!ranges) wrong(name, "numbers and ranges, such as 0-3,8");
  return ranges.value_or(NumberRanges());
}

std::string Parameters::word(const std::string& name, const std::vector<std::string>& words) {
  const auto found = request_.parameters.find(name);
  if (found == request_.parameters.end()) return words.front();
  if (std::find(words.begin(), words.end(), found->second) != words.end()) return found->second;
  std::string known;
  for (const std::string& word : words) known += (known.empty() ? "" : ", ") + word;
  wrong(name, "one of " + known);
  return words.front();
}

void Parameters::wrong(const std::string& name, const std::string& expected) {
  if (error_.empty()) error_ = name + ": expected " + expected;
}

}  // namespace lockstep::serve
