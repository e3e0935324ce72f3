// Asks for a report before the first communicator goes: the file snapshot.wanted where the run's hosts meet, for whoever
// makes reports while the program runs (`lockstep run`). It waits for nobody: the thread that finalizes or aborts sets a flag,
// and the dump thread makes the file at the end of its round. Once per process, and only where somebody can take it up:
// where `lockstep run` has left its run.json, or an agent its folder.
#pragma once

#include <atomic>
#include <string>

#include "dumper/drain/record_consumer.h"

namespace lockstep::plugin {

class SnapshotWish : public dumper::RecordConsumer {
 public:
  // Before the dump thread's first start.
  void prepare(std::string directory);
  // Any thread. True for the first time, where somebody can take it up.
  bool make() {
    State none = State::None;
    return state_.compare_exchange_strong(none, State::Made, std::memory_order_relaxed);
  }

  void take(const dumper::Piece& /*piece*/, const dumper::StringSource& /*strings*/) override {}
  // A file that cannot be made is no reason to say anything: its directory is where the segments go as well.
  void end_round(const dumper::Round& round) override;

 private:
  enum class State : uint8_t { None, Made, Told };

  std::string directory_;
  std::atomic<State> state_{State::Told};
};

}  // namespace lockstep::plugin
