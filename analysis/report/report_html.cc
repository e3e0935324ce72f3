#include "analysis/report/report_html.h"

#include <algorithm>
#include <cstdio>

#include "analysis/report/report_plots.h"
#include "analysis/say/words.h"
#include "base/json.h"

namespace lockstep::analysis {
namespace {

constexpr const char* kPageStyle = R"css(
body { font: 15px/1.45 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; } td, th { padding: 2px 10px; border-bottom: 1px solid #ddd; }
td:not(:first-child) { text-align: right; } svg { max-width: 100%; } text { font-size: 10px; }
)css";

// Reads `data` (data_of()) and draws with uPlot, which stands before it in the page.
constexpr const char* kPageScript = R"js(
const colors = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e', '#17becf', '#8c564b', '#7f7f7f'];
// Lines over one x axis from [name, x, y] triples.
function lines(id, title, triples, x, y, logarithmic) {
  const at = document.getElementById(id);
  if (triples.length === 0) { at.textContent = title + ': not known.'; return; }
  const xs = [...new Set(triples.map(t => t[1]))].sort((a, b) => a - b);
  const place = new Map(xs.map((value, i) => [value, i]));
  const names = [...new Set(triples.map(t => t[0]))];
  const columns = names.map(() => xs.map(() => null));
  const row = new Map(names.map((name, i) => [name, i]));
  for (const [name, at_x, value] of triples) {
    const column = columns[row.get(name)];
    column[place.get(at_x)] = Math.max(column[place.get(at_x)] ?? value, value);
  }
  const series = names.map((name, i) =>
    ({ label: name, stroke: colors[i % colors.length], width: 1.5, points: { show: true }, spanGaps: true }));
  draw(at, title, [xs, ...columns], series, x, y, logarithmic ? { distr: 3, log: 2 } : { time: false });
}
function draw(at, title, columns, series, x, y, scale) {
  new uPlot({ title, width: 1000, height: 320, scales: { x: { time: false, ...scale } },
    axes: [{ label: x }, { label: y, size: 70 }], series: [{ label: x }, ...series] }, columns, at);
}
lines('bandwidths', 'Bus bandwidth by size', data.bandwidths, 'size, bytes', 'GB/s', true);
const bars = uPlot.paths.bars({ size: [0.6, 60] });
if (data.ranks.length > 0) {
  draw(document.getElementById('waits'), 'Waiting by rank', [0, 1, 2].map(i => data.ranks.map(r => r[i])),
    [{ label: 'waited, ms', stroke: colors[0], fill: colors[0] + '80', paths: bars, points: { show: false } },
     { label: 'made others wait, ms', stroke: colors[1], fill: colors[1] + '60', paths: bars, points: { show: false } }],
    'rank', 'ms', {});
} else document.getElementById('waits').textContent = 'Waiting by rank: not known.';
lines('clock', 'Clock error, guaranteed half width', data.clock.map(c => [data.hosts[c[0]], c[1], c[2]]),
  'seconds of the run', 'us', false);
)js";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string list(const std::vector<std::string>& sentences) {
  std::string text = "<ul>";
  for (const std::string& sentence : sentences) text += "<li>" + escaped(sentence) + "</li>";
  return text + "</ul>\n";
}

void put_bandwidth(const SignatureRow& row, JsonFields* out) {
  if (row.busbw_gbs <= 0 || row.size_bytes == 0) return;
  out->writer().StartArray();
  out->element(row.func + ", " + counted(static_cast<uint64_t>(std::max(0, row.nranks)), "rank"));
  out->writer().Uint64(row.size_bytes);
  out->writer().Double(row.busbw_gbs);
  out->writer().EndArray();
}

void put_rank(const RankRow& row, JsonWriter* out) {
  out->StartArray();
  out->Int(row.rank);
  out->Double(static_cast<double>(row.wait_ns) / 1e6);
  out->Double(static_cast<double>(row.caused_wait_ns) / 1e6);
  out->EndArray();
}

void put_point(const std::array<double, 3>& point, JsonWriter* out) {
  out->StartArray();
  for (const double value : point) out->Double(value);
  out->EndArray();
}

