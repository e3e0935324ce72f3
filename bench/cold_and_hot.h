// What a call costs as a multiple of one reading of the processor's counter, which each call makes
// once and whose cost differs tenfold between machines. Hot: the mean of a burst of calls, its
// harness taken off. Cold: the first call after the thread has worked on so much other memory that
// its first caches hold nothing of ours any more.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "bench/plugin_host.h"
#include "lockstep/record_shape.h"
#include "plugin/record/tick_clock.h"

namespace lockstep::bench {

struct ColdAndHot {
  double cold_ticks = 0, hot_ticks = 0;  // medians
};

class ColdAndHotCalls {
 public:
  explicit ColdAndHotCalls(const Host& host) : host_(host), elsewhere_(kElsewhereBytes) {}

  // Of one reading among others, like a call of a burst.
  static double counter_ticks() {
    std::vector<double> readings;
    for (size_t round = 0; round < kRounds; ++round) {
      const uint64_t begin = plugin::read_counter();
      uint64_t end = begin;
      for (size_t i = 0; i < kBurst; ++i) end = plugin::read_counter();
      readings.push_back(static_cast<double>(end - begin) / kBurst);
    }
    return median(&readings);
  }

  // By name: "ProxyStep start".
  std::map<std::string, ColdAndHot> measure(Kind kind) {
    kind_ = kind;
    descr_ = descriptor(kind, nullptr);
    std::vector<Call> calls = {{"start", &ColdAndHotCalls::start}};
    if (kind == Kind::ProxyStep || kind == Kind::KernelCh)
      calls.push_back({"state", &ColdAndHotCalls::state});
    calls.push_back({"stop", &ColdAndHotCalls::stop});
    std::vector<std::vector<double>> hot(calls.size()), cold(calls.size());
    for (size_t round = 0; round < kRounds; ++round) {
      for (size_t i = 0; i < calls.size(); ++i) {
        hot[i].push_back(burst(calls[i].make) - burst(&ColdAndHotCalls::nothing));
      }
      for (size_t i = 0; i < calls.size(); ++i) {
        work_elsewhere();
        const double call = one(calls[i].make);
        work_elsewhere();
        cold[i].push_back(call - one(&ColdAndHotCalls::nothing));
      }
    }
    std::map<std::string, ColdAndHot> result;
    for (size_t i = 0; i < calls.size(); ++i) {
      result[std::string(kKindNames[static_cast<unsigned>(kind)]) + " " + calls[i].name] = {
          median(&cold[i]), median(&hot[i])};
    }
    return result;
  }

 private:
  using Make = void (ColdAndHotCalls::*)(size_t);
  struct Call {
    const char* name;
    Make make;
  };
  static constexpr size_t kBurst = 64, kRounds = 400;
  static constexpr size_t kElsewhereBytes = size_t{4} << 20;  // twice what such caches hold

  void start(size_t i) { handles_[i] = host_.start(descr_); }
  void state(size_t i) {
    const auto number =
        static_cast<abi::State>(kind_ == Kind::KernelCh ? kKernelChStop : kSendWait);
    host_.state(handles_[i], number, 1 << 20);
  }
  void stop(size_t i) { host_.stop(handles_[i]); }
  void nothing(size_t) {}

  double burst(Make make) {
    const uint64_t before = plugin::read_counter();
    for (size_t i = 0; i < kBurst; ++i) (this->*make)(i);
    return static_cast<double>(plugin::read_counter() - before) / kBurst;
  }
  double one(Make make) {
    const uint64_t before = plugin::read_counter();
    (this->*make)(0);
    return static_cast<double>(plugin::read_counter() - before);
  }
  void work_elsewhere() {
    for (size_t at = 0; at < elsewhere_.size(); at += 64)
      ++*const_cast<volatile char*>(&elsewhere_[at]);
  }
  static double median(std::vector<double>* values) {
    const auto middle = values->begin() + static_cast<ptrdiff_t>(values->size() / 2);
    std::nth_element(values->begin(), middle, values->end());
    return *middle;
  }

  const Host& host_;
  Kind kind_{};
  Descr descr_{};
  std::array<void*, kBurst> handles_{};
  std::vector<char> elsewhere_;
};

}  // namespace lockstep::bench
