#include "test/drivers/simulate/network_records.h"

namespace lockstep::simulate {
namespace {

constexpr int64_t kInProgressNs = 1'200, kCallNs = 60;

// One channel's operation at one end of an edge. The channels' calls follow each other closely.
class Writer {
 public:
  Writer(const EdgeEnd& end, unsigned channel) : end_(end), channel_(channel) {}

  void begin(bool send, uint32_t steps, uint64_t step_bytes) {
    id_ = next(Kind::ProxyOp);
    ProxyOpRecord record;
    record.event_rank = end_.rank;
    record.pid = end_.pid;
    record.peer = end_.peer;
    record.channel = static_cast<uint8_t>(channel_);
    record.is_send = send;
    record.steps = steps;
    record.chunk_size = static_cast<uint32_t>(step_bytes);
    end_.records->start(ticks(end_.posted_ns), id_, end_.operation, record);
    if (!end_.queued) state(end_.posted_ns + kInProgressNs, id_, kProxyOpInProgress);
  }
  EventId begin_step(int64_t at_ns, uint32_t number) {
    const EventId id = next(Kind::ProxyStep);
    ProxyStepRecord record;
    record.event_rank = end_.rank;
    record.step = static_cast<int32_t>(number);
    end_.records->start(ticks(at_ns), id, id_, record);
    return id;
  }
  void state(int64_t at_ns, EventId id, unsigned state) {
    if (happens(at_ns)) end_.records->state(ticks(at_ns), id, state);
  }
  void state(int64_t at_ns, EventId id, unsigned state, uint64_t bytes) {
    if (happens(at_ns)) end_.records->state(ticks(at_ns), id, state, bytes);
  }
  void stop(int64_t at_ns, EventId id) {
    if (happens(at_ns)) end_.records->stop(ticks(at_ns), id);
  }
  void end(int64_t at_ns) { stop(at_ns + kCallNs, id_); }

 private:
  EventId next(Kind kind) { return make_event_id(kind, end_.comm, (*end_.serial)++); }
  uint64_t ticks(int64_t at_ns) const {
    return end_.clock->ticks(at_ns + kCallNs * static_cast<int64_t>(2 * channel_));
  }

  const EdgeEnd& end_;
  const unsigned channel_;
  EventId id_ = 0;
};

}  // namespace

void record_sends(const EdgeEnd& end, const StepTimes* steps, uint32_t count, uint64_t step_bytes,
                  const std::vector<unsigned>& channels) {
  for (unsigned channel : channels) {
    Writer writer(end, channel);
    writer.begin(true, count, step_bytes);
    if (end.queued) continue;
    for (uint32_t i = 0; end.with_steps && i < count && happens(steps[i].posted_ns); ++i) {
      const StepTimes& step = steps[i];
      const EventId id = writer.begin_step(step.posted_ns + kInProgressNs, i);
      writer.state(step.posted_ns + kInProgressNs + kCallNs, id, kSendGpuWait);
      writer.state(step.offered_ns + kCallNs, id, kSendPeerWait);
      writer.state(step.sent_ns + 2 * kCallNs, id, kSendWait, step_bytes);
      writer.stop(step.acknowledged_ns, id);
    }
    writer.end(steps[count - 1].acknowledged_ns);
  }
}

void record_receives(const EdgeEnd& end, const StepTimes* steps, uint32_t count,
                     uint64_t step_bytes, const std::vector<unsigned>& channels) {
  for (unsigned channel : channels) {
    Writer writer(end, channel);
    writer.begin(false, count, step_bytes);
    if (end.queued) continue;
    for (uint32_t i = 0; end.with_steps && i < count && happens(steps[i].awaited_ns); ++i) {
      const StepTimes& step = steps[i];
      const EventId id = writer.begin_step(step.awaited_ns + kInProgressNs, i);
      writer.state(step.awaited_ns + kInProgressNs + kCallNs, id, kRecvWait);
      // The flush takes its time after the proxy has seen the data.
      writer.state(step.flushed_ns - 2 * kCallNs, id, kRecvFlushWait, step_bytes);
      writer.state(step.flushed_ns, id, kRecvGpuWait);
      writer.stop(step.consumed_ns, id);
    }
    writer.end(steps[count - 1].consumed_ns);
  }
}

}  // namespace lockstep::simulate
