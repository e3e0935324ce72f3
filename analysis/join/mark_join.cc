#include "analysis/join/mark_join.h"

#include <algorithm>

#include "lockstep/record_fields.h"

namespace lockstep::analysis {
namespace {

Text text_in(const std::vector<Text>& texts, unsigned number) {
  return number < texts.size() ? texts[number] : 0;
}

// Fields that ranges and texts have in common.
template <typename Record>
void describe(const Record& record, const std::vector<Text>& texts, RangeRow* row) {
  row->text = text_in(texts, record.text);
  row->domain = text_in(texts, record.domain);
  row->category = record.category;
}

}  // namespace

RangeRow* MarkJoin::add_range(RangeKind kind, At at) {
  RangeRow& row = ranges_.emplace_back();
  row.kind = kind;
  row.tid = at.tid;
  row.start_ns = at.ns;
  if (kind != RangeKind::Pushed && kind != RangeKind::Started) row.finish_ns = at.ns;
  return &row;
}

void MarkJoin::pop(uint32_t tid, Text domain, At at) {
  std::vector<size_t>& open = open_[{tid, domain}];
  if (open.empty()) {  // pushed before the recording began
    RangeRow* row = add_range(RangeKind::Pushed, at);
    row->domain = domain;
    row->start_ns = kNoTime;
    row->finish_ns = at.ns;
    return;
  }
  ranges_[open.back()].finish_ns = at.ns;
  open.pop_back();
}

void MarkJoin::add(const uint64_t* words, At at, const std::vector<Text>& texts) {
  switch (tag_of(words[0])) {
    case kStepBeginTag:
      steps_.push_back({StepBeginRecord::read(words).step, at, true});
      return;
    case kStepEndTag:
      steps_.push_back({StepEndRecord::read(words).step, at, false});
      return;
    case kRangePushTag: {
      RangeRow* row = add_range(RangeKind::Pushed, at);
      describe(RangePushRecord::read(words), texts, row);
      std::vector<size_t>& open = open_[{at.tid, row->domain}];
      row->depth = static_cast<uint32_t>(open.size());
      open.push_back(ranges_.size() - 1);
      return;
    }
    case kRangePopTag:
      return pop(at.tid, text_in(texts, RangePopRecord::read(words).domain), at);
    case kRangeStartTag: {
      const auto start = RangeStartRecord::read(words);
      describe(start, texts, add_range(RangeKind::Started, at));
      started_[start.range] = ranges_.size() - 1;
      return;
    }
    case kRangeEndTag:
      ended_[RangeEndRecord::read(words).range] = at;
      return;
    case kTextTag:
      return describe(TextRecord::read(words), texts, add_range(RangeKind::Moment, at));
    case kCaptureStartTag:
      add_range(RangeKind::CaptureStart, at)->text =
          text_in(texts, CaptureStartRecord::read(words).name);
      return;
    case kCaptureStopTag:
      add_range(RangeKind::CaptureStop, at)->text =
          text_in(texts, CaptureStopRecord::read(words).name);
      return;
    default:
      return;
  }
}

void MarkJoin::finish(std::vector<MarkedStepRow>* steps, std::vector<RangeRow>* ranges) {
  for (const auto& [number, at] : ended_) {
    const auto start = started_.find(number);
    if (start != started_.end()) ranges_[start->second].finish_ns = at.ns;
  }
  *ranges = std::move(ranges_);
  std::stable_sort(steps_.begin(), steps_.end(), [](const StepMark& one, const StepMark& other) {
    return one.at.ns < other.at.ns;
  });
  std::map<uint64_t, size_t> open;  // rows that have no end, by step
  size_t last = 0;                  // the last row that began
  bool any = false;
  std::vector<int64_t> next_ns;  // beside *steps: when the next one began
  for (const StepMark& mark : steps_) {
    const auto found = open.find(mark.step);
    if (!mark.begins && found != open.end()) {
      (*steps)[found->second].finish_ns = mark.at.ns;
      open.erase(found);
      continue;
    }
    MarkedStepRow row;
    row.step = mark.step;
    row.tid = mark.at.tid;
    (mark.begins ? row.start_ns : row.finish_ns) = mark.at.ns;
    if (mark.begins) {
      if (any) next_ns[last] = mark.at.ns;
      any = true;
      last = steps->size();
      open[mark.step] = last;
    }
    steps->push_back(row);
    next_ns.push_back(kNoTime);
  }
  for (size_t i = 0; i < steps->size(); ++i) {
    MarkedStepRow& row = (*steps)[i];
    if (row.finish_ns == kNoTime) row.finish_ns = next_ns[i];
  }
  steps_.clear();
}

}  // namespace lockstep::analysis
