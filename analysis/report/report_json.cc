#include "analysis/report/report_json.h"

#include "base/json.h"

namespace lockstep::analysis {
namespace {

void put_changes(const char* key, const std::vector<Change>& changes, JsonFields* out) {
  out->list(key, changes, [&](const Change& change) {
    out->object([&] {
      out->string("what", change.what);
      out->number("before_median_ns", change.before.median_ns);
      out->number("after_median_ns", change.after.median_ns);
      out->number("ratio", change.ratio);
      out->number("earlier_runs_ratio", change.between);
    });
  });
}

}  // namespace

void put_report(const Report& report, const Comparison* comparison, JsonFields* out) {
  for (const auto& [metric, value] : report.metrics) out->raw(metric, value);
  out->strings("answers", report.answers);
  out->string("times", report.clock_text);
  out->strings("not_known", report.coverage);
  if (comparison != nullptr) {
    put_changes("slower", comparison->slower, out);
    put_changes("faster", comparison->faster, out);
  }
}

}  // namespace lockstep::analysis
