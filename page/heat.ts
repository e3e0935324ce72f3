// Ranks over time: a cell's colour says what share of its time its ranks made others wait, waited, or were in operations.
// The darkest colour is the 99th percentile of what is shown, so one operation that sets everything up drowns nothing, but at
// least a tenth of the time: what costs next to nothing must not look like a fault.
// Above it lanes: training steps, ranges and marks of the program, captures, hosts short of something, lines of
// the job's logs, findings.
import { kArrows } from "./arrows";
import { colour, make, sized, unbroken } from "./dom";
import { CellCursor, type Cells, cellSentence, type Place, strongest } from "./heat_cell";
import { logLanes } from "./logs";
import type { Lane, Run } from "./run";
import { drawNames, gutter, kAxisHeight, TimeAxis } from "./time_axis";
import { kNoData, type Tiles } from "./tiles";
import type { Measure, View } from "./view";
import { duration, percent } from "./words";

export const kMeasures: Record<Measure, string> = {
  caused: "made others wait", waiting: "waited", busy: "in operations",
};
const kLane = 16, kLeastDarkest = 0.1;
// Of the cell that the keyboard is at: columns and lines that a key goes.
const kKeys = [...Object.keys(kArrows), "Home", "End", "Enter"];

// Steps that nobody marked are those that were found; findings stand last.
function lanesOf(run: Run): Lane[] {
  const lanes = [...run.lanes];
  const steps = run.steps.filter(step => step.step !== "");
  if (steps.length > 1 && !lanes.some(lane => lane.kind === "steps"))
    lanes.unshift({ kind: "steps", name: "steps", spans: steps.map(step => [step.start_ns, step.start_ns + step.duration_ns, "step " + step.step]) });
  lanes.push(...logLanes(run.logs));
  run.verdicts.slice(0, 6).forEach((verdict, i) => {
    if (verdict.at_ns.length !== 0)
      lanes.push({ kind: "finding", name: "finding " + (i + 1), spans: verdict.at_ns.map(ns => [ns, ns, verdict.text]) });
  });
  return lanes;
}

const kLaneColours: Record<Lane["kind"], [string, string]> = {  // of even and odd spans
  steps: ["lane-even", "lane-odd"], ranges: ["lane-even", "lane-odd"], moments: ["series-4", "series-4"],
  captures: ["series-6", "series-6"], pressure: ["series-2", "series-2"], log: ["series-3", "series-3"], log_errors: ["bad", "bad"], finding: ["bad", "bad"],
};
const kLeastWidth = 2;  // pixels: what is shorter is still seen

function quantile(values: number[], share: number): number {
  if (values.length === 0) return 0;
  values.sort((a, b) => a - b);
  return values[Math.min(values.length - 1, Math.floor(share * values.length))];
}

export class HeatMap {
  readonly element: HTMLElement;
  private canvas = make("canvas", { id: "heat", tabindex: "0", role: "application" });
  private readout = make("p", { class: "readout", "aria-live": "polite" }, "Point at a cell, tap it, or go there with the arrow keys, to read its numbers.");
  private legend = make("p", { class: "legend" });
  private tiles: Tiles | null = null;
  private lanes: Lane[] = [];
  private rows: number[] = [];  // of the tiles, those in view
  private columns: [number, number] = [0, 0];
  private axis: TimeAxis | null = null;
  private top = 0;
  private rowHeight = 0;
  private dragFrom: { x: number; y: number } | null = null;
  private cursor = new CellCursor();
  private view: View | null = null;
  private painted = () => {};  // what is shown, at the width and in the colours of now

