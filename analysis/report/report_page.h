// The style and the script of report.html. The script reads `data` (report_html.cc) and draws with
// uPlot, which stands before it in the page.
#pragma once

namespace lockstep::analysis {

constexpr const char* kPageStyle = R"css(
body { font: 15px/1.45 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; } td, th { padding: 2px 10px; border-bottom: 1px solid #ddd; }
td:not(:first-child) { text-align: right; } svg { max-width: 100%; } text { font-size: 10px; }
)css";

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

}  // namespace lockstep::analysis
