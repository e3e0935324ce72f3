// One operation across its members: the ranks of a collective, or the sender and the receiver of a
// transfer. Operations of one channel (a communicator's collectives; its transfers from one rank to
// another) meet in the order of their calls. Plain data.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "test/drivers/simulate/program.h"
#include "test/drivers/simulate/transport.h"

namespace lockstep::simulate {

struct MeetingMember {
  int rank = -1;  // of the world
  uint8_t stream = 0;
  bool stops = false;          // its data does not leave
  bool ended = false;          // the end of its kernel is known
  uint32_t part = 0;           // of the launch
  uint64_t launch = 0;         // the observer's
  int64_t called_ns = kNever;  // the launch returned
  int64_t begun_ns = kNever;   // its kernel
};

struct Meeting {
  Part part;  // as the first to call had it
  int step = 0;
  uint64_t ordinal = 0;  // in its channel
  uint32_t called = 0, begun = 0;
  bool mismatched = false, done = false;
  std::vector<MeetingMember> members;  // by rank in the communicator; sender, receiver
};

// Meetings that are not over, by ordinal.
class Channel {
 public:
  explicit Channel(size_t members = 2) : called_(members), begun_(members) {}

  Meeting& next_called(size_t member) { return at(called_[member]++); }
  Meeting& next_begun(size_t member) { return at(begun_[member]++); }
  void forget_done() {
    while (!meetings_.empty() && meetings_.front().done) {
      meetings_.pop_front();
      ++first_;
    }
  }
  const std::deque<Meeting>& open() const { return meetings_; }

 private:
  Meeting& at(uint64_t ordinal) {
    while (meetings_.size() <= ordinal - first_) {
      Meeting& made = meetings_.emplace_back();
      made.ordinal = first_ + meetings_.size() - 1;
      made.members.resize(called_.size());
    }
    return meetings_[ordinal - first_];
  }

  std::deque<Meeting> meetings_;
  uint64_t first_ = 0;  // ordinal of meetings_.front()
  std::vector<uint64_t> called_, begun_;
};

}  // namespace lockstep::simulate
