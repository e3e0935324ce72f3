// Records of all threads in the order of their times. They are drained thread by thread: of two
// threads that call on one communicator, as PyTorch's main and autograd threads do, the later call may
// come first. Records are held until everything before them has come. One thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "lockstep/record_shape.h"

namespace lockstep::dumper {

class TimeOrder {
 public:
  // A record, each thread's in their order.
  void add(const uint64_t* words, unsigned count) {
    const uint64_t ticks = ticks_of(words[0]);
    if (held_.empty() || ticks < held_.back().ticks) runs_.push_back(held_.size());
    held_.push_back({ticks, words_.size()});
    words_.insert(words_.end(), words, words + count);
  }

  // Calls `f(words)` for each record with fewer ticks than that, the earliest first. None comes twice:
  // where `f` throws, all that is held is dropped.
  template <typename F>
  void release(uint64_t complete_ticks, F f) {
    merge_runs();
    std::vector<uint64_t> words = std::exchange(words_, {});
    std::vector<Held> held = std::exchange(held_, {});
    const auto later =
        std::lower_bound(held.begin(), held.end(), complete_ticks,
                         [](const Held& record, uint64_t ticks) { return record.ticks < ticks; });
    for (auto at = held.begin(); at != later; ++at) f(&words[at->place]);
    // Few: what was recorded while the rest was drained.
    std::vector<uint64_t> rest;
    for (auto at = later; at != held.end(); ++at) {
      const uint64_t* const first = &words[at->place];
      rest.insert(rest.end(), first, first + kRecordShapes[tag_of(*first)].words);
    }
    words.clear();
    held.clear();
    words_ = std::move(words);  // their memory serves the next round
    held_ = std::move(held);
    for (size_t at = 0; at < rest.size(); at += kRecordShapes[tag_of(rest[at])].words)
      add(&rest[at], kRecordShapes[tag_of(rest[at])].words);
  }

  size_t held_bytes() const {
    return words_.size() * sizeof(uint64_t) + held_.size() * sizeof(Held);
  }

 private:
  struct Held {
    uint64_t ticks;
    size_t place;  // in words_
  };

  // Neighbours in pairs, so that each record moves once for each doubling of the runs.
  void merge_runs() {
    const auto at = [&](size_t run) {
      return held_.begin() + static_cast<ptrdiff_t>(run < runs_.size() ? runs_[run] : held_.size());
    };
    for (size_t step = 1; step < runs_.size(); step *= 2) {
      for (size_t run = 0; run + step < runs_.size(); run += 2 * step) {
        std::inplace_merge(at(run), at(run + step), at(run + 2 * step),
                           [](const Held& a, const Held& b) { return a.ticks < b.ticks; });
      }
    }
    runs_.clear();
  }

  std::vector<uint64_t> words_;
  std::vector<Held> held_;
  std::vector<size_t> runs_;  // where in held_ the times begin anew
};

}  // namespace lockstep::dumper
