#include "analysis/account/expected_times.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// As for lateness: a low quantile, of stretches and of communicators.
constexpr double kReference = 0.35;
// Fewer operations are not judged.
constexpr size_t kFewest = 2 * kStretch;
constexpr size_t kFewestAlike = 3, kFewestSizes = 4;
// Clearly longer: so many times, by so many times the inexactness of a stretch's middle, and by so much.
constexpr double kClearly = 1.5, kClearlyOfSizes = 2, kTimesError = 4;
constexpr int64_t kLeastNs = 20'000;
// Chance does not let one operation stand still for so long, alone as well: by so many times and by so much.
constexpr int64_t kTimesStill = 10, kLeastStillNs = 20'000'000;

struct Series {
  std::vector<uint32_t> matches;    // rows, by start
  std::vector<int64_t> took_ns;     // of each
  std::vector<int64_t> middles_ns;  // of its stretches; what is left over belongs to the last
  int64_t usual_ns = 0, error_ns = 0;
  uint32_t row = kNoRow;  // of ExpectedTimes::rows
  bool judged() const { return matches.size() >= kFewest; }
  size_t stretch_of(size_t i) const { return std::min(i / kStretch, middles_ns.size() - 1); }
};

// The straight line through points that half of them may miss: the middle of all slopes (Theil and Sen).
class Line {
 public:
  explicit Line(const std::vector<std::pair<double, double>>& points) {
    std::vector<double> slopes, offsets;
    for (size_t i = 0; i < points.size(); ++i) {
      for (size_t j = 0; j < i; ++j)
        slopes.push_back((points[i].second - points[j].second) /
                         (points[i].first - points[j].first));
    }
    slope_ = median(&slopes);
    for (const auto& [x, y] : points) offsets.push_back(y - slope_ * x);
    offset_ = median(&offsets);
  }
  double at(double x) const { return offset_ + slope_ * x; }

 private:
  double slope_ = 0, offset_ = 0;
};

class Model {
 public:
  Model(const RunTables& run, const OwnSegments& own) : run_(run), own_(own) {}

  ExpectedTimes find() {
    out_.row_of.assign(run_.matches.size(), kNoRow);
    out_.excess_ns.assign(run_.matches.size(), 0);
    out_.slow.assign(run_.matches.size(), Slow::No);
    for (uint32_t m = 0; m < run_.matches.size(); ++m) take(m);
    for (auto& [key, series] : series_) begin_row(key, &series);
    compare_alike();
    compare_sizes();
    for (auto& [key, series] : series_) judge(series);
    return std::move(out_);
  }

 private:
  // Communicator, function, algorithm, protocol; size.
  using Kind = std::tuple<uint32_t, Text, Text, Text>;
  using Key = std::pair<Kind, uint64_t>;

