// The records of one thread of a simulated process, in the words that the plugin would have written:
// record_fields.h gives their shape. Ticks may come out of order; until() gives what the thread's
// blocks hold. One thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/record_shape.h"
#include "test/drivers/simulate/packed_words.h"

namespace lockstep::simulate {

class ThreadRecords {
 public:
  // `room`: the words that all threads together may still take. Without room it packs what it has.
  explicit ThreadRecords(size_t* room) : room_(room) {}

  template <class Record>
  void start(uint64_t ticks, EventId id, EventId parent, Record record) {
    record.id = id;
    record.parent = parent;
    record.write(add(kTagOf<Record>, ticks, Record::kWords));
  }
  void state(uint64_t ticks, EventId id, unsigned state) {
    add(state_tag(state), ticks, 2)[1] = id;
  }
  void state(uint64_t ticks, EventId id, unsigned state, uint64_t argument) {
    uint64_t* const words = add(state_tag(state), ticks, 3);
    words[1] = id;
    words[2] = argument;
  }
  void stop(uint64_t ticks, EventId id) { add(stop_tag(kind_of(id)), ticks, 2)[1] = id; }
  template <class Record>
  void communicator(uint64_t ticks, const Record& record) {
    record.write(add(kTagOf<Record>, ticks, Record::kWords));
  }

  // Sorted by time, without what came after last_ticks; records of one tick keep their order.
  const std::vector<uint64_t>& until(uint64_t last_ticks);
  // Forgets what comes after last_ticks.
  void cut(uint64_t last_ticks);

 private:
  // `visit` gets the first word of each record and their number.
  template <class Visit>
  void for_each(Visit visit) const {
    const uint64_t* const end = words_.data() + words_.size();
    for (const uint64_t* at = words_.data(); at != end;) {
      const unsigned words = kRecordShapes[tag_of(*at)].words;
      visit(at, words);
      at += words;
    }
  }
  uint64_t* add(Tag tag, uint64_t ticks, unsigned count) {
    sorted_ = sorted_ && last_ticks_ <= ticks;
    last_ticks_ = ticks;
    if (words_.size() + count > words_.capacity()) make_room();
    const size_t first = words_.size();
    words_.resize(first + count);
    words_[first] = make_word0(tag, ticks);
    return words_.data() + first;
  }

  void make_room();

  size_t* room_;
  PackedWords packed_;  // what came before words_
  std::vector<uint64_t> words_, ordered_;
  uint64_t last_ticks_ = 0;  // of the record added last
  bool sorted_ = true;
};

}  // namespace lockstep::simulate
