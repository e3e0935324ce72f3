#include "dumper/feeds/live_view.h"

#include <algorithm>

#include "lockstep/message_size.h"

namespace lockstep::dumper {
namespace {

// Some 300 bytes each, with their channels.
constexpr size_t kMostOperations = size_t{64} * 1024;

}  // namespace

LiveView::LiveView() : in_flight_(kMostOperations) {}

void LiveView::take(const Piece& piece, const StringSource& strings) {
  in_flight_.set_kinds(kinds_.load(std::memory_order_relaxed));
  for_each_record(piece, [&](const uint64_t* words, Tag tag) {
    if (is_comm(tag)) apply_comm(words, strings);
    if (is_state(tag)) waits_.apply(words, tag);
    in_flight_.apply(words, tag);
  });
}

void LiveView::apply_comm(const uint64_t* words, const StringSource& strings) {
  LiveComms::Names names;
  const unsigned name = LiveComms::name_in(words);
  if (name >= kFirstString) names.emplace_back(name, std::string(strings.text(name)));
  comms_.apply(words, names);
}

void LiveView::hand_over(const Operation& op, const ChunkClock& clock,
                         const StringSource& strings) {
  DoneOperation done;
  done.op = &op;
  const auto comm = comms_.all().find(comm_of(op.id));
  done.comm = comm != comms_.all().end() ? &comm->second : &unknown_comm_;
  done.func = strings.text(op.func);
  done.datatype = strings.text(op.datatype);
  done.algo = strings.text(op.algo);
  done.proto = strings.text(op.proto);
  done.message_bytes = datatype_bytes(done.datatype) * op.count;
  done.timing = timing_of(op, clock);
  done.exec_us = done.timing.exec_ns / 1000;
  done.bandwidth = bandwidth_of(done.func, done.message_bytes, done.comm->ranks, done.exec_us);
  for (const auto& sink : sinks_) sink->done(done, clock);
}

void LiveView::end_round(const Round& round) {
  const ChunkClock clock = clock_of(round);
  const double tick_ns = ns_per_tick(clock);
  in_flight_.settle(round.complete_ticks, tick_ns, round.final,
                    [&](const Operation& op) { hand_over(op, clock, *round.strings); });
  LiveState state;
  state.round = &round;
  state.clock = &clock;
  state.comms = &comms_;
  state.operations_pushed_out = in_flight_.pushed_out();
  state.send_wait_ns = static_cast<double>(waits_.send_ticks()) * tick_ns;
  state.receive_wait_ns = static_cast<double>(waits_.recv_ticks()) * tick_ns;
  for (const Operation* op : in_flight_.oldest(kMostOperations)) {
    ++state.in_flight[comm_of(op->id)];
    state.oldest_start_ticks = std::min(state.oldest_start_ticks, op->start_ticks);
  }
  for (const auto& sink : sinks_) sink->end_round(state);
}

}  // namespace lockstep::dumper