  void take(uint32_t m) {
    const MatchRow& match = run_.matches[m];
    if (match.comparable == 0 || match.arrivals < 2 || match.arrivals != match.expected) return;
    int64_t end_ns = kNoTime;
    for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
      const Segment& segment = own_.segments[a];
      const OperationRow& row = run_.operations[run_.arrivals[a].operation];
      const bool alone =
          segment.actor != kNoRow &&
          own_.launch_begin[segment.launch + 1] - own_.launch_begin[segment.launch] == 1;
      if (!alone || !segment.counts || !segment.waits || row.kind != OpKind::Collective ||
          row.kernel_stop_ns == kNoTime || run_.arrivals[a].basis != ArrivalBasis::KernelStart)
        return;
      end_ns = std::max(end_ns, segment.end_ns);
    }
    const OperationRow& first = run_.operations[run_.arrivals[match.first_arrival].operation];
    Series& series =
        series_[{{match.communicator, match.func, first.algo, first.proto}, match.size_bytes}];
    series.matches.push_back(m);
    series.took_ns.push_back(end_ns - own_.last_start_ns[m]);
  }

  void begin_row(const Key& key, Series* series) {
    ExpectedTimeRow row;
    std::tie(row.communicator, row.func, row.algo, row.proto) = key.first;
    row.size_bytes = key.second;
    row.operations = series->matches.size();
    row.median_ns = median_of(series->took_ns);
    row.expected_ns = row.median_ns;
    if (series->judged()) {
      measure(series);
      row.expected_ns = series->usual_ns;
    }
    series->row = static_cast<uint32_t>(out_.rows.size());
    out_.rows.push_back(row);
  }
  static void measure(Series* series) {
    const auto& took_ns = series->took_ns;
    std::vector<int64_t> scatter;
    for (size_t begin = 0; begin < took_ns.size(); begin += kStretch) {
      const size_t end = took_ns.size() - begin < 2 * kStretch ? took_ns.size() : begin + kStretch;
      std::vector<int64_t> stretch(took_ns.begin() + static_cast<ptrdiff_t>(begin),
                                   took_ns.begin() + static_cast<ptrdiff_t>(end));
      const int64_t middle_ns = median(&stretch);
      series->middles_ns.push_back(middle_ns);
      for (const int64_t ns : stretch) scatter.push_back(ns - middle_ns);
      if (end == took_ns.size()) break;
    }
    const int64_t spread_ns = quantile(&scatter, 0.75) - quantile(&scatter, 0.25);
    series->error_ns = static_cast<int64_t>(static_cast<double>(spread_ns) /
                                            std::sqrt(static_cast<double>(kStretch)));
    std::vector<int64_t> middles_ns = series->middles_ns;
    series->usual_ns = quantile(&middles_ns, kReference);
  }

  static bool clearly_longer(const Series& series, int64_t ns, int64_t expected_ns, double times) {
    return ns - expected_ns >=
               std::max(kLeastNs,
                        static_cast<int64_t>(kTimesError * static_cast<double>(series.error_ns))) &&
           static_cast<double>(ns) >= times * static_cast<double>(expected_ns);
  }
  static bool stood_still(int64_t took_ns, int64_t expected_ns) {
    return took_ns - expected_ns >= kLeastStillNs && took_ns >= kTimesStill * expected_ns;
  }
  void expect(const Series& series, int64_t expected_ns, ExpectedBy by) {
    ExpectedTimeRow& row = out_.rows[series.row];
    row.expected_ns = std::max<int64_t>(1, expected_ns);
    row.by = by;
  }

  // Communicators of the same number of ranks and hosts.
  void compare_alike() {
    std::map<std::tuple<Text, Text, Text, uint64_t, int32_t, int32_t>, std::vector<Series*>> shapes;
    for (auto& [key, series] : series_) {
      const auto& [communicator, func, algo, proto] = key.first;
      const CommunicatorRow& comm = run_.communicators[communicator];
      if (series.judged())
        shapes[{func, algo, proto, key.second, comm.nranks, comm.nnodes}].push_back(&series);
    }
    for (const auto& [shape, alike] : shapes) {
      if (alike.size() < kFewestAlike) continue;
      std::vector<int64_t> usual_ns;
      for (const Series* series : alike) usual_ns.push_back(series->usual_ns);
      const int64_t reference_ns = quantile(&usual_ns, kReference);
      for (const Series* series : alike) {
        if (clearly_longer(*series, series->usual_ns, reference_ns, kClearly))
          expect(*series, reference_ns, ExpectedBy::Alike);
      }
    }
  }

  // Other sizes of the same kind on the same communicator.
  void compare_sizes() {
    for (auto begin = series_.begin(), end = begin; begin != series_.end(); begin = end) {
      std::vector<std::pair<uint64_t, const Series*>> sizes;  // smallest first
      for (; end != series_.end() && end->first.first == begin->first.first; ++end) {
        if (end->second.judged() && out_.rows[end->second.row].by == ExpectedBy::Itself)
          sizes.emplace_back(end->first.second, &end->second);
      }
      if (sizes.size() < kFewestSizes) continue;
      // Of the largest nothing tells that it does not become longer as it should.
      for (size_t i = 0; i + 1 < sizes.size(); ++i) compare_with_others(sizes, i);
    }
  }
  void compare_with_others(const std::vector<std::pair<uint64_t, const Series*>>& sizes,
                           size_t at) {
    std::vector<std::pair<double, double>> others;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (i != at)
        others.emplace_back(static_cast<double>(sizes[i].first),
                            static_cast<double>(sizes[i].second->usual_ns));
    }
    const auto [size_bytes, series] = sizes[at];
    const auto by_line_ns = static_cast<int64_t>(Line(others).at(static_cast<double>(size_bytes)));
    const int64_t larger_ns = sizes[at + 1].second->usual_ns;
    const int64_t expected_ns = std::max(by_line_ns, larger_ns);
    if (clearly_longer(*series, series->usual_ns, expected_ns, kClearlyOfSizes))
      expect(*series, expected_ns, ExpectedBy::Sizes);
  }

  void judge(const Series& series) {
    ExpectedTimeRow& row = out_.rows[series.row];
    for (size_t i = 0; i < series.matches.size(); ++i) {
      const uint32_t m = series.matches[i];
      out_.row_of[m] = series.row;
      out_.excess_ns[m] = series.took_ns[i] - row.expected_ns;
      if (!series.judged()) continue;
      if (clearly_longer(series, series.middles_ns[series.stretch_of(i)], row.expected_ns,
                         kClearly))
        out_.slow[m] = Slow::Stretch;
      else if (stood_still(series.took_ns[i], row.expected_ns))
        out_.slow[m] = Slow::Still;
      row.slow += out_.slow[m] != Slow::No ? 1 : 0;
    }
  }

  const RunTables& run_;
  const OwnSegments& own_;
  std::map<Key, Series> series_;
  ExpectedTimes out_;
};

}  // namespace

ExpectedTimes find_expected_times(const RunTables& run, const OwnSegments& own) {
  return Model(run, own).find();
}

}  // namespace lockstep::analysis
