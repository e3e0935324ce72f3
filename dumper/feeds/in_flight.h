// Pairs the starts and stops of operations: from the drained records to which collectives and
// sends/receives are under way and which are done. A Coll's own stop says only that it was
// enqueued; it is done when its kernel channels (by their real numbers) and proxy operations are.
// Because some of those never come or never end (CollNet, aborts, drifting work numbers), a quiet
// second or the communicator's end closes it as incomplete. Fed on the dump thread, only when
// somebody wants the result; memory is bounded, and what is pushed out is counted. Orphans of
// operations never seen are counted and forgotten.
#pragma once

#include <functional>
#include <unordered_map>

#include "dumper/drain/record_consumer.h"
#include "dumper/feeds/operation.h"

namespace lockstep::dumper {

class InFlight {
 public:
  using Done = std::function<void(const Operation&)>;

  explicit InFlight(size_t max_operations) : max_operations_(max_operations) {}

  // Which kinds are being recorded: what a new operation can wait for.
  void set_kinds(uint32_t kinds) { kinds_ = kinds; }
  // One record of any kind; those of no interest return at once.
  void apply(const uint64_t* words, Tag tag);
  // After all records with fewer ticks were applied: hands over what is done since the last time.
  // `final` hands over everything.
  void settle(uint64_t complete_ticks, double ns_per_tick, bool final, const Done& done);

  // Operations that began and are not done, the oldest first, at most `most`; valid until the next
  // call of anything else.
  std::vector<const Operation*> oldest(size_t most) const;
  uint64_t pushed_out() const { return pushed_out_; }
  uint64_t orphans() const { return orphans_; }

 private:
  struct Child {
    EventId parent;
    size_t kernel;  // place in Operation::kernels
  };

  void start_operation(const uint64_t* words);
  void start_kernel(const uint64_t* words);
  void start_proxy_op(const uint64_t* words);
  void stop(const uint64_t* words);
  void stop_kernel_clock(const uint64_t* words);
  Operation* operation(EventId id);
  Operation* parent_of(const uint64_t* words);
  KernelSpan* kernel(EventId id, Operation** owner);
  void make_room();
  bool is_done(const Operation& op, uint64_t quiet_ns) const;
  void forget_children(const Operation& op);

  size_t max_operations_;
  uint32_t kinds_ = 0xffff;
  std::unordered_map<EventId, Operation> operations_;
  std::unordered_map<EventId, Child> children_;
  std::unordered_map<uint32_t, uint64_t> p2p_numbers_;         // by communicator
  std::unordered_map<uint32_t, uint64_t> finalized_at_ticks_;  // communicators that ended
  std::vector<Operation> leaving_;  // pushed out; handed over at the next settle()
  uint64_t pushed_out_ = 0;
  uint64_t orphans_ = 0;
};

}  // namespace lockstep::dumper
