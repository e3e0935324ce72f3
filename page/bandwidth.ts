// Bandwidth by size: what was measured, and what was expected. A point can be marked, with the arrow keys too.
import uPlot from "uplot";
import { arrowOf } from "./arrows";
import { colour, make, section, unbroken } from "./dom";
import { type Marked, type Point } from "./marked";
import { aligned, names, plot, repaintPlot } from "./plots";
import type { Expected, Kind, Place, Run } from "./run";
import { bytes, counted, duration } from "./words";

const kMostExpected = 3;  // communicators of a line: a job may have hundreds with as many ranks

// Of a function and a number of ranks, the communicators with most operations in stretches that took longer, then with most.
function expectedOf(run: Run, func: string, nranks: number): Expected[][] {
  const rows = run.expected.filter(row => row.func === func && row.nranks === nranks && row.busbw_gbs > 0 && row.size_bytes > 0);
  const by = [...new Set(rows.map(row => row.communicator))].map(one => rows.filter(row => row.communicator === one));
  const sum = (of: Expected[], what: "slow" | "operations") => of.reduce((all, row) => all + row[what], 0);
  return by.sort((a, b) => sum(b, "slow") - sum(a, "slow") || sum(b, "operations") - sum(a, "operations")).slice(0, kMostExpected);
}

// What was expected on a communicator, by its own (table expected_times), as a dashed line in the colour of what was measured on
// all that have as many ranks.
function drawAll(run: Run, measured: Kind[], over: (plot: uPlot) => void): HTMLElement {
  const triples: [string, number, number][] = [];
  const lines = new Map<string, { base: string; func: string; nranks: number }>();
  for (const { func, nranks, size_bytes, busbw_gbs } of measured) {
    const base = `${func}, ${nranks} ranks`;
    triples.push([base, size_bytes, busbw_gbs]);
    lines.set(base, { base, func, nranks });
  }
  const bases = [...lines.keys()];
  for (const { base, func, nranks } of [...lines.values()])
    for (const row of expectedOf(run, func, nranks).flat()) {
      const name = `${func} on ${row.communicator}, expected`;
      triples.push([name, row.size_bytes, row.busbw_gbs]);
      lines.set(name, { base, func, nranks });
    }
  const { names: found, columns } = aligned(triples);
  const colours = names(bases.length);
  const series = found.map(name => ({
    label: name, stroke: colours[bases.indexOf(lines.get(name)!.base)], width: 1.5, spanGaps: true, points: { show: true },
    dash: bases.includes(name) ? undefined : [6, 4],
    value: (_: uPlot, value: number | null) => value === null ? "" : value.toPrecision(3) + " GB/s",
  }));
  const values = triples.map(one => one[2]);
  const yLogarithmic = Math.max(...values) > 30 * Math.min(...values);  // else the small sizes are all at 0
  return plot("Bus bandwidth by size", columns, series, { x: "size", y: "GB/s", logarithmic: true, yLogarithmic, xValues: bytes, ...(yLogarithmic ? { yValues: (gbs: number) => String(Number(gbs.toPrecision(1))) } : {}), over }, "bandwidths");
}

const isOf = ({ func, nranks, size_bytes }: Point) => (row: Place) => row.func === func && row.nranks === nranks && row.size_bytes === size_bytes;

// Of the finding that is about this point: how long its slow operations took, and the bandwidth of that. What was measured is the
// median of all, of which the slow ones may be few.
function slowOnes(run: Run, point: Point): { took_ns: number; busbw_gbs: number } | null {
  const took_ns = run.verdicts.flatMap(verdict => verdict.evidence_places).find(place => isOf(point)(place) && place.slow_took_ns !== undefined)?.slow_took_ns;
  const known = run.expected.find(row => isOf(point)(row) && row.busbw_gbs > 0);
  return took_ns === undefined || known === undefined ? null : { took_ns, busbw_gbs: known.busbw_gbs * known.expected_ns / took_ns };
}

// What is known of a point, in words. Of several algorithms the plot has the fastest.
function sentence(run: Run, measured: Kind[], point: Point): string {
  const best = fastest(measured, point), slow = slowOnes(run, point);
  const algorithm = [best.algo, best.proto].filter(one => one !== "").join(", ");
  const expected = run.expected.filter(row => isOf(point)(row) && row.busbw_gbs > 0).sort((a, b) => b.slow - a.slow || b.operations - a.operations);
  return unbroken(`${point.func} of ${bytes(point.size_bytes)} on ${counted(point.nranks, "rank")}` + (algorithm ? ` (${algorithm})` : "") + `: ${best.busbw_gbs.toPrecision(3)} GB/s, ` +
    `median transfer ${duration(best.transfer_median_ns)}.` + expected.slice(0, kMostExpected).map(row => ` Expected on ${row.communicator}: ${row.busbw_gbs.toPrecision(3)} GB/s, ` +
      `${duration(row.expected_ns)}; ${row.slow.toLocaleString("en")} of ${counted(row.operations, "operation")} took clearly longer.`).join("") +
    (slow ? ` The cross: those took ${duration(slow.took_ns)}, ${slow.busbw_gbs.toPrecision(3)} GB/s.` : ""));
}

