// The Chrome trace of NCCL's Example plugin, from our records: the same file names
// (`<NCCL_PROFILE_DUMP_FILE>_<communicator's hash>_<rank>.json`), categories, names and arguments,
// but every event, at its own time and channel. Written as events end, so memory holds open events
// only; the array is closed when the communicators are. Dump thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "dumper/drain/record_consumer.h"
#include "dumper/feeds/example_event.h"
#include "dumper/feeds/line_file.h"
#include "dumper/segment/live_comms.h"

namespace lockstep::dumper {

class ExampleTrace : public RecordConsumer {
 public:
  using Log = std::function<void(const std::string&)>;

  ExampleTrace(std::string prefix, uint32_t pid, Log log);
  void take(const Piece& piece, const StringSource& strings) override;
  void end_round(const Round& round) override;

 private:
  void apply_comm(const uint64_t* words, Tag tag, const StringSource& strings);
  void write(const ExampleEvent& event, const Round& round, const ChunkClock& clock);
  LineFile* file_of(uint32_t comm);

  std::string prefix_;
  uint32_t pid_;
  Log log_;
  LiveComms comms_;
  uint64_t first_init_ticks_ = ~uint64_t{0};
  std::unordered_map<EventId, ExampleEvent> open_;
  std::vector<ExampleEvent> ended_;                      // of this round
  std::map<uint32_t, std::unique_ptr<LineFile>> files_;  // nullptr: closed
  uint64_t left_out_ = 0;
  bool failing_ = false;
};

}  // namespace lockstep::dumper
