#include "analysis/page/lanes.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

namespace lockstep::analysis {
namespace {

constexpr size_t kMostSpans = 500, kMostLanes = 4;  // of a lane, and of a kind
constexpr size_t kMostText = 120;                   // bytes

using Kind = PageLane::Kind;
using Named = std::map<std::string, std::vector<LaneSpan>>;

std::string short_text(const std::string& text) {
  if (text.size() <= kMostText) return text;
  size_t end = kMostText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

// In order, those that overlap and say the same as one, and no more than fit.
std::vector<LaneSpan> in_order(std::vector<LaneSpan> spans) {
  std::sort(spans.begin(), spans.end(), [](const LaneSpan& a, const LaneSpan& b) {
    return std::pair(a.from_ns, a.to_ns) < std::pair(b.from_ns, b.to_ns);
  });
  std::vector<LaneSpan> out;
  for (LaneSpan& span : spans) {
    if (!out.empty() && span.from_ns <= out.back().to_ns && span.text == out.back().text) {
      out.back().to_ns = std::max(out.back().to_ns, span.to_ns);
    } else {
      out.push_back(std::move(span));
    }
  }
  const size_t together = (out.size() + kMostSpans - 1) / kMostSpans;
  if (together <= 1) return out;
  for (size_t i = 0; i < out.size(); ++i) {
    LaneSpan& one = out[i / together];
    if (i % together == 0) {
      one = std::move(out[i]);
    } else {
      one.to_ns = std::max(one.to_ns, out[i].to_ns);
      one.text = "several";
    }
  }
  out.resize((out.size() + together - 1) / together);
  return out;
}

int64_t total_ns(const std::vector<LaneSpan>& spans) {
  int64_t sum_ns = 0;
  for (const LaneSpan& span : spans) sum_ns += span.to_ns - span.from_ns;
  return sum_ns;
}

// Those that take most time, by name.
void add_largest(Kind kind, Named found, std::vector<PageLane>* lanes) {
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [name, spans] : found) order.emplace_back(-total_ns(spans), name);
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), kMostLanes));
  for (const auto& [negative_ns, name] : order)
    lanes->push_back({kind, name, in_order(std::move(found[name]))});
}

class LaneMaker {
 public:
  LaneMaker(const RunTables& run, const RunTime& time) : run_(run), time_(time) {}

  std::vector<PageLane> make() {
    add_steps();
    add_ranges();
    add_captures();
    add_pressure();
    return std::move(lanes_);
  }

 private:
  int64_t end_of(uint32_t process) const {
    const ProcessRow& row = run_.processes[process];
    return time_.at(process, std::max(row.last_ns, row.heard_ns));
  }

  // Of what has no end: until its process ends.
  LaneSpan span_of(uint32_t process, int64_t from_ns, int64_t to_ns, std::string text) const {
    LaneSpan span;
    span.from_ns = std::max<int64_t>(0, time_.at(process, from_ns));
    span.to_ns = to_ns == kNoTime ? end_of(process) : time_.at(process, to_ns);
    span.to_ns = std::max(span.to_ns, span.from_ns);
    span.text = std::move(text);
    return span;
  }

  // From where the first rank begins it to where the last one ends it.
  void add_steps() {
    std::map<uint64_t, LaneSpan> steps;
    for (const MarkedStepRow& row : run_.rank_steps) {
      if (row.start_ns == kNoTime) continue;
      const LaneSpan span = span_of(row.process, row.start_ns, row.finish_ns, "");
      LaneSpan& step = steps.emplace(row.step, span).first->second;
      step.from_ns = std::min(step.from_ns, span.from_ns);
      step.to_ns = std::max(step.to_ns, span.to_ns);
      step.text = "step " + std::to_string(row.step);
    }
    if (steps.empty()) return;
    PageLane lane{Kind::Steps, "steps", {}};
    for (auto& [number, span] : steps) lane.spans.push_back(std::move(span));
    lane.spans = in_order(std::move(lane.spans));
    lanes_.push_back(std::move(lane));
  }

  void add_ranges() {
    Named ranges;
    PageLane moments{Kind::Moments, "marks", {}};
    for (const RangeRow& row : run_.ranges) {
      if (row.start_ns == kNoTime) continue;
      const std::string name = short_text(run_.text(row.text));
      if (row.kind == RangeKind::Pushed || row.kind == RangeKind::Started) {
        ranges[name].push_back(span_of(row.process, row.start_ns, row.finish_ns, name));
      } else if (row.kind == RangeKind::Moment) {
        moments.spans.push_back(span_of(row.process, row.start_ns, row.start_ns, name));
      }
    }
    add_largest(Kind::Ranges, std::move(ranges), &lanes_);
    if (moments.spans.empty()) return;
    moments.spans = in_order(std::move(moments.spans));
    lanes_.push_back(std::move(moments));
  }

  void add_captures() {
    std::map<Text, LaneSpan> captures;
    for (const CaptureRow& row : run_.captures) {
      if (row.process == kNoRow || row.start_ns == kNoTime) continue;
      const std::string name =
          run_.text(row.name).empty() ? run_.text(row.capture) : run_.text(row.name);
      const LaneSpan span = span_of(row.process, row.start_ns, row.stop_ns, short_text(name));
      LaneSpan& all = captures.emplace(row.capture, span).first->second;
      all.from_ns = std::min(all.from_ns, span.from_ns);
      all.to_ns = std::max(all.to_ns, span.to_ns);
    }
    if (captures.empty()) return;
    PageLane lane{Kind::Captures, "captures", {}};
    for (auto& [id, span] : captures) lane.spans.push_back(std::move(span));
    lane.spans = in_order(std::move(lane.spans));
    lanes_.push_back(std::move(lane));
  }

  void add_pressure() {
    std::map<Text, uint32_t> first_process;  // of each host
    for (uint32_t i = 0; i < run_.processes.size(); ++i)
      first_process.emplace(run_.processes[i].host, i);
    Named hosts;
    for (const HostPressureRow& row : run_.host_pressure) {
      const auto process = first_process.find(row.host);
      if (process == first_process.end()) continue;
      char text[64];
      std::snprintf(text, sizeof(text), "short of %s, %.0f %%", run_.text(row.of).c_str(),
                    100 * row.share);
      hosts[run_.text(row.host)].push_back(
          span_of(process->second, row.start_ns, row.finish_ns, text));
    }
    add_largest(Kind::Pressure, std::move(hosts), &lanes_);
  }

  const RunTables& run_;
  const RunTime& time_;
  std::vector<PageLane> lanes_;
};

}  // namespace

std::vector<PageLane> lanes_of(const RunTables& run, const RunTime& time) {
  return LaneMaker(run, time).make();
}

}  // namespace lockstep::analysis
