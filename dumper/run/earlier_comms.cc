#include "dumper/run/earlier_comms.h"

#include "dumper/run/known_comms.h"
#include "lockstep/record_fields.h"
#include "lockstep/record_shape.h"

namespace lockstep::dumper {
namespace {

constexpr int kFirstChunks = 8;       // of a process: its first communicator is in them
constexpr uint64_t kSetUp = 4 << 20;  // bytes of a segment in which a job makes its communicators
constexpr SegmentReaderOptions kCommsOnly = {true, 0, ~uint64_t{0}, true};

// From the beginning of a process, until a communicator is known.
void learn_first(const ProcessEntry& process, size_t segment, LiveComms* comms) {
  if (segment >= process.segments.size()) return;
  auto reader = SegmentReader::open(process.segments[segment].path, kCommsOnly);
  if (!reader.ok()) return;
  SegmentChunk chunk;
  for (int i = 0; i < kFirstChunks && comms->all().empty() && reader.value()->next(&chunk); ++i)
    learn_comms(chunk, comms);
}

}  // namespace

EarlierComms::EarlierComms(const ProcessEntry& process, size_t first_segment, ChunkPlace start,
                           bool used_only)
    : process_(process), end_(start), begun_(used_only) {
  learn_first(process, first_segment, &known_);
  news_ = !known_.all().empty();
  open();
}

EarlierComms::EarlierComms(const ProcessEntry& process, ChunkPlace start, const LiveComms& known)
    : process_(process), end_(start), begun_(true), known_(known), news_(!known.all().empty()) {}

void EarlierComms::open() {
  reader_.reset();
  if (end_.segment >= process_.segments.size()) return;
  auto opened = SegmentReader::open(process_.segments[end_.segment].path, kCommsOnly);
  if (opened.ok()) reader_ = std::move(opened.value());
}

void EarlierComms::pass(ChunkPlace end) {
  const bool another = end.segment != end_.segment;
  end_ = end;
  if (another) open();
}

// The chunks that are left out are looked at one by one; what is not is handed out by itself.
bool EarlierComms::read_on() {
  if (reader_ == nullptr) return false;
  if (!reader_->next(&chunk_) || chunk_.offset >= end_.offset) {
    reader_.reset();
    return false;
  }
  const size_t before = known_.all().size();
  learn_comms(chunk_, &known_);
  news_ = news_ || known_.all().size() != before;
  return true;
}

void EarlierComms::look_for(uint32_t comm) {
  if (comm == kUnknownComm) return;
  while (known_.all().count(comm) == 0 && read_on()) {
  }
}

bool EarlierComms::has_news_for(const SegmentChunk& chunk) {
  // Before the first records it is not known yet where reading begins.
  if (!begun_ && chunk.type == ChunkType::Records) {
    begun_ = true;
    while (read_on() && chunk_.offset < kSetUp) {
    }
  }
  // Those that begin here first: threads' pieces are in any order.
  learn_comms(chunk, &known_);
  if (chunk.type == ChunkType::Records) {
    uint32_t last = kUnknownComm;
    chunk.records.kept.each_key([&](uint32_t key) {
      const uint32_t comm = count_comm(key);
      if (comm != last) look_for(last = comm);
    });
  }
  return news_;
}

std::string EarlierComms::take_news() {
  news_ = false;
  return known_.to_json();
}

int64_t first_rank_of(const ProcessEntry& process) {
  LiveComms comms;
  learn_first(process, 0, &comms);
  return comms.all().empty() ? -1 : int64_t{comms.all().begin()->second.rank};
}

}  // namespace lockstep::dumper
