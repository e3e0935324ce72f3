// The records of several processes of a run in time order: by CLOCK_MONOTONIC_RAW when they share one
// host's, else by their hosts' CLOCK_REALTIME as it was. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "dumper/run/process_records.h"

namespace lockstep::reader {

// Bytes that could not be read, with the sentence that says so. Chunks that are missing are in no file.
struct PassedOver {
  explicit PassedOver(dumper::Damage damage)
      : sentence(to_sentence(damage)), place(std::move(damage)) {}
  explicit PassedOver(std::string missing) : sentence(std::move(missing)) {}
  std::string sentence;
  dumper::Damage place;
};

class MergedRecords {
 public:
  // Those of `count` processes, beginning with number `first` of the run, each of its span of `spans`
  // (one for every process of the run). `run` outlives this.
  MergedRecords(const dumper::RunDirectory& run, const std::vector<dumper::RawSpan>& spans,
                size_t first, size_t count);

  // What there is of the current record; valid until the next call of next().
  struct Current {
    uint32_t process = 0;  // its number in the run
    const dumper::ProcessRecords* records = nullptr;
    const dumper::TimedRecord* record = nullptr;
  };
  bool next(Current* current);

  // What was passed over so far, process by process.
  std::vector<PassedOver> passed_over() const;

 private:
  struct Stream {
    Stream(const dumper::ProcessEntry& entry, dumper::RawSpan span, uint32_t number)
        : records(entry, span), process(number) {}
    dumper::ProcessRecords records;
    uint32_t process;
    dumper::TimedRecord record;
  };
  struct Head {
    uint64_t time_ns;
    Stream* stream;
    bool operator<(const Head& other) const { return time_ns > other.time_ns; }  // earliest first
  };
  void advance(Stream* stream);

  bool by_raw_;
  std::deque<Stream> streams_;
  std::priority_queue<Head> heads_;
  Stream* handed_out_ = nullptr;
};

}  // namespace lockstep::reader
