#include "plugin/record/capture_watch.h"

#include "plugin/record/recorder.h"

namespace lockstep::plugin {

CaptureWatch capture_watch;

namespace {

constexpr unsigned kWordBits = 16;
constexpr uint64_t kWordMask = 0xffff;

}  // namespace

bool CaptureWatch::go(uint64_t* word, CapturePhase to) {
  const uint64_t next = (*word & ~uint64_t{0xff}) | static_cast<uint64_t>(to);
  if (!word_.compare_exchange_strong(*word, next, std::memory_order_seq_cst)) return false;
  *word = next;
  return true;
}

// A change of what is in force that comes between these lines is put right by EventSwitch::refresh().
void CaptureWatch::apply(bool wide) {
  const uint64_t words = in_force_.load(std::memory_order_seq_cst);
  int32_t* const mask = mask_.load(std::memory_order_relaxed);
  const uint64_t to_nccl = wide ? words >> kWordBits : words >> 2 * kWordBits;
  // The gate closes later than the mask: not here.
  if (wide) recorder.change_kinds(static_cast<uint32_t>(words & kWordMask));
  if (mask != nullptr)
    __atomic_store_n(mask, static_cast<int32_t>(to_nccl & kWordMask), __ATOMIC_RELAXED);
}

// Of two that stop it at once, one will have said when.
void CaptureWatch::propose_stop(uint64_t ticks) {
  uint64_t none = 0;
  stop_ticks_.compare_exchange_strong(none, ticks, std::memory_order_relaxed);
}

// Calls on one communicator come one after the other, whatever their threads.
void CaptureWatch::call(uint32_t comm, uint64_t ticks) {
  uint64_t word = word_.load(std::memory_order_seq_cst);
  if (rule_of(word) != CaptureRule::Position || comm != comm_.load(std::memory_order_relaxed) ||
      ticks < from_ticks_.load(std::memory_order_relaxed))
    return;
  const uint64_t n = calls_.fetch_add(1, std::memory_order_seq_cst) + 1;
  const uint64_t open_at = open_at_.load(std::memory_order_seq_cst);
  if (open_at == kUnknown || n < open_at) return;
  const uint64_t count = count_.load(std::memory_order_relaxed);
  if (n == open_at && phase_of(word) == CapturePhase::Armed && go(&word, CapturePhase::Open))
    return apply(true);
  if (n == open_at + 1 && phase_of(word) == CapturePhase::Open) {
    start_ticks_.store(ticks, std::memory_order_relaxed);
    if (!go(&word, CapturePhase::Started)) return;
  }
  if (n == open_at + count && phase_of(word) == CapturePhase::Started) {
    if (go(&word, CapturePhase::Closed)) apply(false);
  } else if (n == open_at + count + 1 && phase_of(word) == CapturePhase::Closed) {
    propose_stop(ticks);
    go(&word, CapturePhase::Stopped);
  }
}

// The mark comes before the step's calls: here nothing has to be known a call ahead.
void CaptureWatch::step_begin(uint64_t step) {
  last_step_.store(step, std::memory_order_relaxed);
  uint64_t word = word_.load(std::memory_order_seq_cst);
  if (rule_of(word) != CaptureRule::Step) return;
  uint64_t first = first_step_.load(std::memory_order_relaxed);
  if (phase_of(word) == CapturePhase::Armed) {
    if (first == kUnknown) first_step_.store(first = step, std::memory_order_relaxed);
    if (step > first) {
      go(&word, CapturePhase::Late);
    } else if (step == first) {
      start_ticks_.store(now_ticks(), std::memory_order_relaxed);
      if (go(&word, CapturePhase::Started)) apply(true);
    }
  } else if (phase_of(word) == CapturePhase::Started &&
             step - first >= count_.load(std::memory_order_relaxed)) {
    propose_stop(now_ticks());
    if (go(&word, CapturePhase::Stopped)) apply(false);
  }
}

void CaptureWatch::step_end(uint64_t step) {
  uint64_t word = word_.load(std::memory_order_seq_cst);
  if (rule_of(word) != CaptureRule::Step || phase_of(word) != CapturePhase::Started) return;
  if (step + 1 - first_step_.load(std::memory_order_relaxed) !=
      count_.load(std::memory_order_relaxed))
    return;
  propose_stop(now_ticks());
  if (go(&word, CapturePhase::Stopped)) apply(false);
}

bool CaptureWatch::capture_start() {
  uint64_t word = word_.load(std::memory_order_seq_cst);
  const uint64_t ticks = now_ticks();
  if (phase_of(word) != CapturePhase::None ||
      ticks < program_from_ticks_.load(std::memory_order_relaxed))
    return false;
  const uint64_t rule = static_cast<uint64_t>(CaptureRule::Program) << kRuleShift;
  const uint64_t next =
      ((word >> kAgeShift) + 1) << kAgeShift | rule | static_cast<uint64_t>(CapturePhase::Started);
  if (!word_.compare_exchange_strong(word, next, std::memory_order_seq_cst)) return false;
  start_ticks_.store(ticks, std::memory_order_relaxed);
  apply(true);
  return true;
}

bool CaptureWatch::capture_stop() {
  uint64_t word = word_.load(std::memory_order_seq_cst);
  if (rule_of(word) != CaptureRule::Program || phase_of(word) != CapturePhase::Started)
    return false;
  propose_stop(now_ticks());
  if (!go(&word, CapturePhase::Stopped)) return false;
  apply(false);
  return true;
}

bool CaptureWatch::arm(CaptureRule rule) {
  uint64_t word = word_.load(std::memory_order_seq_cst);
  if (phase_of(word) != CapturePhase::None) return false;
  const uint64_t next = ((word >> kAgeShift) + 1) << kAgeShift |
                        static_cast<uint64_t>(rule) << kRuleShift |
                        static_cast<uint64_t>(CapturePhase::Armed);
  return word_.compare_exchange_strong(word, next, std::memory_order_seq_cst);
}

bool CaptureWatch::arm_position(uint32_t comm, uint64_t from_ticks) {
  comm_.store(comm, std::memory_order_relaxed);
  from_ticks_.store(from_ticks, std::memory_order_relaxed);
  calls_.store(0, std::memory_order_seq_cst);
  open_at_.store(kUnknown, std::memory_order_seq_cst);
  return arm(CaptureRule::Position);
}

// Either the call sees its number here, or this sees that it has been: both are told in one order.
bool CaptureWatch::open_after(uint64_t open_at, uint64_t count) {
  count_.store(count, std::memory_order_relaxed);
  open_at_.store(open_at, std::memory_order_seq_cst);
  if (calls_.load(std::memory_order_seq_cst) < open_at) return true;
  uint64_t word = word_.load(std::memory_order_seq_cst);
  return phase_of(word) != CapturePhase::Armed || !go(&word, CapturePhase::Late);
}

bool CaptureWatch::arm_step(uint64_t first, uint64_t count) {
  count_.store(count, std::memory_order_relaxed);
  first_step_.store(first, std::memory_order_relaxed);
  return arm(CaptureRule::Step);
}

bool CaptureWatch::arm_instant() { return arm(CaptureRule::Instant); }

bool CaptureWatch::start_now() {
  uint64_t word = word_.load(std::memory_order_seq_cst);
  if (phase_of(word) != CapturePhase::Armed) return false;
  start_ticks_.store(now_ticks(), std::memory_order_relaxed);
  if (!go(&word, CapturePhase::Started)) return false;
  apply(true);
  return true;
}

bool CaptureWatch::stop_now() {
  uint64_t word = word_.load(std::memory_order_seq_cst);
  while (phase_of(word) == CapturePhase::Started || phase_of(word) == CapturePhase::Closed) {
    propose_stop(now_ticks());
    if (!go(&word, CapturePhase::Stopped)) continue;
    apply(false);
    return true;
  }
  return false;
}

bool CaptureWatch::cancel_now() { return give_up(CapturePhase::Cancelled); }

bool CaptureWatch::late_now() { return give_up(CapturePhase::Late); }

bool CaptureWatch::give_up(CapturePhase phase) {
  uint64_t word = word_.load(std::memory_order_seq_cst);
  while (phase_of(word) == CapturePhase::Armed || phase_of(word) == CapturePhase::Open) {
    if (!go(&word, phase)) continue;
    apply(false);
    return true;
  }
  return false;
}

void CaptureWatch::clear(uint64_t program_from_ticks) {
  if (program_from_ticks != 0)
    program_from_ticks_.store(program_from_ticks, std::memory_order_relaxed);
  start_ticks_.store(0, std::memory_order_relaxed);
  stop_ticks_.store(0, std::memory_order_relaxed);
  last_step_.store(kUnknown, std::memory_order_relaxed);
  const uint64_t age = word_.load(std::memory_order_seq_cst) >> kAgeShift;
  word_.store((age + 1) << kAgeShift, std::memory_order_seq_cst);
}

void CaptureWatch::set_in_force(const InForce& words, int32_t* mask) {
  mask_.store(mask, std::memory_order_relaxed);
  in_force_.store(uint64_t{words.kinds} | uint64_t{words.wide_mask} << kWordBits |
                      uint64_t{words.narrow_mask} << 2 * kWordBits,
                  std::memory_order_seq_cst);
}

}  // namespace lockstep::plugin
