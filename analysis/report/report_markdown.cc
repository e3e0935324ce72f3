#include "analysis/report/report_markdown.h"

#include <algorithm>

#include "analysis/say/names.h"
#include "analysis/say/words.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kTableLines = 20, kHeadFindings = 5;

// A text of the recording inside a table: a bar would end its cell.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string known(const Spread& spread, int64_t value) {
  return spread.count == 0 ? "-" : duration(value);
}

std::string operations_table(const Report& report) {
  std::string text =
      "| function | size | ranks | rank calls | time | median time | p99 | waiting | median "
      "transfer | bus bandwidth |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (size_t i = 0; i < report.signatures.size() && i < kTableLines; ++i) {
    const SignatureRow& row = report.signatures[i];
    const std::string busbw = row.busbw_gbs > 0 ? bandwidth(row.busbw_gbs) : "-";
    text += "| " + cell(row.func) + " | " + bytes(row.size_bytes) + " | " +
            std::to_string(row.nranks) + " | " + std::to_string(row.operations) + " | " +
            known(row.elapsed, row.elapsed.sum_ns) + " | " +
            known(row.elapsed, row.elapsed.median_ns) + " | " +
            known(row.elapsed, row.elapsed.p99_ns) + " | " + known(row.wait, row.wait.sum_ns) +
            " | " + known(row.transfer, row.transfer.median_ns) + " | " + busbw + " |\n";
  }
  if (report.signatures.size() > kTableLines)
    text += "\nThe other " + std::to_string(report.signatures.size() - kTableLines) +
            " are in operations.csv.\n";
  return text + "\n" + kBandwidthWords + "\n";
}

std::string table_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& text : cells) line += " " + cell(text) + " |";
  return line + "\n";
}

// The line under a table.
std::string under(const std::string& coverage) {
  return coverage.empty() ? "" : "\n" + coverage + "\n";
}

std::string said_tables(const std::vector<SaidTable>& tables) {
  std::string text;
  for (const SaidTable& table : tables) {
    text += "\n## " + table.title + "\n\n";
    if (!table.words.empty()) text += table.words + "\n\n";
    text += table_line(table.columns) + "|---|";
    for (size_t i = 1; i < table.columns.size(); ++i) text += "--:|";
    text += "\n";
    for (const auto& row : table.rows) text += table_line(row);
    text += under(table.coverage);
  }
  return text;
}

std::string list(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += "- " + sentence + "\n";
  return text;
}

}  // namespace

std::string report_head(const Report& report) {
  std::string text;
  for (const std::string& answer : report.answers) text += answer + "\n";
  // Stragglers are among the answers.
  size_t others = 0;
  for (const SaidFinding& finding : report.findings) {
    if (finding.kind == FindingKind::Straggler) continue;
    if (others++ < kHeadFindings) text += "Finding: " + finding.text + "\n";
  }
  if (others > kHeadFindings)
    text += "and " + counted(others - kHeadFindings, "more finding") + " in summary.md\n";
  text += report.clock_text + "\n";
  if (!report.coverage.empty())
    text += "Not known: " + counted(report.coverage.size(), "point") + ", listed in summary.md\n";
  return text;
}

std::string report_markdown(const Report& report) {
  std::string text = "# " + report.title + "\n\n" + list(report.answers) + "- " +
                     report.clock_text + "\n\n## What ran\n\n" + list(report.scope) +
                     "\n## Findings\n\n";
  for (const SaidFinding& finding : report.findings) {
    text += std::string("- ") + name_of(finding.kind) + " (" + percent(finding.confidence) +
            " sure): " + finding.text + "\n";
  }
  if (report.findings.empty()) text += report.no_finding + "\n";
  text += "\n## Operations\n\n" + operations_table(report) + under(report.operations_coverage) +
          said_tables(report.accounts) + "\n## What is not known\n\n" +
          (report.coverage.empty() ? report.nothing_missing() + "\n" : list(report.coverage));
  return text +
         "\n## Words\n\n"
         "- **rank calls**: calls summed over ranks; an all-reduce of 8 ranks counts 8.\n"
         "- **time**: from the call of NCCL to the last known end of the operation, on one rank; "
         "includes waiting and queueing on the stream.\n"
         "- **waiting**: from the arrival of a rank to the arrival of the last one.\n"
         "- **transfer**: from the last arrival to a rank's own end.\n"
         "- **critical path**: what determined the end of the run, walked back from it: what came "
         "last "
         "each time. Elsewhere there was time to spare.\n"
         "- **beyond usual**: what ranks of the same role, and operations of the same kind, "
         "usually do "
         "not take.\n"
         "- **made others wait**: in operations for which this rank alone was clearly last.\n"
         "- **host_late**: NCCL was called late; **gpu_late**: it was called in time, but the "
         "kernel "
         "began late.\n- docs/report.md explains every column of the CSV files.\n";
}

}  // namespace lockstep::analysis
