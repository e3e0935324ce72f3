// Which kinds are recorded at this moment, and NCCL's live activation mask. Three parties want a
// say: the user (configuration, then the control socket), the overhead budget (holds kinds back)
// and chained plugins (kinds they want and we may not). Every change goes through here and into the
// process's ledger. Any thread but NCCL's callbacks.
//
// Kinds can be lent: recorded besides the others for a limited time. The limit is kept here and not by
// whoever asked, who may be killed meanwhile; what the user wants is not touched, so that what is in
// force afterwards is what was before.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace lockstep::plugin {

class EventSwitch {
 public:
  using Note = std::function<void(const std::string& sentence)>;
  using Changed = std::function<void(uint32_t kinds)>;

  // `known`: the kinds that the library knows by our names; no other is ever asked for.
  // `note` tells the ledger, `changed` whoever else must know.
  void prepare(uint32_t kinds, uint32_t known, Note note, Changed changed);
  // NCCL reads the mask live; the pointer stays valid as long as libnccl is mapped.
  void begin(int32_t* activation_mask);
  // Ends a loan, too.
  void set_kinds(uint32_t kinds, const std::string& by_whom);
  // `kinds` as well, until end_loan() is called with `now_ns` + `lasts_ns` (CLOCK_MONOTONIC) or later.
  // Takes the place of a loan that still lasts.
  void lend(uint32_t kinds, int64_t now_ns, int64_t lasts_ns, const std::string& by_whom);
  // Called every 100 ms. Takes the kinds back when their time is over.
  void end_loan(int64_t now_ns);
  void hold_back(uint32_t kinds, const std::string& why);
  void set_chain_mask(uint32_t kinds);
  // On NCCL's threads: false, and nothing done, when somebody else is changing something.
  bool try_set_chain_mask(uint32_t kinds);

  uint32_t kinds() const;  // recorded now
  uint32_t held_back() const;
  struct Loan {
    uint32_t kinds = 0;   // 0: none
    int64_t ends_ns = 0;  // of CLOCK_MONOTONIC
  };
  Loan loan() const;
  // Runs `body(kinds)` while no change can happen.
  void with_kinds(const std::function<void(uint32_t kinds)>& body) const;

 private:
  uint32_t in_force() const { return (wanted_ | loan_.kinds) & known_ & ~held_back_; }
  void apply();
  void tell(const std::string& what) const;

  mutable std::mutex mutex_;
  Note note_;
  Changed changed_;
  int32_t* mask_ = nullptr;
  uint32_t wanted_ = 0, known_ = 0, held_back_ = 0, chain_ = 0;
  Loan loan_;
};

}  // namespace lockstep::plugin