function fastest(measured: Kind[], point: Point): Kind {
  return measured.filter(isOf(point)).reduce((a, b) => b.busbw_gbs > a.busbw_gbs ? b : a);
}

// A ring around what was measured, a cross where the slow ones are.
function drawMark(drawn: uPlot, point: Point, measured_gbs: number, slow_gbs: number | null): void {
  const { ctx } = drawn, scale = window.devicePixelRatio || 1, x = drawn.valToPos(point.size_bytes, "x", true);
  const at = (gbs: number) => drawn.valToPos(gbs, "y", true), arm = 6 * scale;
  for (const [name, width] of [["paper", 5], ["ink", 2.5]] as const) {
    ctx.strokeStyle = colour(name);
    ctx.lineWidth = width * scale;
    ctx.beginPath();
    ctx.arc(x, at(measured_gbs), 9 * scale, 0, 2 * Math.PI);
    ctx.stroke();
    if (slow_gbs === null) continue;
    const y = at(slow_gbs);
    ctx.beginPath();
    for (const side of [-arm, arm]) {
      ctx.moveTo(x - side, y - arm);
      ctx.lineTo(x + side, y + arm);
    }
    ctx.stroke();
  }
}

// From a point to its neighbours: sizes of its line, and the nearest size of another line.
function neighbour(measured: Kind[], at: Point, right: number, down: number): Point | null {
  const lineOf = ({ func, nranks }: Point) => `${func} ${nranks}`;
  const lines = [...new Set(measured.map(lineOf))];
  const line = lines[lines.indexOf(lineOf(at)) + down];
  const sizes = measured.filter(kind => lineOf(kind) === line).sort((a, b) => a.size_bytes - b.size_bytes);
  if (down === 0) return (right > 0 ? sizes.find(kind => kind.size_bytes > at.size_bytes) : sizes.filter(kind => kind.size_bytes < at.size_bytes).pop()) ?? null;
  const away = (kind: Kind) => Math.abs(Math.log2(kind.size_bytes / at.size_bytes));
  return sizes.length === 0 ? null : sizes.reduce((best, kind) => away(kind) < away(best) ? kind : best);
}

export function bandwidth(run: Run, marked: Marked): HTMLElement | null {
  const measured = run.kinds.filter(kind => kind.busbw_gbs > 0 && kind.size_bytes > 0);
  if (new Set(measured.map(kind => kind.size_bytes)).size < 2) return null;  // one size is in the table of operations
  const has = (point: Point) => measured.some(isOf(point));
  const over = (drawn: uPlot) => {
    const point = marked.point;
    if (point !== null && has(point)) drawMark(drawn, point, fastest(measured, point).busbw_gbs, slowOnes(run, point)?.busbw_gbs ?? null);
  };
  const drawn = drawAll(run, measured, over);
  drawn.tabIndex = 0;
  drawn.setAttribute("role", "application");
  drawn.setAttribute("aria-label", "Bus bandwidth by size. Left and right go from size to size, up and down from line to line.");
  const readout = make("p", { class: "readout", "aria-live": "polite" });
  const repaint = () => {
    repaintPlot(drawn);
    readout.textContent = marked.point !== null && has(marked.point) ? sentence(run, measured, marked.point) : "Point at a size, or go there with the arrow keys, to read its numbers.";
  };
  drawn.addEventListener("keydown", event => {
    const step = arrowOf(event);
    if (!step) return;
    event.preventDefault();
    const at = marked.point !== null && has(marked.point) ? marked.point : null;
    const { func, nranks, size_bytes } = at === null ? measured[0] : neighbour(measured, at, ...step) ?? at;
    marked.markPoint({ func, nranks, size_bytes });
  });
  repaint();
  marked.plots.points.push({ element: drawn, has, repaint });
  return section("bandwidth", "Bandwidth by size", make("p", {}, "Bus bandwidth as nccl-tests define it; dashed: what the undisturbed operations of a communicator lead to expect there."), drawn, readout);
}
