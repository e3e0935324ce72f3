// Joins the marks of one process's program (lockstep/mark.h, NVTX) into its steps and ranges. Records of
// one thread come in their order, those of different threads in any. What began before the recording
// or had not ended in it keeps an unknown time. Used by OperationJoin; one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/tables/tables_process.h"

namespace lockstep::analysis {

class MarkJoin {
 public:
  struct At {
    uint32_t tid = 0;
    int64_t ns = 0;
  };
  // A whole record of a mark. `texts` maps the process's string numbers.
  void add(const uint64_t* words, At at, const std::vector<Text>& texts);
  // After the last record. Steps come by time.
  void finish(std::vector<MarkedStepRow>* steps, std::vector<RangeRow>* ranges);

 private:
  struct StepMark {
    uint64_t step = 0;
    At at;
    bool begins = false;
  };
  RangeRow* add_range(RangeKind kind, At at);
  void pop(uint32_t tid, Text domain, At at);

  std::vector<StepMark> steps_;
  std::vector<RangeRow> ranges_;
  std::map<std::pair<uint32_t, Text>, std::vector<size_t>> open_;  // by thread and domain
  // By number; an end may come before its start.
  std::unordered_map<uint64_t, size_t> started_;
  std::unordered_map<uint64_t, At> ended_;
};

}  // namespace lockstep::analysis
