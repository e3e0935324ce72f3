// Chrome's trace event JSON, one event per line. Its times are double microseconds, so they are
// counted from the run's first one, which is written beside them.
#include "analysis/export/export_file.h"
#include "analysis/export/operation_slices.h"
#include "analysis/export/timeline.h"
#include "analysis/tables/wall_time.h"
#include "base/json.h"

namespace lockstep::analysis {
namespace {

// Browsers hold the whole file in memory; beyond about this many slices they stop answering.
constexpr uint64_t kManySlices = 1000000;

constexpr const char* kUnits[] = {"ns", "operations", "MB/s", "ppb"};  // of CounterUnit
constexpr int32_t kNobody = 0;  // the process id of the hosts' clocks

class ChromeSink : public TimelineSink, JsonFields {
 public:
  ChromeSink(ExportFile* file, int64_t origin_ns) : file_(file), origin_ns_(origin_ns) {}

  void process(uint32_t process, int32_t pid, const std::string& name) override {
    if (pids_.size() <= process) pids_.resize(process + 1);
    pids_[process] = pid;
    metadata("process_name", process, 0, name);
  }
  void track(uint32_t track, uint32_t process, const std::string& name) override {
    if (process_of_.size() <= track) process_of_.resize(track + 1);
    process_of_[track] = process;
    metadata("thread_name", process, track, name);
  }
  void counter_track(uint32_t track, uint32_t process, const std::string& name,
                     CounterUnit unit) override {
    if (counters_.size() <= track) counters_.resize(track + 1);
    counters_[track] = {process, name, kUnits[static_cast<size_t>(unit)]};
  }
  void counter(uint32_t track, int64_t at_ns, int64_t value) override {
    const Counter& counter = counters_[track];
    begin(counter.name, "C", counter.process, track, at_ns);
    object("args", [&] { number(counter.unit, value); });
    end();
  }
  void slice(const Slice& slice) override {
    const uint32_t process = process_of_[slice.track];
    begin(slice.name, slice.stop_ns == kNoTime ? "B" : "X", process, slice.track, slice.start_ns);
    string("cat", slice.category);
    if (slice.stop_ns != kNoTime) time("dur", slice.stop_ns - slice.start_ns);
    object("args", [&] {
      for (size_t i = 0; i < slice.note_count; ++i) {
        const SliceNote& note = slice.notes[i];
        note.text.empty() ? number(note.name, note.number) : string(note.name, note.text);
      }
    });
    end();
    if (slice.flow != 0) flow(slice, process);
  }

 private:
  void begin(std::string_view name, const char* phase, uint32_t process, uint32_t track,
             int64_t at_ns) {
    reset();
    writer().StartObject();
    string("name", name);
    string("ph", phase);
    number("pid", process < pids_.size() ? pids_[process] : kNobody);
    number("tid", track);
    time("ts", at_ns - origin_ns_);
  }
  void end() {
    writer().EndObject();
    file_->write(first_ ? "\n" : ",\n");
    file_->write(text());
    first_ = false;
  }
  void time(const char* name, int64_t ns) { raw(name, microseconds_text(ns)); }
  void metadata(const char* what, uint32_t process, uint32_t track, const std::string& name) {
    begin(what, "M", process, track, origin_ns_);
    object("args", [&] { string("name", name); });
    end();
  }
  // Operations come in order of their start: of those that do not end a flow the first starts it.
  void flow(const Slice& slice, uint32_t process) {
    if (flow_begun_.size() <= slice.flow) flow_begun_.resize(slice.flow + 1);
    const char* phase = slice.flow_ends ? "f" : flow_begun_[slice.flow] ? "t" : "s";
    if (!slice.flow_ends) flow_begun_[slice.flow] = true;
    // The events of a flow are known by name, category and id together.
    begin("match", phase, process, slice.track, slice.start_ns);
    string("cat", "match");
    number("id", slice.flow);
    if (slice.flow_ends) string("bp", "e");
    end();
  }

  ExportFile* file_;
  int64_t origin_ns_;
  bool first_ = true;
  std::vector<int32_t> pids_;         // by process
  std::vector<uint32_t> process_of_;  // by track
  struct Counter {
    uint32_t process = kNoRow;
    std::string name;
    const char* unit = "";
  };
  std::vector<Counter> counters_;  // by track
  std::vector<bool> flow_begun_;
};

}  // namespace

Status export_chrome(const ExportInput& input, const ExportOptions& options,
                     ExportSummary* summary) {
  auto file = ExportFile::create(options.output, options.if_exists);
  if (!file.ok()) return file.status();
  const int64_t origin_ns = bounds_of(*input.run).start_ns;
  file.value()->write("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"origin_ns\":\"" +
                      std::to_string(origin_ns) + "\"},\"traceEvents\":[");
  ChromeSink sink(file.value().get(), origin_ns);
  TimelineCounts counts;
  Status drawn = draw_timeline(input, options, &sink, &counts);
  if (!drawn.ok()) return drawn;
  file.value()->write("\n]}\n");
  add_counts(counts, summary);
  if (counts.slices > kManySlices)
    summary->notes.push_back(std::to_string(counts.slices) +
                             " slices are many for a JSON viewer; --to perfetto opens faster");
  return file.value()->commit();
}

}  // namespace lockstep::analysis
