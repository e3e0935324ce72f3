// Which kinds are recorded at this moment, and NCCL's live activation mask. Three parties want a
// say: the user (configuration, then the control socket), the overhead budget (holds kinds back)
// and chained plugins (kinds they want and we may not). Every change goes through here and into the
// process's ledger. Any thread but NCCL's callbacks.
//
// The user may want the deep kinds of one operation in so many only (OperationSampling). Whoever asks
// for deep kinds besides, by a loan or a capture, has them of every operation for so long.
//
// Kinds can be lent: recorded besides the others for a limited time. The limit is kept here and not by
// whoever asked, who may be killed meanwhile; what the user wants is not touched, so that what is in
// force afterwards is what was before. A capture adds kinds likewise, from one operation to another:
// NCCL's own threads switch its mask then (capture_watch.h), to what is computed here. The overhead
// budget holds back lent and captured kinds like any others; `events` changes what is recorded
// outside the capture and leaves it alone.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "dumper/options/event_mask.h"

namespace lockstep::plugin {

class EventSwitch {
 public:
  using Note = std::function<void(const std::string& sentence)>;
  using Changed = std::function<void(uint32_t kinds)>;

  // `known`: the kinds that the library knows by our names; no other is ever asked for.
  // `note` tells the ledger, `changed` whoever else must know.
  void prepare(dumper::EventChoice choice, uint32_t known, Note note, Changed changed);
  // NCCL reads the mask live; the pointer stays valid as long as libnccl is mapped.
  void begin(int32_t* activation_mask);
  // The mask is left alone from here on: whoever owned it may be gone.
  void end();
  // Ends a loan, too.
  void set_kinds(dumper::EventChoice choice, const std::string& by_whom);
  // `kinds` as well, until end_loan() is called with `now_ns` + `lasts_ns` (CLOCK_MONOTONIC) or later.
  // Takes the place of a loan that still lasts.
  void lend(uint32_t kinds, int64_t now_ns, int64_t lasts_ns, const std::string& by_whom);
  // Called every 100 ms. Takes the kinds back when their time is over.
  void end_loan(int64_t now_ns);
  // What a capture adds while capture_watch is in a phase that is_wide(). `watched`: kinds that NCCL is
  // asked for and that watched_start() sees, recorded or not; and Recorder::kWatchSteps.
  void set_captured(uint32_t kinds, uint32_t watched);
  // Of these kinds, what comes late of the capture's operations is recorded although NCCL is not asked
  // for them any more; 0 ends that.
  void keep_late(uint32_t kinds);
  // Puts right what NCCL's threads may have switched while something else changed. Every few
  // milliseconds while there is a capture.
  void refresh();
  // What NCCL's threads switched becomes known to everyone, with a note, unless it is empty.
  void note_capture(const std::string& what);
  void hold_back(uint32_t kinds, const std::string& why);
  void set_chain_mask(uint32_t kinds);
  // On NCCL's threads: false, and nothing done, when somebody else is changing something.
  bool try_set_chain_mask(uint32_t kinds);

  uint32_t kinds() const;   // recorded now
  uint32_t one_in() const;  // of so many operations the deep ones among them
  uint32_t kinds_outside_captures() const;
  // True where the kind was recorded ever since the first communicator began, captures left out.
  bool was_always_on(uint32_t kinds) const;
  uint32_t held_back() const;
  struct Loan {
    uint32_t kinds = 0;   // 0: none
    int64_t ends_ns = 0;  // of CLOCK_MONOTONIC
  };
  Loan loan() const;
  // Runs `body(kinds)` with kinds that stay recorded meanwhile.
  void with_kinds(const std::function<void(uint32_t kinds)>& body) const;

 private:
  uint32_t allowed(uint32_t kinds) const { return kinds & known_ & ~held_back_; }
  uint32_t outside_capture() const { return allowed(wanted_ | loan_.kinds); }
  uint32_t in_force() const;
  bool wants_all(uint32_t kinds_besides) const;
  uint32_t share_in_force() const;
  void apply();
  void put_in_force(bool open_gate);
  void refresh_locked();
  void tell(const std::string& what) const;

  mutable std::mutex mutex_;
  Note note_;
  Changed changed_;
  int32_t* mask_ = nullptr;
  uint32_t wanted_ = 0, one_in_ = 1, known_ = 0, held_back_ = 0, chain_ = 0;
  uint32_t captured_ = 0, watched_ = 0, late_ = 0, always_on_ = ~0u;
  Loan loan_;
};

}  // namespace lockstep::plugin
