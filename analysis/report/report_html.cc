#include "analysis/report/report_html.h"

#include <algorithm>
#include <cstdio>

#include "analysis/page/page.h"
#include "analysis/report/report_json.h"
#include "analysis/say/words.h"
#include "base/json.h"

namespace lockstep::analysis {
namespace {

std::string list(const std::vector<std::string>& sentences) {
  std::string text = "<ul>";
  for (const std::string& sentence : sentences) text += "<li>" + html_text(sentence) + "</li>";
  return text + "</ul>\n";
}

std::string operations_table(const Report& report) {
  std::string text =
      "<table><tr><th>function<th>size<th>ranks<th>rank calls<th>time<th>waiting<th>median "
      "transfer<th>bus bandwidth GB/s</tr>\n";
  for (size_t i = 0; i < report.signatures.size() && i < 50; ++i) {
    const SignatureRow& row = report.signatures[i];
    char busbw[32] = "-";
    if (row.busbw_gbs > 0) std::snprintf(busbw, sizeof(busbw), "%.3g", row.busbw_gbs);
    text += "<tr><td>" + html_text(row.func);
    for (const std::string& value :
         {bytes(row.size_bytes), std::to_string(row.nranks), std::to_string(row.operations),
          duration(row.elapsed.sum_ns), duration(row.wait.sum_ns),
          row.transfer.count == 0 ? std::string("-") : duration(row.transfer.median_ns),
          std::string(busbw)})
      text += "<td>" + value;
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

// The line under a table.
std::string under(const std::string& coverage) {
  return coverage.empty() ? "" : "<p>" + html_text(coverage) + "</p>\n";
}

std::string said_tables(const std::vector<SaidTable>& tables) {
  std::string text;
  for (const SaidTable& table : tables) {
    text += "<h2>" + html_text(table.title) + "</h2>\n";
    if (!table.words.empty()) text += "<p>" + html_text(table.words) + "</p>\n";
    text += "<table><tr>";
    for (const std::string& column : table.columns) text += "<th>" + html_text(column);
    text += "</tr>\n";
    for (const auto& row : table.rows) {
      text += "<tr>";
      for (const std::string& value : row) text += "<td>" + html_text(value);
      text += "</tr>\n";
    }
    text += "</table>\n" + under(table.coverage);
  }
  return text;
}

// What readers without a script see: sentences and tables.
std::string plain_page(const Report& report) {
  std::vector<std::string> findings;
  for (const SaidFinding& finding : report.findings) findings.push_back(finding.text);
  if (findings.empty()) findings.push_back(report.no_finding);
  std::vector<std::string> coverage = report.coverage;
  if (coverage.empty()) coverage.push_back(report.nothing_missing());
  return "<h1>" + html_text(report.headline.text) + "</h1>\n" + list(report.answers) + "<p>" +
         html_text(report.clock_text) + "</p>\n<h2>Findings</h2>\n" + list(findings) +
         "<h2>Operations</h2>\n" + operations_table(report) + under(report.operations_coverage) +
         said_tables(report.accounts) + "<h2>What is not known</h2>\n" + list(coverage);
}

}  // namespace

std::string report_html(const Report& report, const Comparison* comparison) {
  JsonFields json;
  json.object([&] { put_report(report, comparison, &json); });
  return page_with_data({report.title, std::string(json.text()), report.tiles, report.moments,
                         report.stacks, plain_page(report)});
}

}  // namespace lockstep::analysis
