// How far each communicator of this process has come: the operation it issued last, the one that
// began last, the one that ended last, and the oldest that is in flight. Fed on the dump thread
// with every record that is drained, so it must be cheap: an operation costs a few table look-ups
// and waits for the end of the round, to be numbered by its time; a kernel channel or network
// operation costs one look-up each way, everything else is skipped. Asked by the control socket's
// thread at any time; a lock is held for one piece, one round's operations or one copy, and no thread
// of NCCL's ever takes it. Memory is bounded: where a round has too many operations the rest is
// applied as it comes, and where too many are open, the oldest are followed no more, and counted.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/id_map.h"
#include "dumper/drain/overhead.h"
#include "dumper/drain/record_consumer.h"
#include "dumper/feeds/operation_ordinals.h"
#include "dumper/feeds/time_order.h"
#include "dumper/segment/live_comms.h"

namespace lockstep::dumper {

struct CommStanding {
  CommFacts facts;
  OperationMark issued, started, ended;
  OperationMark waiting;         // the oldest in flight, by when it was issued
  uint64_t waiting_started = 0;  // when its first kernel or network operation began; 0 = not yet
  uint32_t waiting_kernels = 0, waiting_network = 0;  // of it: begun and not ended
  uint64_t in_flight = 0;
  uint64_t ended_operations = 0, ended_bytes = 0;  // of messages, as NCCL's tests count them
  uint64_t position = 0;  // collectives called so far, replays of graphs left out
};

class CommProgress : public RecordConsumer {
 public:
  // `overhead` is told how much of each kind waited in memory; it outlives this.
  explicit CommProgress(Overhead& overhead) : overhead_(overhead) {}
  // Any thread: which kinds are recorded from now on. What is not recorded is not waited for.
  void set_kinds(uint32_t kinds) { kinds_.store(kinds, std::memory_order_relaxed); }

  void take(const Piece& piece, const StringSource& strings) override;
  void end_round(const Round& round) override;

  struct Snapshot {
    std::vector<CommStanding> comms;  // those not finalized, by number
    uint64_t complete_ticks = 0;      // every record with fewer ticks is in it
    uint64_t not_followed = 0;        // operations
  };
  // Any thread.
  Snapshot snapshot() const;

  // Any thread, one at a time: how many collectives the program calls on `comm` before a tick that is
  // still to come. calls_before() knows when everything of before is drained, else nothing.
  void count_calls_before(uint32_t comm, uint64_t ticks);
  std::optional<uint64_t> calls_before() const;

 private:
  struct Open {
    EventId call = 0, group = 0, launch = 0;  // launch 0: NCCL has not taken it up
    OperationMark mark;                       // ticks: when it was issued
    uint64_t started_ticks = 0, last_ticks = 0;
    uint64_t call_stop_ticks = 0, launch_stop_ticks = 0;
    uint64_t bytes = 0;  // of its message
    uint32_t comm = 0, generation = 0;
    uint32_t channels = 0, kernels = 0, open_kernels = 0, network = 0, open_network = 0;
    bool used = false, call_seen = false, p2p = false, to_itself = false;
    bool wants_kernel = false, wants_network = false;

    void take_call(const Open& other);
  };
  struct Comm {
    CommStanding standing;
    OperationOrdinals ordinals;
    uint64_t last_ticks = 0;
    uint64_t last_ended_issued_ticks = 0;  // of those that ended, when the last one was issued
  };
  struct CallCount {
    uint32_t comm = kUnknownComm;
    uint64_t before_ticks = 0, calls = 0;
  };
  struct Captured {
    OperationMark mark;
    bool launched = false;
  };

  void apply_held(uint64_t complete_ticks, const StringSource& strings);
  void apply(const uint64_t* words, Tag tag, const StringSource& strings);
  template <typename Record>
  void start_call(const Record& call, uint64_t ticks);
  void count_call(uint32_t comm, uint64_t ticks);
  void start_coll(const uint64_t* words, const StringSource& strings);
  void start_p2p(const uint64_t* words, const StringSource& strings);
  void start_child(const uint64_t* words, bool kernel);
  void stop(EventId id, uint64_t ticks);
  void stop_child(EventId id, uint64_t ticks);
  void apply_comm(const uint64_t* words, const StringSource& strings);

  Open* launched(EventId launch, EventId call, uint64_t ticks);
  Open* replayed(EventId launch, EventId call, uint64_t ticks);
  Open* open_of(uint32_t value);
  uint32_t value_of(const Open* op) const;
  Open* add_open(uint32_t comm, uint64_t ticks);
  void note_issued(Open* op);
  void note_launched(Open* op);
  void note_started(const Open& op);
  static bool ends_now(const Open& op);
  static bool ends_settled(const Open& op, uint64_t quiet_ns);
  bool leaves_unseen(const Open& op, uint64_t quiet_ns);
  void end(Open* op);
  void forget(Open* op);
  void make_room();
  void settle_operations(uint64_t complete_ticks, double ns_per_tick);
  void settle_comms(uint64_t complete_ticks, double ns_per_tick);

  Overhead& overhead_;
  TimeOrder held_;  // the dump thread's alone
  mutable std::mutex mutex_;
  std::atomic<uint32_t> kinds_{0xffff};
  std::map<uint32_t, Comm> comms_;
  std::vector<Open> open_;
  std::vector<uint32_t> free_;
  IdMap launches_, calls_, children_;  // -> place in open_ and its generation
  IdMap open_groups_;
  std::unordered_map<EventId, Captured> captured_;
  CallCount call_count_;
  uint64_t complete_ticks_ = 0, not_followed_ = 0;
  std::array<uint64_t, kKinds + 1> round_bytes_{};  // of records, by kind
};

}  // namespace lockstep::dumper
