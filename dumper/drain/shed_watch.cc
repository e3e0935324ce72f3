#include "dumper/drain/shed_watch.h"

namespace lockstep::dumper {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000, kBetweenSentencesNs = 60 * kSecondNs;

}  // namespace

std::string ShedWatch::look(uint64_t calls, uint64_t raw_ns) {
  const uint64_t looked_before_ns = looked_raw_ns_;
  looked_raw_ns_ = raw_ns;
  if (calls != seen_) {
    if (to_raw_ns_ == 0) from_raw_ns_ = looked_before_ns;
    to_raw_ns_ = raw_ns;
    seen_ = calls;
  }
  if (calls == told_ || (told_ != 0 && raw_ns - told_raw_ns_ < kBetweenSentencesNs)) return {};
  const std::string more = std::to_string(calls - told_);
  std::string sentence =
      told_ == 0 ? "the buffers are nearly full: " + more +
                       " calls were counted and not recorded, the least valuable kinds first; raise "
                       "LOCKSTEP_BUFFER_MB if this goes on"
                 : "the buffers are still nearly full at times: " + more +
                       " more calls were counted and not recorded in the last " +
                       std::to_string((raw_ns - told_raw_ns_) / kSecondNs) + " s, " +
                       std::to_string(calls) + " in all";
  told_ = calls;
  told_raw_ns_ = raw_ns;
  return sentence;
}

}  // namespace lockstep::dumper
