// What was asked of a job while it ran and is kept in RUN/findings/, where that can be written: the last answers of
// `lockstep diagnose --live` that had findings (diagnose.json) and of `lockstep stacks` or the page (stacks.json). Each is the
// JSON that was answered, with taken_unix_ns; whoever looks at the run later is told. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::analysis {

constexpr const char* kKeptDiagnosis = "diagnose.json";
constexpr const char* kKeptStacks = "stacks.json";

std::string kept_path(const std::string& directory, const char* name);

// In the place of an earlier one; whole or not at all. Where it cannot be written, nothing is kept.
void keep_answer(const std::string& directory, const char* name, const std::string& json);

// Empty where nothing is kept. Only what is such an answer: the file may be a stranger's, or a link to something else.
std::string kept_answer(const std::string& directory, const char* name, size_t most_bytes);

struct KeptFindings {
  struct One {
    std::string kind, text;
    double confidence = 0;
  };
  int64_t taken_unix_ns = 0;  // 0: none are kept
  std::vector<One> findings;
};
KeptFindings kept_findings(const std::string& directory);

// When the kept stacks were taken; 0: there are none.
int64_t kept_stacks_unix_ns(const std::string& directory);

}  // namespace lockstep::analysis
