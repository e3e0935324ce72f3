#include "analysis/pyramid/pyramid_build.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "analysis/pyramid/run_time.h"
#include "base/system.h"
#include "dumper/run/chunk_search.h"

namespace lockstep::analysis {
namespace {

// A row each of operations, arrivals and matches, and what of texts and indices goes with them.
constexpr uint64_t kTableBytesPerOperation =
    sizeof(OperationRow) + sizeof(ArrivalRow) + sizeof(MatchRow) + 64;
// The same of a part, of which only the cells are wanted; an operation has two ranks at least.
constexpr uint64_t kBriefBytesPerOperation =
    sizeof(BriefOperation) + sizeof(BriefArrival) + sizeof(MatchRow) / 2;
constexpr int64_t kSamples = 64;  // the part that an estimate reads is so small a share
constexpr uint64_t kReadWholeBytes = 4 << 20;  // smaller runs are not estimated but counted
// What a part is read with before and behind it: longer waits are hangs and pauses.
constexpr int64_t kMarginNs = 10'000'000'000;
// An operation that was open when the run was shorter may have ended since.
constexpr int64_t kUnsettledNs = 20'000'000'000;

int64_t length_of(const dumper::RunDirectory& run) {
  std::map<std::string, std::pair<int64_t, int64_t>> raw;  // of one host, exactly
  int64_t first_ns = kNoTime, last_ns = kNoTime;
  for (const dumper::ProcessEntry& process : run.processes) {
    const auto span = dumper::span_of(process);
    if (!span) continue;
    const auto from = static_cast<int64_t>(span->first_raw_ns) + span->first_real_offset_ns;
    const auto to = static_cast<int64_t>(span->last_raw_ns) + span->last_real_offset_ns;
    first_ns = first_ns == kNoTime ? from : std::min(first_ns, from);
    last_ns = std::max(last_ns, to);
    auto& host = raw.emplace(process.host, std::make_pair(span->first_raw_ns, span->last_raw_ns))
                     .first->second;
    host.first = std::min(host.first, static_cast<int64_t>(span->first_raw_ns));
    host.second = std::max(host.second, static_cast<int64_t>(span->last_raw_ns));
  }
  if (raw.size() == 1) return raw.begin()->second.second - raw.begin()->second.first;
  return first_ns == kNoTime ? 0 : last_ns - first_ns;
}

// `places` null: a sample, of which only the number of its operations is asked for.
Result<std::unique_ptr<RunTables>> load_part(const std::string& directory, int64_t from_ns,
                                             int64_t to_ns, int64_t margin_ns, int64_t length_ns,
                                             dumper::ReadPlaces* places, RunTables* over) {
  using Since = dumper::Instant::Since;
  LoadOptions options;
  options.places = places;
  options.over = over;
  options.about = places == nullptr;
  // Buckets are of a millisecond and more.
  options.gpu_clocks = clocksync::GpuPrecision::Rough;
  options.brief = true;
  options.context_ns = margin_ns;
  if (from_ns > margin_ns)
    options.selection.from = dumper::Instant{Since::RunStart, from_ns - margin_ns};
  if (to_ns + margin_ns < length_ns)
    options.selection.to = dumper::Instant{Since::RunStart, to_ns + margin_ns};
  return load_run(directory, options);
}

Result<std::unique_ptr<RunTables>> load_whole(const std::string& directory,
                                              const std::function<void(double)>& progress) {
  LoadOptions options;
  options.memory = true;
  options.progress = progress;
  return load_run(directory, options);
}

bool has_grown_from(const PyramidSources& before, const PyramidSources& now) {
  const std::map<std::string, uint64_t> bytes(now.segments.begin(), now.segments.end());
  return before.clock == now.clock &&
         std::all_of(before.segments.begin(), before.segments.end(), [&](const auto& segment) {
           const auto found = bytes.find(segment.first);
           return found != bytes.end() && found->second >= segment.second;
         });
}

// Of a run that is not read at once.
struct Parts {
  int64_t step_ns = 0;
  uint64_t count = 1;
};

Parts parts_of(const RunExtent& extent, uint64_t most_table_bytes) {
  Parts parts;
  parts.count =
      extent.operations * kBriefBytesPerOperation / std::max<uint64_t>(most_table_bytes, 1) + 1;
  parts.step_ns = extent.length_ns / static_cast<int64_t>(parts.count) + 1;
  return parts;
}

// Lanes and their cells as they come, part by part.
class Builder {
 public:
  Builder(std::string directory, const RunExtent& extent, const PyramidOptions& options)
      : directory_(std::move(directory)), extent_(extent), options_(options) {}

