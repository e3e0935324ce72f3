#include "plugin/process/control_answers.h"

#include <cinttypes>
#include <cstdio>

#include "base/json.h"
#include "dumper/options/event_mask.h"
#include "dumper/segment/arena_strings.h"
#include "plugin/record/tick_clock.h"

namespace lockstep::plugin {
namespace {

// From ticks to ages, by the clock of the moment of asking.
class Ages {
 public:
  explicit Ages(const ArenaHeader& arena) : now_(take_anchor()) {
    dumper::Round round;
    round.arena = &arena;
    round.now = now_;
    clock_ = dumper::clock_of(round);
  }
  uint64_t of(uint64_t ticks) const {
    const uint64_t raw_ns = clock_.raw_ns(ticks);
    return raw_ns < now_.raw_ns ? now_.raw_ns - raw_ns : 0;
  }
  uint64_t real_ns() const { return now_.real_ns; }

 private:
  Anchor now_;
  dumper::ChunkClock clock_;
};

void put_null(JsonFields& out, const char* key) {
  put_key(&out.writer(), key);
  out.writer().Null();
}

void put_mark(JsonFields& out, const dumper::OperationMark& mark,
              const dumper::ArenaStrings& strings, const Ages& ages) {
  out.string("func", strings.text(mark.func));
  mark.ordinal >= 0 ? out.number("ordinal", mark.ordinal) : put_null(out, "ordinal");
  if (mark.peer >= 0) out.number("peer", mark.peer);
  out.number("collectives", mark.collectives);
  out.number("age_ns", ages.of(mark.ticks));
}

void put_marked(JsonFields& out, const char* key, const dumper::OperationMark& mark,
                const dumper::ArenaStrings& strings, const Ages& ages) {
  if (mark.ticks == 0) return put_null(out, key);
  out.object(key, [&] { put_mark(out, mark, strings, ages); });
}

void put_standing(JsonFields& out, const dumper::CommStanding& standing,
                  const dumper::ArenaStrings& strings, const Ages& ages) {
  const dumper::CommFacts& facts = standing.facts;
  char id[24];
  std::snprintf(id, sizeof id, "0x%" PRIx64, facts.id);
  out.object([&] {
    out.number("comm", facts.comm);
    out.string("id", id);
    out.string("name", facts.name);
    out.number("rank", facts.rank);
    out.number("ranks", facts.ranks);
    out.number("position", standing.position);
    put_marked(out, "issued", standing.issued, strings, ages);
    put_marked(out, "started", standing.started, strings, ages);
    put_marked(out, "ended", standing.ended, strings, ages);
    out.number("ended_operations", standing.ended_operations);
    out.number("ended_bytes", standing.ended_bytes);
    out.number("in_flight", standing.in_flight);
    if (standing.in_flight == 0) return put_null(out, "waiting");
    out.object("waiting", [&] {
      put_mark(out, standing.waiting, strings, ages);
      if (standing.waiting_started != 0)
        out.number("started_age_ns", ages.of(standing.waiting_started));
      else
        put_null(out, "started_age_ns");
      out.number("open_kernels", standing.waiting_kernels);
      out.number("open_network", standing.waiting_network);
    });
  });
}

void put_process(JsonFields& out, const ArenaHeader& arena) {
  out.string("host", arena.host);
  out.number("pid", arena.pid);
  out.string("run_directory", arena.run_dir);
}

void put_memory(JsonFields& out, const dumper::Overhead& overhead, const StatusFacts& facts) {
  const auto relaxed = std::memory_order_relaxed;
  out.object("memory", [&] {
    out.number("in_use_bytes", facts.blocks_in_use * kBlockBytes);
    out.number("high_water_bytes",
               std::max<uint64_t>(overhead.memory_high_water_bytes.load(relaxed),
                                  facts.blocks_in_use * kBlockBytes));
    out.number("reserved_bytes", facts.blocks_reserved * kBlockBytes + kFirstBlockOffset);
    out.number("cap_bytes", facts.max_blocks * kBlockBytes);
    out.object("most_waiting_bytes", [&] {
      for (unsigned kind = 0; kind <= kKinds; ++kind) {
        const uint64_t bytes = overhead.most_waiting_bytes[kind].load(relaxed);
        if (bytes != 0) out.number(kKindNames[kind], bytes);
      }
    });
  });
}

}  // namespace

std::string status_answer(const ArenaHeader& arena, const dumper::Overhead& overhead,
                          const StatusFacts& facts) {
  const auto relaxed = std::memory_order_relaxed;
  uint64_t not_recorded = 0;
  for (const LossEntry& entry : arena.losses) not_recorded += entry.count.load(relaxed);
  const auto now_ns = static_cast<uint64_t>(raw_now_ns());
  const dumper::DumpThread::Written& written = facts.written;
  JsonFields out;
  out.object([&] {
    put_process(out, arena);
    out.string("events", dumper::event_names(facts.kinds, facts.one_in));
    out.string("held_back", dumper::event_names(facts.held_back));
    if (facts.lent != 0) {
      out.string("lent", dumper::event_names(facts.lent));
      out.number("lent_left_ns", facts.lent_left_ns);
    }
    out.number("interval_us", facts.interval_us);
    out.number("records_written", facts.records_written);
    out.number("calls_not_recorded", not_recorded);
    out.number("communicators_begun", uint64_t{arena.next_comm.load(relaxed) - 1});
    out.object("overhead", [&] {
      out.number("elapsed_ns", overhead.elapsed_ns.load(relaxed));
      out.number("callbacks_ns", overhead.callbacks_ns.load(relaxed));
      out.number("threads_ns", overhead.threads_ns.load(relaxed));
    });
    put_memory(out, overhead, facts);
    out.number("bytes_written", written.bytes);
    out.number("bytes_on_disk", written.bytes_on_disk);
    if (written.bytes_per_hour != 0)
      out.number("bytes_per_hour", written.bytes_per_hour);
    else
      put_null(out, "bytes_per_hour");
    if (written.complete_raw_ns != 0)
      out.number("lag_ns",
                 now_ns > written.complete_raw_ns ? now_ns - written.complete_raw_ns : uint64_t{0});
    else
      put_null(out, "lag_ns");
  });
  return std::string(out.text());
}

std::string progress_answer(const ArenaHeader& arena,
                            const dumper::CommProgress::Snapshot& progress, bool flushed,
                            bool behind) {
  const dumper::ArenaStrings strings(arena);
  const Ages ages(arena);
  JsonFields out;
  out.object([&] {
    put_process(out, arena);
    out.boolean("flushed", flushed);
    out.boolean("cannot_write", behind);
    out.number("asked_real_ns", ages.real_ns());
    out.number("known_until_age_ns", ages.of(progress.complete_ticks));
    out.number("not_followed", progress.not_followed);
    out.list("communicators", progress.comms, [&](const dumper::CommStanding& standing) {
      put_standing(out, standing, strings, ages);
    });
  });
  return std::string(out.text());
}

}  // namespace lockstep::plugin
