// Perfetto's protobuf: track descriptors, then slices as begin and end events, flows and counters.
// Field numbers are those of perfetto's public trace protos; test/export/perfetto.proto
// repeats the messages used.
#include <map>
#include <protozero/pbf_writer.hpp>

#include "analysis/export/export_file.h"
#include "analysis/export/timeline.h"

namespace lockstep::analysis {
namespace {

enum TracePacket : uint32_t {
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTrackDescriptor = 60
};
enum SequenceFlags : uint32_t { kStateCleared = 1, kNeedsState = 2 };
constexpr uint32_t kTracePacket = 1;      // of Trace
constexpr uint32_t kAnnotationNames = 3;  // of InternedData
enum AnnotationName : uint32_t { kIid = 1, kInternedName = 2 };
enum TrackDescriptor : uint32_t {
  kUuid = 1,
  kTrackName = 2,
  kProcess = 3,
  kParentUuid = 5,
  kCounter = 8
};
enum ProcessDescriptor : uint32_t { kPid = 1, kProcessName = 6 };
enum CounterDescriptor : uint32_t { kCounterUnit = 3, kCounterUnitName = 6 };
enum Unit : int32_t { kNanoseconds = 1, kCount = 2 };
enum TrackEvent : uint32_t {
  kAnnotation = 4,
  kType = 9,
  kTrackUuid = 11,
  kCategory = 22,
  kName = 23,
  kCounterValue = 30,
  kFlow = 47,
  kLastFlow = 48
};
enum Annotation : uint32_t { kNameIid = 1, kInt = 4, kString = 6 };
enum EventType : int32_t { kSliceBegin = 1, kSliceEnd = 2, kCounterEvent = 4 };
// Track uuids: our numbers; processes have theirs far above.
constexpr uint64_t kProcessUuids = uint64_t{1} << 40;

class PerfettoSink : public TimelineSink {
 public:
  explicit PerfettoSink(ExportFile* file) : file_(file) {
    protozero::pbf_writer packet(packet_);
    packet.add_uint32(kSequence, 1);
    packet.add_uint32(kSequenceFlags, kStateCleared);
    put_packet();
  }

  void process(uint32_t process, int32_t pid, const std::string& name) override {
    const auto descriptor = track_descriptor(kProcessUuids + process, "", 0);
    std::string data = descriptor;
    protozero::pbf_writer writer(data);
    protozero::pbf_writer inner(writer, kProcess);
    inner.add_int32(kPid, pid);
    inner.add_string(kProcessName, name);
    inner.commit();
    descriptor_packet(data);
  }

  void track(uint32_t track, uint32_t process, const std::string& name) override {
    descriptor_packet(track_descriptor(track, name, kProcessUuids + process));
  }

  void counter_track(uint32_t track, uint32_t process, const std::string& name,
                     CounterUnit unit) override {
    std::string data =
        track_descriptor(track, name, process == kNoRow ? 0 : kProcessUuids + process);
    protozero::pbf_writer writer(data);
    protozero::pbf_writer counter(writer, kCounter);
    switch (unit) {
      case CounterUnit::Nanoseconds:
        counter.add_enum(kCounterUnit, kNanoseconds);
        break;
      case CounterUnit::Operations:
        counter.add_enum(kCounterUnit, kCount);
        break;
      case CounterUnit::MegabytesPerSecond:
        counter.add_string(kCounterUnitName, "MB/s");
        break;
      case CounterUnit::PartsPerBillion:
        counter.add_string(kCounterUnitName, "ppb");
        break;
    }
    counter.commit();
    descriptor_packet(data);
  }

  void counter(uint32_t track, int64_t at_ns, int64_t value) override {
    std::string data;
    protozero::pbf_writer event(data);
    event.add_enum(kType, kCounterEvent);
    event.add_uint64(kTrackUuid, track);
    event.add_int64(kCounterValue, value);
    event_packet(at_ns, data, false);
  }

