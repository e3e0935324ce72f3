#include "live/serve/compare_answer.h"

#include <filesystem>

#include "analysis/report/report.h"
#include "analysis/report/report_json.h"
#include "base/json.h"
#include "live/http/gate.h"

namespace lockstep::serve {
namespace {

// As much of it as is compared.
Result<analysis::Report> report_of(const ServedRun& run) {
  const auto part = run.main_part();
  if (!part.ok()) return part.status();
  analysis::Report report;
  report.signatures = analysis::make_signatures(*part.value()->tables);
  return report;
}

std::string name_of(const ServedRun& run) {
  return std::filesystem::path(run.directory()).filename().string();
}

}  // namespace

HttpResponse answer_compare(const ServedRun& before, const ServedRun& after) {
  auto earlier = report_of(before);
  if (!earlier.ok()) return error_response(503, earlier.message());
  const auto now = report_of(after);
  if (!now.ok()) return error_response(503, now.message());
  const analysis::Comparison comparison =
      analysis::compare_reports({std::move(earlier.value())}, now.value());
  std::vector<std::string> in_part;
  for (const ServedRun* run : {&before, &after}) {
    if (run->summary().from_ns != 0) in_part.push_back(name_of(*run));
  }
  JsonFields out;
  out.object([&] {
    out.string("with", name_of(before));
    analysis::put_comparison(comparison, &out);
    out.strings("last_part_only", in_part);
  });
  return json_response(out);
}

}  // namespace lockstep::serve
