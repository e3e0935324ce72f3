#include "analysis/report/report_csv.h"

#include <algorithm>

#include "analysis/say/names.h"
#include "analysis/say/words.h"
#include "base/csv_field.h"

namespace lockstep::analysis {
namespace {

void append_spread(const Spread& spread, std::string* line) {
  *line += ',' + std::to_string(spread.count);
  if (spread.count == 0) {
    *line += ",,,,";
    return;
  }
  for (const int64_t value : {spread.sum_ns, spread.median_ns, spread.p99_ns, spread.max_ns})
    *line += ',' + std::to_string(value);
}

std::string spread_columns(const std::string& name) {
  return "," + name + "_count," + name + "_sum_ns," + name + "_median_ns," + name + "_p99_ns," +
         name + "_max_ns";
}

std::string label_of(const SignatureRow& row) {
  return row.func + " " + std::to_string(row.size_bytes) + " B, " +
         counted(static_cast<uint64_t>(std::max(0, row.nranks)), "rank");
}

std::string class_label(const ClassRow& row) {
  std::string label;
  for (const std::string* word :
       {&row.role, &row.reach, &row.func, &row.size_class, &row.algo, &row.proto}) {
    if (!word->empty()) label += (label.empty() ? "" : " ") + *word;
  }
  return label;
}

template <typename Row>
struct Ranking {
  const char* category;
  const char* unit;
  uint64_t (*value)(const Row&);
  std::string Row::*example;
};

template <typename Row, typename Label>
void append_ranking(const std::vector<Row>& rows, const Ranking<Row>& ranking, size_t top,
                    Label label, std::string* text) {
  std::vector<const Row*> order;
  for (const Row& row : rows)
    if (ranking.value(row) != 0) order.push_back(&row);
  std::stable_sort(order.begin(), order.end(), [&](const Row* a, const Row* b) {
    return ranking.value(*a) > ranking.value(*b);
  });
  for (size_t i = 0; i < order.size() && i < top; ++i) {
    *text += std::string(ranking.category) + ',' + std::to_string(i + 1) + ',' +
             csv_field(label(*order[i])) + ',' + std::to_string(ranking.value(*order[i])) + ',' +
             ranking.unit + ',' + csv_field((*order[i]).*ranking.example) + '\n';
  }
}

// Most first already.
void append_tops(const std::vector<TopLine>& lines, size_t top, std::string* text) {
  size_t place = 0;
  const TopLine* before = nullptr;
  for (const TopLine& line : lines) {
    place = before != nullptr && before->category == line.category ? place + 1 : 1;
    before = &line;
    if (place > top) continue;
    *text += line.category + ',' + std::to_string(place) + ',' + csv_field(line.what) + ',' +
             std::to_string(line.value) + ',' + line.unit + ',' + csv_field(line.example) + '\n';
  }
}

}  // namespace

std::string report_operations_csv(const Report& report) {
  std::string text =
      "func,algo,proto,datatype,kind,nranks,size_bytes,operations,matches,bytes,done,enqueued,"
      "in_flight,incomplete,aborted,captured,busbw_gbs";
  for (const char* name : {"elapsed", "wait", "transfer", "skew"}) text += spread_columns(name);
  text += ",example\n";
  for (const SignatureRow& row : report.signatures) {
    text += csv_field(row.func) + ',' + csv_field(row.algo) + ',' + csv_field(row.proto) + ',' +
            csv_field(row.datatype) + ',' + kOpKindNames[static_cast<size_t>(row.kind)];
    for (const uint64_t value : {static_cast<uint64_t>(std::max(0, row.nranks)), row.size_bytes,
                                 row.operations, row.matches, row.bytes})
      text += ',' + std::to_string(value);
    for (const uint64_t count : row.states) text += ',' + std::to_string(count);
    text += ',' + (row.busbw_gbs > 0 ? std::to_string(row.busbw_gbs) : std::string());
    for (const Spread* spread : {&row.elapsed, &row.wait, &row.transfer, &row.skew})
      append_spread(*spread, &text);
    text += ',' + csv_field(row.example) + '\n';
  }
  return text;
}

std::string report_aggregate_csv(const Report& report) {
  std::string text = "metric,value\n";
  for (const auto& [metric, value] : report.metrics) text += metric + ',' + value + '\n';
  return text;
}

std::string report_top_csv(const Report& report, size_t top) {
  std::string text = "category,place,what,value,unit,example\n";
  const Ranking<SignatureRow> of_operations[] = {
      {"count", "operations", [](const SignatureRow& r) { return r.operations; },
       &SignatureRow::example},
      {"bytes", "bytes", [](const SignatureRow& r) { return r.bytes; }, &SignatureRow::example},
      {"time", "ns", [](const SignatureRow& r) { return static_cast<uint64_t>(r.elapsed.sum_ns); },
       &SignatureRow::example},
      {"waiting", "ns", [](const SignatureRow& r) { return static_cast<uint64_t>(r.wait.sum_ns); },
       &SignatureRow::example}};
  for (const auto& ranking : of_operations)
    append_ranking(report.signatures, ranking, top, label_of, &text);
  const Ranking<RankRow> of_ranks[] = {
      {"late_rank", "ns", [](const RankRow& r) { return static_cast<uint64_t>(r.caused_wait_ns); },
       &RankRow::late_example},
      {"waiting_rank", "ns", [](const RankRow& r) { return static_cast<uint64_t>(r.wait_ns); },
       &RankRow::waiting_example}};
  const auto label = [](const RankRow& row) { return rank_name(row.rank) + ", " + row.host; };
  for (const auto& ranking : of_ranks) append_ranking(report.ranks(), ranking, top, label, &text);
  const Ranking<ClassRow> of_classes = {
      "class", "ns", [](const ClassRow& r) { return static_cast<uint64_t>(r.elapsed_ns); },
      &ClassRow::example};
  append_ranking(report.classes, of_classes, top, class_label, &text);
  append_tops(report.tops, top, &text);
  return text;
}

std::string report_steps_csv(const Report& report) {
  std::string text =
      "step,start_ns,duration_ns,own_ns,transfer_ns,excess_ns,gain_ns,rank,host,communicator\n";
  for (const StepRow& row : report.steps) {
    text += row.step;
    for (const int64_t value :
         {row.start_ns, row.duration_ns, row.own_ns, row.transfer_ns, row.excess_ns, row.gain_ns})
      text += ',' + std::to_string(value);
    text += ',' + csv_field(row.rank) + ',' + csv_field(row.host) + ',' +
            csv_field(row.communicator) + '\n';
  }
  return text;
}

}  // namespace lockstep::analysis
