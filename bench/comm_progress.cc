// What it costs the dump thread to know where each communicator stands (dumper/feeds/comm_progress.h):
// processor time a record, for operations of 16 kernel channels, where it does most, and for network
// steps, which it passes over.
#include "dumper/feeds/comm_progress.h"

#include <cstdio>
#include <memory>
#include <vector>

#include "base/clock_ns.h"
#include "lockstep/record_fields.h"

namespace lockstep::dumper {
namespace {

constexpr int kRounds = 300;

class Strings : public StringSource {
 public:
  std::string_view text(unsigned) const override { return "ncclFloat32"; }
};

class Stream {
 public:
  template <typename Record>
  EventId start(Record record, EventId parent) {
    record.id = make_event_id(static_cast<Kind>(kTagOf<Record>), 1, serial_++);
    record.parent = parent;
    uint64_t words[Record::kWords] = {make_word0(kTagOf<Record>, ticks_++)};
    record.write(words);
    add(words, Record::kWords);
    return record.id;
  }
  void stop(EventId id) {
    const uint64_t words[] = {make_word0(stop_tag(kind_of(id)), ticks_++), id};
    add(words, 2);
  }
  void state(unsigned state, EventId id) {
    const uint64_t words[] = {make_word0(state_tag(state), ticks_++), id, 0};
    add(words, state_has_argument(state) ? 3 : 2);
  }
  void measure(const char* name) {
    Overhead overhead;
    CommProgress progress(overhead);
    const auto arena = std::make_unique<ArenaHeader>();
    Piece piece;
    piece.words = words_.data();
    piece.bytes = static_cast<uint32_t>(words_.size() * 8);
    const int64_t before_ns = thread_cpu_now_ns();
    for (int i = 0; i < kRounds; ++i) {
      progress.take(piece, Strings());
      Round round;
      round.complete_ticks = ticks_;
      round.now = {ticks_, ticks_, ticks_, ticks_};
      round.arena = arena.get();
      const Strings strings;
      round.strings = &strings;
      progress.end_round(round);
    }
    const auto spent_ns = static_cast<double>(thread_cpu_now_ns() - before_ns);
    std::printf("%-28s %5.1f ns a record\n", name,
                spent_ns / (static_cast<double>(records_) * kRounds));
  }

 private:
  void add(const uint64_t* words, size_t count) {
    words_.insert(words_.end(), words, words + count);
    ++records_;
  }
  std::vector<uint64_t> words_;
  uint64_t serial_ = 1, ticks_ = 1;
  size_t records_ = 0;
};

void operation(Stream* stream, uint64_t sequence) {
  constexpr unsigned kChannels = 16;
  const EventId group = stream->start(GroupApiRecord{}, 0);
  CollApiRecord call;
  call.func = kFirstString;
  const EventId api = stream->start(call, group);
  CollRecord coll;
  coll.func = kFirstString;
  coll.channels = kChannels;
  coll.seq_number = sequence;
  const EventId launch = stream->start(coll, api);
  for (const EventId id : {launch, api, group}) stream->stop(id);
  std::vector<EventId> kernels;
  for (unsigned i = 0; i < kChannels; ++i)
    kernels.push_back(stream->start(KernelChRecord{}, launch));
  for (const EventId id : kernels) {
    stream->state(kKernelChStop, id);
    stream->stop(id);
  }
}

}  // namespace
}  // namespace lockstep::dumper

int main() {
  using namespace lockstep;
  dumper::Stream operations, steps;
  for (uint64_t i = 0; i < 600; ++i) dumper::operation(&operations, i);
  operations.measure("operations, 16 channels");
  for (int i = 0; i < 6000; ++i) {
    const EventId step = steps.start(ProxyStepRecord{}, make_event_id(Kind::ProxyOp, 1, 1));
    for (const unsigned state : {kSendPeerWait, kSendWait}) steps.state(state, step);
    steps.stop(step);
  }
  steps.measure("network steps");
  return 0;
}
