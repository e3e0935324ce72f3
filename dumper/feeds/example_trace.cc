#include "dumper/feeds/example_trace.h"

#include <algorithm>
#include <cstdio>

namespace lockstep::dumper {
namespace {

// Some 200 bytes each.
constexpr size_t kMostOpenEvents = size_t{256} * 1024;
constexpr size_t kMostStates = 8;

}  // namespace

ExampleTrace::ExampleTrace(std::string prefix, uint32_t pid, Log log)
    : prefix_(std::move(prefix)), pid_(pid), log_(std::move(log)) {}

void ExampleTrace::apply_comm(const uint64_t* words, Tag tag, const StringSource& strings) {
  LiveComms::Names names;
  const unsigned name = LiveComms::name_in(words);
  if (name >= kFirstString) names.emplace_back(name, std::string(strings.text(name)));
  if (tag == kCommInitTag) first_init_ticks_ = std::min(first_init_ticks_, ticks_of(words[0]));
  comms_.apply(words, names);
}

void ExampleTrace::take(const Piece& piece, const StringSource& strings) {
  for_each_record(piece, [&](const uint64_t* words, Tag tag) {
    if (is_comm(tag)) return apply_comm(words, tag, strings);
    if (is_mark(tag)) return;
    const EventId id = EventRecord::read(words).id;
    if (is_start(tag)) {
      if (open_.size() >= kMostOpenEvents) {
        ++left_out_;
        return;
      }
      ExampleEvent& event = open_[id];
      std::copy(words, words + kRecordShapes[tag].words, event.words);
      return;
    }
    const auto found = open_.find(id);
    if (found == open_.end()) return;
    ExampleEvent& event = found->second;
    if (is_state(tag)) {
      const unsigned number = tag - kStateTag;
      if (event.states.size() < kMostStates)
        event.states.push_back(
            {number, ticks_of(words[0]),
             state_has_argument(number) ? StateRecord::read(words).argument : 0});
      return;
    }
    event.stop_ticks = ticks_of(words[0]);
    ended_.push_back(std::move(event));
    open_.erase(found);
  });
}

LineFile* ExampleTrace::file_of(uint32_t comm) {
  const auto found = files_.find(comm);
  if (found != files_.end()) return found->second.get();
  const auto facts = comms_.all().find(comm);
  if (facts == comms_.all().end()) return nullptr;
  auto file = std::make_unique<LineFile>(prefix_ + "_" + std::to_string(facts->second.id) + "_" +
                                             std::to_string(facts->second.rank) + ".json",
                                         "[");
  return (files_[comm] = std::move(file)).get();
}

void ExampleTrace::write(const ExampleEvent& event, const Round& round, const ChunkClock& clock) {
  LineFile* file = file_of(comm_of(event.id()));
  if (file == nullptr) {
    ++left_out_;  // another process's, or after its communicator's file was closed
    return;
  }
  ExampleEventContext context;
  context.pid = pid_;
  context.clock = &clock;
  context.zero_raw_ns = clock.raw_ns(first_init_ticks_);
  context.strings = round.strings;
  const auto comm = comms_.all().find(comm_of(event.id()));
  if (comm != comms_.all().end()) context.comm_hash = comm->second.id;
  for (const std::string& line : example_lines(event, context)) file->add(line + ",");
}

void ExampleTrace::end_round(const Round& round) {
  const ChunkClock clock = clock_of(round);
  for (const ExampleEvent& event : ended_) write(event, round, clock);
  ended_.clear();
  Status status;
  for (auto& [comm, file] : files_) {
    if (file == nullptr) continue;
    if (round.final) file->add("{}]");
    if (const Status flushed = file->flush(); !flushed.ok()) status = flushed;
    if (round.final) file.reset();
  }
  if (!status.ok() && !failing_) log_(status.message());
  failing_ = !status.ok();
  if (!round.final) return;
  left_out_ += open_.size();
  open_.clear();
  if (left_out_ != 0)
    log_("the trace of NCCL_PROFILE_DUMP_FILE is without " + std::to_string(left_out_) +
         " events that never ended or belong to other processes; the segments have them");
  left_out_ = 0;
}

}  // namespace lockstep::dumper