  constructor(public run: Run, private change: (view: Partial<View>) => void) {
    this.element = make("div", { class: "heat" }, this.legend, this.canvas, this.readout);
    this.canvas.addEventListener("pointermove", event => this.point(event));
    for (const event of ["focus", "blur"]) this.canvas.addEventListener(event, () => this.painted());
    this.canvas.addEventListener("pointerdown", event => {
      this.cursor.clear();
      this.point(event);  // a finger that taps has not moved there
      this.dragFrom = { x: event.offsetX, y: event.offsetY };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointerup", event => this.select(event));
    this.canvas.addEventListener("pointercancel", () => this.dragFrom = null);
  }

  // Where the keyboard is; null: nowhere.
  get at_ns(): number | null {
    return this.cursor.ns;
  }

  repaint(): void {
    this.painted();
  }

  draw(tiles: Tiles, view: View): void {
    this.tiles = tiles;
    this.view = view;
    this.rows = tiles.rows.map((_, i) => i)
      .filter(i => tiles.rows[i].last >= view.firstRank && tiles.rows[i].first <= view.lastRank);
    const first = Math.max(0, Math.floor((view.from - tiles.from_ns) / tiles.bucket_ns));
    const last = Math.min(tiles.columns, Math.ceil((view.to - tiles.from_ns) / tiles.bucket_ns));
    this.columns = [first, Math.max(first, last)];
    const values = tiles[view.measure];
    const seen: number[] = [];
    for (const row of this.rows)
      for (let column = first; column < last; ++column) {
        const value = values[row * tiles.columns + column];
        if (value > 0) seen.push(value);
      }
    const darkest = Math.max(quantile(seen, 0.99), kLeastDarkest);
    this.sayLegend(view.measure, darkest, seen.length > 0);
    this.painted = () => this.paint(view, values, darkest);
    this.cursor.enter(this.cells(tiles));
    this.painted();
    this.sayCursor();
    this.canvas.setAttribute("aria-label", `Heat map: how much ranks ${view.firstRank} to ${view.lastRank} ` +
      `${kMeasures[view.measure]}, from ${duration(view.from)} to ${duration(view.to)} of the run. ` +
      "Arrow keys go from cell to cell, with Shift they move the window. Enter looks closer, plus and minus zoom, 0 shows all.");
  }

  private cells(tiles: Tiles): Cells {
    return { tiles, rows: this.rows, columns: this.columns };
  }

  private sayLegend(measure: Measure, darkest: number, any: boolean): void {
    const tiles = this.tiles!;
    const each = Math.max(...tiles.rows.map(row => row.last - row.first + 1));
    this.legend.replaceChildren(
      make("span", { class: "ramp ramp-" + measure, "aria-hidden": "true" }),
      unbroken(!any ? `Nobody ${kMeasures[measure]} here. ` : `Strongest: ${kMeasures[measure]} ` + (darkest >= 0.995 ? "all of the time. " : `for ${percent(darkest)} of the time or more. `)),
      unbroken(`One cell is ${duration(tiles.bucket_ns)}`) + (each > 1 ? ` of up to ${each} ranks.` : " of one rank.") +
        (tiles.flags.some(flag => flag & kNoData) ? " Grey: nothing recorded." : "") +
        (this.run.lanes.some(lane => lane.kind === "pressure") ? " Bars by a host\u2019s name above: when it was short of processors, memory or disk." : ""));
  }

  private paint(view: View, values: Float32Array, darkest: number): void {
    const tiles = this.tiles!;
    const width = Math.max(280, this.element.clientWidth || 900);
    const left = gutter(width);
    const lanes = this.lanes = lanesOf(this.run);
    this.top = lanes.length * kLane + 8;  // half a line: the first name stands beside a row of two pixels
    this.rowHeight = Math.min(26, Math.max(2, Math.floor(420 / Math.max(1, this.rows.length))));
    const bottom = this.top + this.rows.length * this.rowHeight;
    const context = sized(this.canvas, width, bottom + kAxisHeight);
    const axis = this.axis = new TimeAxis(view, left, width - 4);
    const unknown = colour("unknown");
    const ramp = colour("heat-" + view.measure).split(" ").map(Number);
    // Whole pixels, so that neighbours neither overlap nor leave a gap; where several columns share one, the most of them.
    const edge = (column: number) => Math.round(Math.min(axis.right, Math.max(left, axis.x(tiles.from_ns + column * tiles.bucket_ns))));
    for (const [line, row] of this.rows.entries()) {
      let most = -1;  // of what is not painted yet; below 0: nothing is recorded there
      for (let column = this.columns[0]; column < this.columns[1]; ++column) {
        const at = row * tiles.columns + column, x = edge(column), end = edge(column + 1);
        if (!(tiles.flags[at] & kNoData)) most = Math.max(most, values[at]);
        if (x === end) continue;
        if (most !== 0) {
          context.fillStyle = most < 0 ? unknown : `rgba(${ramp.join(",")},${(0.08 + 0.92 * Math.min(1, most / darkest)).toFixed(3)})`;
          context.fillRect(x, this.top + line * this.rowHeight, end - x, this.rowHeight - (this.rowHeight > 5 ? 1 : 0));
        }
        most = -1;
      }
    }
    this.paintLanes(context, lanes, axis);
    drawNames(context, this.rows.map(row => this.rowName(row)), this.top, this.rowHeight, left - 6, this.accused());
    context.strokeStyle = colour("line");
    context.strokeRect(left - 0.5, this.top - 0.5, axis.right - left + 1, bottom - this.top + 1);
    axis.draw(context, bottom);
    this.paintCursor(context, edge);
  }

  // Around the cell, which may be a pixel wide: light and dark, so that it is seen on every colour.
  private paintCursor(context: CanvasRenderingContext2D, edge: (column: number) => number): void {
    const place = document.activeElement === this.canvas ? this.cursor.place(this.cells(this.tiles!)) : null;
    if (place === null) return;
    const x = edge(place.column), y = this.top + place.line * this.rowHeight;
    const width = Math.max(3, edge(place.column + 1) - x), height = Math.max(3, this.rowHeight);
    for (const [name, line, out] of [["paper", 5, 2.5], ["ink", 2, 2]] as const) {
      context.strokeStyle = colour(name);
      context.lineWidth = line;
      context.strokeRect(x - out, y - out, width + 2 * out, height + 2 * out);
    }
    context.lineWidth = 1;
  }

  // The rows of those whom the verdict above is about.
  private accused(): Map<number, string> {
    const { verdict } = this.run.headline, rows = new Map<number, string>();
    for (const rank of verdict === undefined ? [] : this.run.verdicts[verdict].culprits) {
      const line = this.rows.findIndex(row => this.tiles!.rows[row].label === undefined && this.tiles!.rows[row].first <= rank && rank <= this.tiles!.rows[row].last);
      if (line >= 0 && !rows.has(line)) rows.set(line, "rank " + rank);
    }
    return rows;
  }

  // Communicators of one name are told apart by their first ranks: their ids are too long here.
  private rowName(row: number): string {
    const { label, first } = this.tiles!.rows[row];
    return label === undefined ? "rank " + first : label.replace(/ \(0x[0-9a-f]+\)/, ", rank " + first);
  }

  private paintLanes(context: CanvasRenderingContext2D, lanes: Lane[], axis: TimeAxis): void {
    lanes.forEach((lane, i) => {
      const y = i * kLane, colours = kLaneColours[lane.kind].map(colour);
      lane.spans.forEach(([from, to], n) => {
        const x = axis.x(from), end = axis.x(to);
        if (end < axis.left || x > axis.right) return;
        const cut = Math.max(axis.left, x);
        context.fillStyle = colours[n % 2];
        context.fillRect(cut, y + 3, Math.max(lane.kind === "steps" ? 0.5 : kLeastWidth, Math.min(axis.right, end) - cut), kLane - 6);
      });
    });
    drawNames(context, lanes.map(lane => lane.name), 0, kLane, axis.left - 6);
  }

  private cellAt(x: number, y: number): number | null {
    const tiles = this.tiles;
    if (tiles === null || this.axis === null || x < this.axis.left || y < this.top) return null;
    const row = this.rows[Math.floor((y - this.top) / this.rowHeight)];
    const column = Math.floor((this.axis.ns(x) - tiles.from_ns) / tiles.bucket_ns);
    return row === undefined || column < this.columns[0] || column >= this.columns[1] ? null : row * tiles.columns + column;
  }

  // What a lane has there; of several the last that began.
  private sayLane(x: number, y: number): void {
    const lane = this.lanes[Math.floor(y / kLane)], axis = this.axis;
    if (lane === undefined || axis === null) return;
    const near = lane.spans.filter(([from, to]) => x >= axis.x(from) - 1 && x <= Math.max(axis.x(to), axis.x(from) + kLeastWidth) + 1);
    if (near.length === 0) return;
    const [from, to, text] = near[near.length - 1];
    const others = near.length > 1 ? `, the last of ${near.length} here` : "";
    this.readout.textContent = `${lane.name}: ${text}, ${duration(from)}` + (to > from ? ` to ${duration(to)}` : "") + others + ".";
  }

  private point(event: PointerEvent): void {
    if (event.offsetY < this.top) this.sayLane(event.offsetX, event.offsetY);
    const tiles = this.tiles, at = this.cellAt(event.offsetX, event.offsetY);
    if (tiles === null || at === null) return;
    this.readout.textContent = cellSentence(tiles, at);
  }

  private sayCursor(): void {
    const tiles = this.tiles, place = tiles === null || document.activeElement !== this.canvas ? null : this.cursor.place(this.cells(tiles));
    if (tiles === null || place === null) return;
    const sentence = cellSentence(tiles, this.rows[place.line] * tiles.columns + place.column);
    if (this.readout.textContent !== sentence) this.readout.textContent = sentence;  // what is the same is not read out again
  }

  // Whether it was a key of the map's own. The first one goes to where most is seen.
  key(key: string): boolean {
    const tiles = this.tiles, view = this.view;
    if (!kKeys.includes(key) || tiles === null || view === null || this.rows.length === 0 || this.columns[0] === this.columns[1]) return false;
    const cells = this.cells(tiles), place = this.cursor.place(cells);
    if (this.cursor.ns === null) this.cursor.set(cells, strongest(cells, tiles[view.measure]));
    else if (key === "Enter") this.change(this.around(this.cursor.ns));
    else if (place !== null) this.move(cells, place, view, key);  // else the window that has it is on its way
    this.painted();
    this.sayCursor();
    return true;
  }

  private move(cells: Cells, { line, column }: Place, view: View, key: string): void {
    const [first, end] = cells.columns;
    const [right, down] = kArrows[key] ?? [key === "Home" ? first - column : end - 1 - column, 0];
    const inside = column + right >= first && column + right < end && cells.rows[line + down] !== undefined;
    if (inside) return this.cursor.set(cells, { line: line + down, column: column + right });
    // A quarter of the window goes along.
    const row = cells.tiles.rows[cells.rows[line]];
    const ns = right * (view.to - view.from) / 4, ranks = down * Math.ceil((view.lastRank - view.firstRank + 1) / 4);
    this.cursor.leave(right * cells.tiles.bucket_ns, row.label === undefined ? down * (row.last - row.first + 1) : 0);
    this.change({ from: view.from + ns, to: view.to + ns, firstRank: view.firstRank + ranks, lastRank: view.lastRank + ranks });
  }

  private around(ns: number): Partial<View> {
    const near = 8 * this.tiles!.bucket_ns;
    return { from: ns - near, to: ns + near };
  }

  // A drag zooms to what it covers; a click to the time around it.
  private select(event: PointerEvent): void {
    const start = this.dragFrom, axis = this.axis, tiles = this.tiles;
    this.dragFrom = null;
    if (start === null || axis === null || tiles === null) return;
    const line = (y: number) => this.rows[Math.min(this.rows.length - 1, Math.max(0, Math.floor((y - this.top) / this.rowHeight)))];
    const dragged = Math.abs(event.offsetX - start.x) > 5;
    if (!dragged && this.cellAt(event.offsetX, event.offsetY) === null) return;
    const [a, b] = [axis.ns(Math.max(axis.left, Math.min(start.x, event.offsetX))), axis.ns(Math.max(start.x, event.offsetX))];
    const ranks = [line(start.y), line(event.offsetY)].sort((x, y) => x - y);
    const window = dragged ? { from: a, to: b } : this.around(a);
    this.change(Math.abs(event.offsetY - start.y) > 5 && dragged
      ? { ...window, firstRank: tiles.rows[ranks[0]].first, lastRank: tiles.rows[ranks[1]].last } : window);
  }
}
