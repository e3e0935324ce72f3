#include "dumper/feeds/example_trace.h"

#include <algorithm>
#include <cstdio>

#include "dumper/feeds/example_event.h"

namespace lockstep::dumper {
namespace {

// Some 200 bytes each.
constexpr size_t kMostOpen = size_t{256} * 1024;
constexpr size_t kMostStates = 8;

}  // namespace

ExampleTrace::ExampleTrace(std::string prefix, uint32_t pid, Log log)
    : prefix_(std::move(prefix)), pid_(pid), log_(std::move(log)) {}

void ExampleTrace::apply_comm(const uint64_t* words, Tag tag, const StringSource& strings) {
  LiveComms::Names names;
  if (tag == kCommInitTag && words[4] >> 48 >= kFirstString) {
    const auto number = static_cast<uint32_t>(words[4] >> 48);
    names.emplace_back(number, std::string(strings.text(number)));
  }
  if (tag == kCommInitTag) first_init_ticks_ = std::min(first_init_ticks_, ticks_of(words[0]));
  comms_.apply(words, names);
}

void ExampleTrace::take(const Piece& piece, const StringSource& strings) {
  for_each_record(piece, [&](const uint64_t* words, Tag tag) {
    if (tag >= kCommInitTag) return apply_comm(words, tag, strings);
    if (is_start(tag)) {
      if (open_.size() >= kMostOpen) {
        ++left_out_;
        return;
      }
      Event& event = open_[words[1]];
      std::copy(words, words + kRecordShapes[tag].words, event.words);
      return;
    }
    const auto found = open_.find(words[1]);
    if (found == open_.end()) return;
    Event& event = found->second;
    if (is_state(tag)) {
      const unsigned number = tag - kStateTag;
      if (event.states.size() < kMostStates)
        event.states.push_back(
            {number, ticks_of(words[0]), state_has_argument(number) ? words[2] : 0});
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

void ExampleTrace::write(const Event& event, const Round& round, const ChunkClock& clock) {
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
  for (const Event& event : ended_) write(event, round, clock);
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
