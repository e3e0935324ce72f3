// The plots that uPlot draws: what all have in common, the trend of waiting, the critical path by step, answers of SQL.
import uPlot from "uplot";
import { colour, make } from "./dom";
import type { Run } from "./run";
import { gutter, timeMarks } from "./time_axis";
import { meanByColumn, type Tiles } from "./tiles";
import { compact, duration, percent } from "./words";

const kMostBars = 40;
const kRight = 4;  // pixels beside the plot above the heat map, as beside that

export function names(count: number): string[] {
  return Array.from({ length: count }, (_, i) => colour("series-" + (i % 6 + 1)));
}

interface Look {
  x: string;
  y: string;
  height?: number;
  below?: boolean;  // it stands above the heat map: x is the same ns of the run, at the same places with the same marks; axes have no names
  range?: [number, number];  // of x
  xValues?: (value: number) => string;
  yValues?: (value: number) => string;
  whole?: boolean;  // x has no fractions: steps, ranks
  logarithmic?: boolean;
  yLogarithmic?: boolean;
  bands?: uPlot.Band[];
  over?: (plot: uPlot) => void;  // draws on what is drawn
}

const kWhole = [1, 2, 5].flatMap(digit => Array.from({ length: 15 }, (_, i) => digit * 10 ** i)).sort((a, b) => a - b);

// Of the marks of a logarithmic axis those at 1, 10, 100: lines at all others are a grey area.
function powers(_: uPlot, splits: number[]): (number | null)[] {
  return splits.map(split => Number.isInteger(Math.round(Math.log10(split) * 1e6) / 1e6) ? split : null);
}

const drawn = new WeakMap<Element, uPlot>();

// Plots listen to the window until they are told to stop.
export function dropPlots(inside: Element): void {
  for (const at of inside.querySelectorAll(".plot")) drawn.get(at)?.destroy();
}

// As it is, with what is drawn over it.
export function repaintPlot(at: Element): void {
  drawn.get(at)?.redraw(false);
}

// At the width that each has now, and in the colours of the theme.
export function redrawPlots(inside: Element): void {
  for (const at of inside.querySelectorAll(".plot")) {
    const plot = drawn.get(at);
    plot?.setSize({ width: widthOf(at), height: plot.height });
  }
}

function widthOf(at: Element): number {
  return Math.max(280, at.clientWidth || 900);
}

// The last would be cut off where it stands at the end.
function marksOf([from, to]: [number, number]): Pick<uPlot.Axis, "splits" | "values"> {
  const marks = (plot: uPlot) => timeMarks(from, to, plot.width - gutter(plot.width) - kRight);
  return {
    splits: plot => marks(plot).map(mark => mark.ns),
    values: plot => marks(plot).map(({ ns, text }) => (to - ns) / (to - from) * plot.width < 24 ? "" : text),
  };
}

