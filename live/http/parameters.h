// The parameters of a request's query, read and checked: each answer names those it knows, and what else
// is there is an error. One thread; `request` outlives it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/number_ranges.h"
#include "live/http/http.h"

namespace lockstep::serve {

class Parameters {
 public:
  Parameters(const HttpRequest& request, const std::vector<std::string>& known);

  // 0 and above are given as they are; what is missing is `missing`.
  int64_t number(const std::string& name, int64_t missing);
  NumberRanges ranks(const std::string& name);
  std::string word(const std::string& name, const std::vector<std::string>& words);
  bool given(const std::string& name) const { return request_.parameters.count(name) != 0; }

  // What was wrong first; empty: nothing.
  const std::string& error() const { return error_; }

 private:
  void wrong(const std::string& name, const std::string& expected);

  const HttpRequest& request_;
  std::string error_;
};

}  // namespace lockstep::serve
