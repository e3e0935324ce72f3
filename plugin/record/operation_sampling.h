// The deep kinds of one operation in so many (LOCKSTEP_EVENTS=step:1/16). All ranks choose the same ones
// without asking each other, as each operation is chosen by what all of them know of it: a collective
// by NCCL's own sequence number, which counts the calls of a function on a communicator; a send and
// its receive by how many there were before them from the one rank to the other.
//
// What is chosen has an odd serial in its id, and so have its children. So whoever starts a step knows
// from the parent's handle alone, in a proxy thread long afterwards and where the parent is in another
// process (PXN). Operations themselves, their network operations and kernel channels are always
// recorded. On NCCL's threads: no lock, no allocation, no system call.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "lockstep/event.h"
#include "lockstep/kind_mask.h"

namespace lockstep::plugin {

class OperationSampling {
 public:
  // Kinds whose starts have to come by takes(): those that are chosen, and what hands on the choice.
  static constexpr uint32_t kWatched = kind_bit(Kind::Coll) | kind_bit(Kind::P2p) |
                                       kind_bit(Kind::ProxyOp) | kind_bit(Kind::ProxyStep) |
                                       kind_bit(Kind::NetPlugin) | kind_bit(Kind::KernelCh) |
                                       kind_bit(Kind::KernelPhase);

  // What a send or receive is chosen by.
  static constexpr uint64_t pair(bool send, int peer) {
    return static_cast<uint64_t>(static_cast<uint32_t>(peer)) << 1 | (send ? 1 : 0);
  }

  // One operation in `one_in`, but every one where these say so: outside of captures, and in them.
  void choose(uint32_t one_in, bool all_outside, bool all_in_captures);
  // Before the communicator's first event. Of a communicator that began while `one_in` was 1 sends are not
  // counted, and so none is chosen later.
  void begin_comm(uint32_t comm, int32_t ranks);

  // NCCL's threads. A start of an enabled kind: false where it belongs to an operation that is not
  // chosen; else the next serial of this thread says whether it is. `number`: of a Coll the sequence
  // number, of a P2p its pair(), of others nothing.
  bool takes(Kind kind, uint32_t comm, EventId parent, uint64_t number);

 private:
  // Sends and receives so far, by pair(). Calls on one communicator come one after the other.
  struct Pairs {
    explicit Pairs(size_t pairs) : count(pairs), before(new std::atomic<uint32_t>[pairs]()) {}
    size_t count;
    std::unique_ptr<std::atomic<uint32_t>[]> before;
  };
  static constexpr uint32_t kComms = 4096;

  bool is_chosen(Kind kind, uint32_t comm, uint64_t number);
  bool is_nth_of_pair(uint32_t comm, uint64_t pair, uint32_t one_in);

  std::atomic<uint32_t> one_in_{1};
  std::atomic<bool> all_outside_{false}, all_in_captures_{false};
  // By communicator. Never freed: calls may come after a communicator's end.
  std::atomic<Pairs*> pairs_[kComms] = {};
};

// One per process, as the recorder is.
extern OperationSampling operation_sampling;

}  // namespace lockstep::plugin