std::string data_of(const Report& report) {
  JsonFields out;
  out.writer().SetMaxDecimalPlaces(6);
  out.object([&] {
    out.list("bandwidths", report.signatures,
             [&](const SignatureRow& row) { put_bandwidth(row, &out); });
    out.list("ranks", report.ranks, [&](const RankRow& row) { put_rank(row, &out.writer()); });
    out.strings("hosts", report.clock_hosts);
    out.list("clock", report.clock_points,
             [&](const auto& point) { put_point(point, &out.writer()); });
  });
  std::string safe;
  for (const char c : out.text()) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

std::string heat_cell(size_t column, size_t row, double value, double highest) {
  char text[160];
  // White to red; the square root keeps small lateness visible beside a large one.
  std::snprintf(text, sizeof(text),
                "<rect x='%zu' y='%zu' width='6' height='12' fill-opacity='%.3f'><title>%.1f "
                "us</title></rect>",
                column * 6 + 60, row * 12, 0.04 + 0.96 * std::min(1.0, value / highest), value);
  return text;
}

std::string heat_map(const Report& report) {
  const HeatMap& heat = report.heat;
  if (heat.columns == 0)
    return "<p>No operation has all its ranks on one clock, so there is nothing to compare.</p>\n";
  double highest = 1e-3;
  for (const auto& row : heat.rows)
    for (const double value : row) highest = std::max(highest, value);
  std::string text = "<p>Darkest: " + duration(static_cast<int64_t>(highest * 1e3)) +
                     " after the first rank. One column is " +
                     counted(heat.operations_per_column, "operation") + ", one row " +
                     counted(heat.ranks_per_row, "rank") +
                     "; each cell shows the largest value.</p>\n" + "<svg id='heat' width='" +
                     std::to_string(heat.columns * 6 + 60) + "' height='" +
                     std::to_string(heat.rows.size() * 12) + "' fill='#c00'>";
  for (size_t row = 0; row < heat.rows.size(); ++row) {
    text += "<text x='0' y='" + std::to_string(row * 12 + 10) + "' fill='#333'>rank " +
            std::to_string(row * heat.ranks_per_row) + "</text>";
    for (size_t column = 0; column < heat.columns; ++column)
      if (heat.rows[row][column] >= 0)
        text += heat_cell(column, row, heat.rows[row][column], highest);
  }
  return text + "</svg>\n";
}

std::string operations_table(const Report& report) {
  std::string text =
      "<table><tr><th>function<th>size<th>ranks<th>rank calls<th>time<th>waiting<th>median "
      "transfer<th>bus bandwidth GB/s</tr>\n";
  for (size_t i = 0; i < report.signatures.size() && i < 50; ++i) {
    const SignatureRow& row = report.signatures[i];
    char busbw[32] = "-";
    if (row.busbw_gbs > 0) std::snprintf(busbw, sizeof(busbw), "%.3g", row.busbw_gbs);
    text += "<tr><td>" + escaped(row.func);
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

std::string said_tables(const std::vector<SaidTable>& tables) {
  std::string text;
  for (const SaidTable& table : tables) {
    text += "<h2>" + escaped(table.title) + "</h2>\n";
    if (!table.words.empty()) text += "<p>" + escaped(table.words) + "</p>\n";
    text += "<table><tr>";
    for (const std::string& column : table.columns) text += "<th>" + escaped(column);
    text += "</tr>\n";
    for (const auto& row : table.rows) {
      text += "<tr>";
      for (const std::string& value : row) text += "<td>" + escaped(value);
      text += "</tr>\n";
    }
    text += "</table>\n";
  }
  return text;
}

std::string plots() {
  if (!plot_script().empty())
    return "<div id='bandwidths'></div><div id='waits'></div><div id='clock'></div>\n";
  return "<p>No plots: this lockstep was built without uPlot (install npm and run make again). The "
         "tables have the numbers.</p>\n";
}

}  // namespace

std::string report_html(const Report& report) {
  std::vector<std::string> findings;
  for (const SaidFinding& finding : report.findings) findings.push_back(finding.text);
  if (findings.empty()) findings.push_back("Nothing wrong found.");
  std::vector<std::string> coverage = report.coverage;
  if (coverage.empty())
    coverage.push_back(
        "Nothing is missing: every call was recorded and every operation has an end.");
  // An icon in the page itself, else browsers ask a server for one.
  std::string page = "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>" +
                     escaped(report.title) + "</title>\n<link rel='icon' href='data:,'>\n<style>" +
                     plot_style() + kPageStyle + "</style></head><body>\n<h1>" +
                     escaped(report.title) + "</h1>\n" + list(report.answers) + "<p>" +
                     escaped(report.clock_text) + "</p>\n<h2>Findings</h2>\n" + list(findings) +
                     "<h2>Plots</h2>\n" + plots() + "<h2>Who arrives late: ranks of " +
                     escaped(report.communicator) + " over operations</h2>\n" + heat_map(report) +
                     "<h2>Operations</h2>\n" + operations_table(report) +
                     said_tables(report.accounts) + "<h2>What is not known</h2>\n" + list(coverage);
  if (!plot_script().empty())
    page += "<script>" + plot_script() + "</script>\n<script>const data = " + data_of(report) +
            ";\n" + kPageScript + "</script>\n";
  return page + "</body></html>\n";
}

}  // namespace lockstep::analysis
