// How long network steps waited for their peer, from the states of recorded steps: a send between
// "the GPU's data is there" and "the network took it", a receive between "posted" and "arrived".
// Sums only, in a table of fixed size; steps that are pushed out of it are left out of the sum.
// Dump thread only.
#pragma once

#include <array>

#include "lockstep/record_fields.h"

namespace lockstep::dumper {

class PeerWaits {
 public:
  void apply(const uint64_t* words, Tag tag) {
    const unsigned state = tag - kStateTag;
    const uint64_t ticks = ticks_of(words[0]);
    const EventId step = EventRecord::read(words).id;
    Slot& slot = slots_[serial_of(step) % kSlots];
    if (state == kSendPeerWait || state == kRecvWait) {
      slot = {step, ticks};
    } else if ((state == kSendWait || state == kRecvFlushWait) && slot.step == step) {
      (state == kSendWait ? send_ticks_ : recv_ticks_) += ticks - slot.since_ticks;
      slot = {};
    }
  }
  uint64_t send_ticks() const { return send_ticks_; }
  uint64_t recv_ticks() const { return recv_ticks_; }

 private:
  static constexpr size_t kSlots = 4096;
  struct Slot {
    EventId step = 0;
    uint64_t since_ticks = 0;
  };
  std::array<Slot, kSlots> slots_{};
  uint64_t send_ticks_ = 0, recv_ticks_ = 0;
};

}  // namespace lockstep::dumper