  // Goes on where that one is settled.
  void continue_from(const StoredPyramid& before) {
    finest_ = before.pyramid.finest();
    origin_ns_ = before.origin_ns;
    const int64_t window_ns = kWindowBuckets * bucket_ns(finest_);
    first_window_ = std::max<int64_t>(0, before.pyramid.length_ns() - kUnsettledNs) / window_ns;
    const auto settled = static_cast<size_t>(first_window_ * kWindowBuckets);
    for (size_t i = 0; i < before.pyramid.lanes().size(); ++i) {
      Made& made = lanes_[before.pyramid.lanes()[i].rank];
      made.facts = before.pyramid.lanes()[i];
      made.cells = before.pyramid.cells(i, finest_, 0, settled);
    }
  }

  // `whole`: its tables where they were read already.
  Status build(std::unique_ptr<RunTables> whole) {
    int64_t from_ns = finest_ < 0 ? 0 : first_window_ * kWindowBuckets * bucket_ns(finest_);
    if (extent_.table_bytes < options_.most_table_bytes)
      return build_at_once(from_ns, std::move(whole));
    whole.reset();
    const Parts parts = parts_of(extent_, options_.most_table_bytes);
    while (parts_ == 0 || from_ns <= extent_.length_ns) {
      const bool last = from_ns + parts.step_ns >= extent_.length_ns;
      Status added = add_part(&from_ns, last ? extent_.length_ns + 1 : from_ns + parts.step_ns);
      if (!added.ok()) return added;
      if (options_.progress && extent_.length_ns != 0)
        options_.progress(
            std::min(1.0, static_cast<double>(from_ns) / static_cast<double>(extent_.length_ns)));
    }
    part_.reset();
    return Status();
  }

  StoredPyramid finish(PyramidSources sources) {
    std::vector<LaneFacts> facts;
    for (auto& [rank, made] : lanes_) {
      made.facts.recorded = united(std::move(made.facts.recorded));
      facts.push_back(made.facts);
    }
    StoredPyramid stored{std::move(sources), extent_, *origin_ns_,
                         Pyramid(std::move(facts), length_ns_, finest_)};
    size_t lane = 0;
    for (auto& [rank, made] : lanes_) {
      stored.pyramid.set(lane++, 0, made.cells);
      made.cells = {};
    }
    stored.pyramid.complete();
    return stored;
  }
  size_t parts() const { return parts_; }
  WholeRun take_whole() { return std::move(whole_); }
  int64_t first_window() const { return first_window_; }

 private:
  struct Made {
    LaneFacts facts;
    Cells cells;
  };

  Status build_at_once(int64_t from_ns, std::unique_ptr<RunTables> tables) {
    if (tables == nullptr) {
      auto read = load_whole(directory_, options_.progress);
      if (!read.ok()) return read.status();
      tables = std::move(read.value());
    }
    whole_.activity = activity_in<OperationRow>(*tables);
    whole_.tables = std::move(tables);
    add_cells(whole_.activity, &from_ns, extent_.length_ns + 1);
    return Status();
  }

  Status add_part(int64_t* from_ns, int64_t to_ns) {
    auto tables =
        load_part(directory_, *from_ns, to_ns, kMarginNs, extent_.length_ns, &places_, part_.get());
    if (!tables.ok()) return tables.status();
    part_ = std::move(tables.value());
    add_cells(activity_in<BriefOperation>(*part_), from_ns, to_ns);
    return Status();
  }

  template <typename Row>
  Activity activity_in(const RunTables& run) {
    if (!origin_ns_) origin_ns_ = RunTime(run).origin_ns();
    return activity_of<Row>(run, RunTime(run, *origin_ns_));
  }

  // Cells from *from_ns on, whole buckets; moves it to where the next part begins.
  void add_cells(const Activity& activity, int64_t* from_ns, int64_t to_ns) {
    length_ns_ = std::max(length_ns_, activity.length_ns);
    // By the estimate, also where all is read at once: the level is the same in however many parts.
    if (finest_ < 0)
      finest_ = finest_level(extent_.operations, activity.lanes.size(), extent_.length_ns);
    const int64_t length_ns = bucket_ns(finest_);
    const bool last = to_ns > extent_.length_ns;
    const int64_t first = *from_ns / length_ns;
    const int64_t end = last ? length_ns_ / length_ns + 1 : std::max(to_ns / length_ns, first + 1);
    for (const Lane& lane : activity.lanes) {
      Made& made = lanes_[lane.rank];
      merge(lane, &made.facts);
      made.cells.resize(static_cast<size_t>(first));
      const Cells cells = cells_of(lane, finest_, first, static_cast<size_t>(end - first));
      made.cells.insert(made.cells.end(), cells.begin(), cells.end());
    }
    *from_ns = end * length_ns;
    ++parts_;
  }