  void slice(const Slice& slice) override {
    event_.clear();
    protozero::pbf_writer event(event_);
    event.add_enum(kType, kSliceBegin);
    event.add_uint64(kTrackUuid, slice.track);
    event.add_string(kCategory, slice.category);
    event.add_string(kName, slice.name.data(), slice.name.size());
    if (slice.flow != 0) event.add_fixed64(slice.flow_ends ? kLastFlow : kFlow, slice.flow);
    for (size_t i = 0; i < slice.note_count; ++i) annotate(&event, slice.notes[i]);
    event_packet(slice.start_ns, event_, slice.note_count != 0);
    if (slice.stop_ns == kNoTime) return;
    event_.clear();
    protozero::pbf_writer end(event_);
    end.add_enum(kType, kSliceEnd);
    end.add_uint64(kTrackUuid, slice.track);
    event_packet(slice.stop_ns, event_, false);
  }

 private:
  static std::string track_descriptor(uint64_t uuid, const std::string& name, uint64_t parent) {
    std::string data;
    protozero::pbf_writer writer(data);
    writer.add_uint64(kUuid, uuid);
    if (!name.empty()) writer.add_string(kTrackName, name);
    if (parent != 0) writer.add_uint64(kParentUuid, parent);
    return data;
  }

  // The names of notes would be two fifths of the file: each stands in it once, with a number.
  uint64_t number_of(const char* name) {
    const auto [found, is_new] = names_.emplace(name, names_.size() + 1);
    if (is_new) {
      protozero::pbf_writer interned(interned_);
      protozero::pbf_writer entry(interned, kAnnotationNames);
      entry.add_uint64(kIid, found->second);
      entry.add_string(kInternedName, name);
    }
    return found->second;
  }
  void annotate(protozero::pbf_writer* event, const SliceNote& note) {
    protozero::pbf_writer annotation(*event, kAnnotation);
    annotation.add_uint64(kNameIid, number_of(note.name));
    if (note.text.empty()) {
      annotation.add_int64(kInt, note.number);
    } else {
      annotation.add_string(kString, note.text.data(), note.text.size());
    }
  }

  void event_packet(int64_t at_ns, const std::string& event, bool has_notes) {
    packet_.clear();
    protozero::pbf_writer packet(packet_);
    packet.add_uint64(kTimestamp, at_ns < 0 ? 0 : static_cast<uint64_t>(at_ns));
    packet.add_uint32(kSequence, 1);
    if (has_notes) packet.add_uint32(kSequenceFlags, kNeedsState);
    if (!interned_.empty()) packet.add_message(kInternedData, interned_);
    interned_.clear();
    packet.add_message(kTrackEvent, event);
    put_packet();
  }
  void descriptor_packet(const std::string& descriptor) {
    packet_.clear();
    protozero::pbf_writer packet(packet_);
    packet.add_uint32(kSequence, 1);
    packet.add_message(kTrackDescriptor, descriptor);
    put_packet();
  }
  void put_packet() {
    framed_.clear();
    protozero::pbf_writer trace(framed_);
    trace.add_message(kTracePacket, packet_);
    file_->write(framed_);
  }

  ExportFile* file_;
  std::map<std::string_view, uint64_t> names_;  // of notes
  std::string interned_;                        // those that are not in the file yet
  std::string event_, packet_, framed_;         // kept for their memory
};

}  // namespace

Status export_perfetto(const ExportInput& input, const ExportOptions& options,
                       ExportSummary* summary) {
  auto file = ExportFile::create(options.output, options.if_exists);
  if (!file.ok()) return file.status();
  if (options.most_bytes != 0) file.value()->limit(options.most_bytes);
  PerfettoSink sink(file.value().get());
  TimelineCounts counts;
  Status drawn = draw_timeline(input, options, &sink, &counts);
  if (!drawn.ok()) return drawn;
  add_counts(counts, summary);
  summary->too_large = file.value()->beyond_limit();
  return file.value()->commit();
}

}  // namespace lockstep::analysis
