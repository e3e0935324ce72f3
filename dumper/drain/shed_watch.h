// What is told of calls shed for memory: when it began and ended, for the ledger, and now and then a
// sentence for the log. Looked at by the dump thread in every round; knows no clock of its own.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::dumper {

class ShedWatch {
 public:
  // `raw_ns`: before any call is made.
  explicit ShedWatch(uint64_t raw_ns) : looked_raw_ns_(raw_ns) {}

  // `calls` were shed since the process began. "" or a sentence: at the first shed, then at most
  // once a minute and only with news.
  std::string look(uint64_t calls, uint64_t raw_ns);
  // Around all of it, as exactly as it was looked at; 0, 0: nothing was shed.
  uint64_t from_raw_ns() const { return from_raw_ns_; }
  uint64_t to_raw_ns() const { return to_raw_ns_; }

 private:
  uint64_t looked_raw_ns_, seen_ = 0;
  uint64_t told_raw_ns_ = 0, told_ = 0;
  uint64_t from_raw_ns_ = 0, to_raw_ns_ = 0;
};

}  // namespace lockstep::dumper
