// The part of a capture that happens on NCCL's and the program's own threads: noticing that its place
// has come, and switching there and then. No lock, no allocation, no system call; while nothing is
// armed none of this is reached. plugin/capture/capture.h arms it, and settles afterwards what
// may take time (notes, limits).
//
// NCCL reads its activation mask once for each call of its interface, before it tells us of the call,
// and keeps what it read for the operation's whole life. So for operation FROM to be the first complete
// one, the mask is widened inside the call before it, and narrowed again inside the last call of
// the capture. What NCCL tells later of operations under way is still recorded: the recorder's gate
// stays open longer than the mask (EventSwitch). Exceptions, as NCCL reads the mask at the event there:
// ProxyCtrl, and the events of copy-engine collectives (CeColl, CeSync, CeBatch), which may begin
// with the call before FROM.
#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep::plugin {

enum class CapturePhase : uint8_t {
  None,
  Armed,
  Open,     // the mask is wide; the first call of the capture is the next one
  Started,  // that call has come
  Closed,   // the mask is narrow again; the last call of the capture was the last one
  Stopped,  // the call after it has come, or the time is over
  Late,
  Cancelled,
};
enum class CaptureRule : uint8_t { None, Position, Instant, Step, Program };

constexpr bool is_wide(CapturePhase phase) {
  return phase == CapturePhase::Open || phase == CapturePhase::Started;
}

class CaptureWatch {
 public:
  static constexpr uint64_t kUnknown = ~uint64_t{0};

  // ---- NCCL's threads ----

  // A collective was called. `ticks`: its record's.
  void call(uint32_t comm, uint64_t ticks);
  // Marks of the program. capture_start() is false where nothing is switched: another capture is
  // there, or the last one was a moment ago.
  void step_begin(uint64_t step);
  void step_end(uint64_t step);
  bool capture_start();
  bool capture_stop();

  // ---- One other thread at a time (plugin/capture/capture.h holds a lock) ----

  // arm_...() is false where the program has begun a capture meanwhile.
  // Begins watching for calls of `comm`. Those of records with fewer ticks than `from_ticks` are not
  // counted; nothing is switched before open_after().
  bool arm_position(uint32_t comm, uint64_t from_ticks);
  // Widens the mask in counted call `open_at` and narrows it in the `count`th after that. False:
  // that call has been, and the capture is late.
  bool open_after(uint64_t open_at, uint64_t count);
  // `first` = kUnknown: the next step that begins.
  bool arm_step(uint64_t first, uint64_t count);
  bool arm_instant();
  // By time or by word. False: the phase is another one by now.
  bool start_now();
  bool stop_now();    // what has started
  bool cancel_now();  // what has not started
  bool late_now();    // likewise
  // So that the next one can be armed. capture_start() is refused before
  // `program_from_ticks`; 0 leaves that as it is.
  void clear(uint64_t program_from_ticks);

  uint64_t word() const { return word_.load(std::memory_order_seq_cst); }
  CapturePhase phase() const { return phase_of(word_.load(std::memory_order_seq_cst)); }
  CaptureRule rule() const { return rule_of(word_.load(std::memory_order_seq_cst)); }
  uint64_t calls() const { return calls_.load(std::memory_order_seq_cst); }
  uint64_t last_step() const { return last_step_.load(std::memory_order_relaxed); }  // or kUnknown
  uint64_t first_step() const { return first_step_.load(std::memory_order_relaxed); }
  // Of records; 0 = not yet.
  uint64_t start_ticks() const { return start_ticks_.load(std::memory_order_relaxed); }
  uint64_t stop_ticks() const { return stop_ticks_.load(std::memory_order_relaxed); }

  static CapturePhase phase_of(uint64_t word) { return static_cast<CapturePhase>(word & 0xff); }

  // What is to be in force, told by EventSwitch: kinds for the recorder during the capture, bits of
  // NCCL's mask during it and outside it.
  struct InForce {
    uint16_t kinds = 0, wide_mask = 0, narrow_mask = 0;
  };
  void set_in_force(const InForce& words, int32_t* mask);

 private:
  static constexpr unsigned kRuleShift = 8, kAgeShift = 16;
  static CaptureRule rule_of(uint64_t word) {
    return static_cast<CaptureRule>(word >> kRuleShift & 0xff);
  }
  bool go(uint64_t* word, CapturePhase to);
  bool arm(CaptureRule rule);
  void apply(bool wide);
  void propose_stop(uint64_t ticks);
  bool give_up(CapturePhase phase);

  // Age of the capture, rule, phase: whoever is late by a whole capture changes nothing.
  std::atomic<uint64_t> word_{0};
  std::atomic<uint32_t> comm_{0};
  std::atomic<uint64_t> from_ticks_{0}, calls_{0}, open_at_{kUnknown}, count_{0};
  std::atomic<uint64_t> first_step_{kUnknown}, last_step_{kUnknown};
  std::atomic<uint64_t> start_ticks_{0}, stop_ticks_{0};
  std::atomic<uint64_t> program_from_ticks_{0};
  std::atomic<uint64_t> in_force_{0};  // InForce, 16 bits each
  std::atomic<int32_t*> mask_{nullptr};
};

// One per process, as the recorder is.
extern CaptureWatch capture_watch;

}  // namespace lockstep::plugin