// Draws once the element has a place, so that its width is known.
export function plot(label: string, columns: (number | null)[][], series: uPlot.Series[], look: Look, id: string): HTMLElement {
  const at = make("div", { class: "plot", id, role: "img", "aria-label": label });
  requestAnimationFrame(() => {
    const line = () => colour("line");
    const axis = { stroke: () => colour("muted"), grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
    const width = widthOf(at);
    if (!at.isConnected) return;
    const said = (values: number[], say: ((value: number) => string) | undefined) => values.map(value => value === null ? "" : say!(value));
    drawn.set(at, new uPlot({
      width, height: look.height ?? 280,
      ...(look.below ? { padding: [null, kRight, null, 0] as uPlot.Padding } : {}),
      scales: {
        x: { time: false, ...(look.logarithmic ? { distr: 3 as const, log: 2 as const } : {}), ...(look.range ? { range: () => look.range! } : {}) },
        y: look.yLogarithmic ? { distr: 3, log: 10 } : {},
      },
      axes: [
        { ...axis, ...(look.below ? {} : { label: look.x }), ...(look.whole ? { incrs: kWhole } : {}), ...(look.below ? marksOf(look.range!) : { values: look.xValues && ((_: uPlot, values: number[]) => said(values, look.xValues)) }) },
        { ...axis, ...(look.yLogarithmic ? { grid: { ...axis.grid, filter: powers }, ticks: { ...axis.ticks, filter: powers } } : {}),
          ...(look.below ? { size: gutter(width) } : { label: look.y, size: 76 }), values: look.yValues && ((_, values) => said(values, look.yValues)) },
      ],
      bands: look.bands ?? [],
      hooks: look.over ? { draw: [look.over] } : {},
      legend: { live: !look.below && width > 600, markers: { dash: (drawn, i) => drawn.series[i].dash ? "dashed" : "solid" } },
      series: [{ label: look.x, value: (_, value) => value === null ? "" : look.xValues?.(value) ?? String(value) }, ...series],
    }, columns as uPlot.AlignedData, at));
  });
  return at;
}

// How waiting changed from the first third of the time with operations to the last, in one sentence; of a run that hangs, until
// when it went, and how it went until then.
export function trendSentence(tiles: Tiles, run: Run): string {
  const busy = meanByColumn(tiles, tiles.busy), waiting = meanByColumn(tiles, tiles.waiting);
  const share = (part: number[][]) => part.reduce((sum, one) => sum + one[1], 0) / part.reduce((sum, one) => sum + one[0], 0);
  const { kind, verdict } = run.headline;
  const stood_ns = kind === "hangs" && verdict !== undefined ? run.verdicts[verdict].since_s * 1e9 : 0;
  const until_ns = run.length_ns - stood_ns;
  const active = busy.map((share, i) => [share ?? 0, waiting[i] ?? 0])
    .filter(([share], i) => share > 0 && tiles.from_ns + (i + 1) * tiles.bucket_ns <= until_ns + (stood_ns > 0 ? 0 : tiles.bucket_ns));
  const most = Math.max(0, ...waiting.filter((_, i) => tiles.from_ns + i * tiles.bucket_ns >= until_ns).map(mean => mean ?? 0));
  if (stood_ns > 0)
    return `It went on until ${duration(until_ns)} of the run; since then, for ${duration(stood_ns)}, what hangs has not moved` +
      (most > 0 ? `, and ${percent(most)} of the ranks have waited.` : ".") +
      (active.length === 0 ? "" : ` Until then ranks waited ${percent(share(active))} of their time in operations.`);
  if (run.operations === 0) return "No operation is recorded, so there is nothing to tell.";
  if (active.length < 6) return "Too short to tell how it went.";
  const third = Math.floor(active.length / 3);
  return `Of the time in operations, ranks waited ${percent(share(active.slice(0, third)))} in the first third of the run, ` +
    `${percent(share(active.slice(third, -third)))} in the second and ${percent(share(active.slice(-third)))} in the last.`;
}

// Triples of series, x and y over one x axis; the largest where several meet.
export function aligned(triples: [string, number, number][]): { names: string[]; columns: (number | null)[][] } {
  const xs = [...new Set(triples.map(one => one[1]))].sort((a, b) => a - b);
  const place = new Map(xs.map((x, i) => [x, i]));
  const names = [...new Set(triples.map(one => one[0]))];
  const columns: (number | null)[][] = names.map(() => xs.map(() => null));
  for (const [name, x, y] of triples) {
    const column = columns[names.indexOf(name)], i = place.get(x)!;
    column[i] = Math.max(column[i] ?? y, y);
  }
  return { names, columns: [xs, ...columns] };
}

// Numbers of an answer against its first column: lines where that is numbers, else bars. Null: there is nothing to plot.
export function answerPlot(columns: { name: string; type: string }[], rows: unknown[][]): HTMLElement | null {
  const [first, ...others] = columns;
  const drawn = others.map((column, i) => ({ name: column.name, at: i + 1 })).filter(one => columns[one.at].type === "number").slice(0, 6);
  if (drawn.length === 0 || rows.length < 2) return null;
  const isNumber = first.type === "number";
  const used = isNumber ? rows.filter(row => typeof row[0] === "number").sort((a, b) => (a[0] as number) - (b[0] as number)) : rows.slice(0, kMostBars);
  const xs = used.map((row, i) => isNumber ? row[0] as number : i);
  const ys = drawn.map(one => used.map(row => typeof row[one.at] === "number" ? row[one.at] as number : null));
  const colours = names(drawn.length);
  const series = drawn.map((one, i) => ({
    label: one.name, stroke: colours[i], width: 1.5, points: { show: isNumber && used.length < 60 },
    value: (_: uPlot, value: number | null) => value === null ? "" : String(value),
    ...(isNumber ? {} : { fill: colours[i] + "60", paths: uPlot.paths.bars!({ size: [0.7, 60] }) }),
  }));
  return plot(`${drawn.map(one => one.name).join(", ")} by ${first.name}`, [xs, ...ys], series, {
    x: first.name, y: drawn.length === 1 ? drawn[0].name : "", whole: xs.every(x => Number.isInteger(x)), yValues: compact,
    // Bars are as wide at both ends as elsewhere.
    ...(isNumber ? {} : { range: [-0.6, used.length - 0.4] as [number, number], xValues: (x: number) => String(used[x]?.[0] ?? "") }),
  }, "answer-plot");
}

export function trend(tiles: Tiles, length_ns: number): HTMLElement {
  const xs = Array.from({ length: tiles.columns }, (_, i) => tiles.from_ns + (i + 0.5) * tiles.bucket_ns);
  const [wait, move] = [colour("series-2"), colour("series-1")];
  const scaled = (values: Float32Array) => meanByColumn(tiles, values).map(mean => mean === null ? null : 100 * mean);
  return plot(`How the run went: the mean share of time in operations and waiting, over the time of the run`, [xs, scaled(tiles.busy), scaled(tiles.waiting)], [
    { label: "share of time in operations", stroke: move, width: 1.5, points: { show: false } },
    { label: "of that waiting for others", stroke: wait, fill: wait + "40", width: 1.5, points: { show: false } },
  ], { x: "time of the run", y: "", height: 150, below: true, range: [0, length_ns], yValues: value => value + " %" }, "trend-plot");
}

export function steps(run: Run): HTMLElement | null {
  const known = run.steps.filter(step => step.step !== "");
  if (known.length < 2) return null;
  const ms = (value: number) => value / 1e6;
  const time = (_: uPlot, value: number | null) => value === null ? "" : duration(value * 1e6);
  const series = ["between operations", "in operations", "beyond usual"].map((label, i) => ({
    label, stroke: colour("series-" + (i + 1)), width: 1.5, points: { show: known.length < 60 }, value: time,
  }));
  return plot("The critical path by step", [known.map(step => Number(step.step)), known.map(step => ms(step.own_ns)),
    known.map(step => ms(step.transfer_ns)), known.map(step => ms(step.excess_ns))], series, { x: "step", y: "ms", whole: true }, "steps-plot");
}