  static void merge(const Lane& lane, LaneFacts* facts) {
    facts->rank = lane.rank;
    facts->host = lane.host;
    facts->lost = facts->lost || lane.lost;
    for (const std::string& name : lane.communicators) {
      auto& names = facts->communicators;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    facts->recorded.insert(facts->recorded.end(), lane.recorded.begin(), lane.recorded.end());
  }

  const std::string directory_;
  const RunExtent extent_;
  const PyramidOptions& options_;
  std::map<int32_t, Made> lanes_;  // by rank
  dumper::ReadPlaces places_;
  std::unique_ptr<RunTables> part_;  // that was read last
  WholeRun whole_;
  std::optional<int64_t> origin_ns_;
  int64_t length_ns_ = 0, first_window_ = 0;
  int finest_ = -1;
  size_t parts_ = 0;
};

// By reading a small part of it; of a small run all of it, which is then in *whole.
Result<RunExtent> extent_of(const std::string& directory, std::unique_ptr<RunTables>* whole) {
  const auto opened = dumper::RunDirectory::open(directory);
  if (!opened.ok()) return opened.status();
  RunExtent extent;
  extent.length_ns = length_of(opened.value());
  const bool small = opened.value().bytes < kReadWholeBytes;
  // From its middle: runs begin slowly.
  const int64_t part_ns = extent.length_ns / kSamples, from_ns = extent.length_ns / 2;
  auto part = small ? load_whole(directory, {})
                    : load_part(directory, from_ns, from_ns + part_ns, 0, extent.length_ns, nullptr,
                                nullptr);
  if (!part.ok()) return part.status();
  extent.operations =
      small ? part.value()->operations.size() : part.value()->brief.size() * uint64_t{kSamples};
  extent.table_bytes = extent.operations * kTableBytesPerOperation;
  if (small) *whole = std::move(part.value());
  return extent;
}

PyramidSources sources_of(const dumper::RunDirectory& run) {
  PyramidSources sources;
  for (const dumper::ProcessEntry& process : run.processes) {
    for (const dumper::SegmentFile& segment : process.segments)
      sources.segments.emplace_back(segment.path.substr(run.path.size()), segment.bytes);
  }
  constexpr size_t kMostModelBytes = size_t{1} << 30;
  const auto model = read_small_file(run.path + "/clock_model.json", kMostModelBytes);
  if (model.ok()) {
    sources.clock = std::to_string(XXH3_64bits(model.value().data(), model.value().size()));
  }
  return sources;
}

}  // namespace

double times_read(const RunExtent& extent, uint64_t most_table_bytes) {
  const Parts parts = parts_of(extent, most_table_bytes);
  const auto around_ns =
      2 * kMarginNs *
      static_cast<int64_t>(parts.count - 1);  // nothing lies before the first and behind the last
  return 1 + static_cast<double>(around_ns) /
                 static_cast<double>(std::max<int64_t>(extent.length_ns, 1));
}

Result<StoredPyramid> load_or_build_pyramid(const std::string& directory, const std::string& folder,
                                            const PyramidOptions& options, PyramidNotes* notes) {
  const auto opened = dumper::RunDirectory::open(directory);
  if (!opened.ok()) return opened.status();
  PyramidSources sources = sources_of(opened.value());
  auto before = read_pyramid(folder);
  *notes = {};
  if (before.ok() && !options.goes_on && before.value().sources.segments == sources.segments &&
      before.value().sources.clock == sources.clock)
    return before;
  std::unique_ptr<RunTables> whole;
  const auto extent = extent_of(directory, &whole);
  if (!extent.ok()) return extent.status();
  if (options.estimate) options.estimate(extent.value());
  Builder builder(directory, extent.value(), options);
  if (before.ok() && has_grown_from(before.value().sources, sources))
    builder.continue_from(before.value());
  const Status done = builder.build(std::move(whole));
  if (!done.ok()) return done;
  notes->parts = builder.parts();
  notes->whole = builder.take_whole();
  StoredPyramid stored = builder.finish(std::move(sources));
  const Status written = write_pyramid(folder, stored, builder.first_window());
  if (!written.ok()) notes->unwritten = written.message();
  return stored;
}

}  // namespace lockstep::analysis
