// Operations one by one: a bar for each rank, waiting (light) and transfer (solid), an arrow from who waits to the last
// to arrive, and the uncertainty of the clock drawn at the arrival. What never ended goes on to the edge. Where operations are
// wide, what the network did for them stands beneath each rank's bars.
import { colour, make, sized } from "./dom";
import { type Item, keyOfItem, NetworkLanes } from "./network_lanes";
import type { NetworkSteps } from "./network_steps";
import { type Op, type Ops, readyOf } from "./run";
import { drawNames, gutter, kAxisHeight, TimeAxis } from "./time_axis";
import { chosenInAddress, putChosenInAddress, type View } from "./view";
import { bytes, duration, instant } from "./words";

const kMostRows = 32, kMostArrows = 200;
const kHint = "Click an operation, or use the arrow keys, to read about it.";

export function nameOf(op: Op): string {
  return `${op.func} #${op.ordinal}`;
}

function keyOf(op: Op): string {
  return `${op.rank} ${nameOf(op)} ${op.comm}`;
}

export function sentenceOf(op: Op): string {
  const at = (ns: number) => instant(ns, Math.max(1, (op.end_ns ?? Infinity) - readyOf(op)));
  const end = op.end_ns === null ? `it never ended (${op.state.replace("_", " ")})` : `it ended at ${at(op.end_ns)}`;
  const wait = op.wait_ns === null ? "how long it waited is not known"
    : op.wait_ns === 0 || op.last_rank === op.rank ? "it waited for nobody"
    : `it waited ${duration(op.wait_ns)} for rank ${op.last_rank}` + (op.error_ns > 0 ? ` (\u00b1${duration(op.error_ns)})` : "");
  const transfer = op.transfer_ns === null ? "" : `, its transfer took ${duration(op.transfer_ns)}`;
  return `${nameOf(op)} of ${bytes(op.bytes)} on ${op.comm}: rank ${op.rank} arrived at ${at(readyOf(op))}, ${wait}${transfer}, ${end}.`;
}

function isOpen(op: Op): boolean {
  return op.end_ns === null && op.state !== "enqueued" && op.state !== "captured";
}

// Of one whose end is not recorded, though it may well have had one: it must not look like one that hangs.
function knownUntil(op: Op): number {
  return readyOf(op) + (op.wait_ns ?? 0);
}

interface Bar {
  op: Op;
  x: number;
  end: number;
  y: number;
}

export class Timeline {
  readonly element: HTMLElement;
  private canvas = make("canvas", { id: "timeline", tabindex: "0", role: "application" });
  private detail = make("p", { class: "readout", "aria-live": "polite" }, kHint);
  private note = make("p", { class: "legend", id: "operations-note" });
  private networkNote = make("p", { class: "legend", id: "network-note" });
  private network = new NetworkLanes(null, [], 0);
  private bars: Bar[] = [];
  private chosen = -1;
  private kept = chosenInAddress();
  private rowHeight = 24;
  private sought: { name: string; communicator: string } | null = null;
  private redraw = () => {};  // what is shown, at the width and in the colours of now

  constructor() {
    this.element = make("div", {}, this.note, this.networkNote, this.canvas, this.detail);
    this.canvas.addEventListener("click", event => {
      const item = this.network.at(event.offsetX, event.offsetY);
      if (item !== null) this.chooseOfNetwork(item);
      else this.choose(this.barAt(event.offsetX, event.offsetY));
    });
    this.canvas.addEventListener("mousemove", event => {
      const item = this.network.at(event.offsetX, event.offsetY), bar = this.bars[this.barAt(event.offsetX, event.offsetY)];
      this.canvas.title = item !== null ? this.network.sentence(item) : bar ? sentenceOf(bar.op) : "";
    });
    this.canvas.addEventListener("keydown", event => {
      if (this.bars.length > 0 && this.key(event.key)) event.preventDefault();
    });
  }

  private barAt(x: number, y: number): number {
    return this.bars.findIndex(bar => x >= bar.x - 2 && x <= bar.end + 2 && Math.abs(y - bar.y) <= this.rowHeight / 2);
  }

  // Whether the key means something here. Down from an operation are its network operations and their steps, up the operation.
  private key(key: string): boolean {
    const { chosen } = this.network;
    if (chosen !== null && key.startsWith("Arrow")) {
      const next = this.network.beside(chosen, key);
      if (next === null) this.choose(this.chosen);
      else this.chooseOfNetwork(next);
      return true;
    }
    const op = this.bars[this.chosen]?.op, below = key === "ArrowDown" && op ? this.network.firstOf(op.rank, op.func, op.ordinal) : null;
    if (below !== null) this.chooseOfNetwork(below);
    if (key === "ArrowRight" || key === "ArrowLeft") {
      const next = this.chosen + (key === "ArrowRight" ? 1 : -1);
      this.choose((next + this.bars.length) % this.bars.length);
    }
    return below !== null || key === "ArrowRight" || key === "ArrowLeft";
  }

  private chooseOfNetwork(item: Item): void {
    this.network.chosen = item;
    this.detail.textContent = this.network.sentence(item);
    this.redraw();
    this.remember();
  }

  private choose(index: number): void {
    this.chosen = index;
    this.network.chosen = null;
    this.detail.textContent = index < 0 ? kHint : sentenceOf(this.bars[index].op);
    this.redraw();
    this.remember();
  }

  // For the next drawing, and for who follows the link.
  private remember(): void {
    const op = this.bars[this.chosen]?.op, { chosen } = this.network;
    this.kept = { op: op ? keyOf(op) : "", net: chosen !== null ? keyOfItem(chosen) : "" };
    putChosenInAddress(this.kept);
  }

  repaint(): void {
    this.redraw();
  }

  // With the next drawing, the operation of this name is chosen: of its ranks, the one that waited longest.
  seek(name: string, communicator: string): void {
    this.sought = { name, communicator };
  }

  reading(): void {
    this.note.textContent = "Reading the operations in view ...";
  }

  // `network`: of the ranks of these operations; null: they are not wide enough, or none is to be had, as `networkNote` says.
  draw(found: Ops, view: View, heard: Map<number, number>, network: NetworkSteps | null, networkNote: (lanes: NetworkLanes) => (Node | string)[]): void {
    const ranks = [...new Set(found.ops.map(op => op.rank))].sort((a, b) => a - b);
    // Where there are more ranks than rows, those with the longest waits and whom they waited for.
    const costs = new Map<number, number>();
    for (const op of found.ops) {
      if (op.wait_ns === null || op.last_rank === null) continue;
      costs.set(op.last_rank, (costs.get(op.last_rank) ?? 0) + op.wait_ns);
    }
    const shown = ranks.length <= kMostRows ? ranks
      : [...ranks].sort((a, b) => (costs.get(b) ?? 0) - (costs.get(a) ?? 0)).slice(0, kMostRows).sort((a, b) => a - b);
    const rows = new Set(shown), of = ranks.length + found.leftOut;
    this.rowHeight = shown.length > 16 ? 16 : 24;
    this.note.textContent = found.tooMuch ? `Zoom in to see operations one by one: ${found.tooMuch}.`
      : found.ops.length === 0 ? "No single operation is known in this window."
      : "Light: waiting for the others. Solid: transfer. Arrows point to the last to arrive." +
        (found.ops.some(isOpen) ? " Red: it never ended." : "") + (found.truncated ? " Only the operations with the longest waits are shown." : "") +
        (shown.length < of ? ` ${shown.length} of ${of.toLocaleString("en")} ranks: those waited for most, and the first.` : "");
    this.canvas.hidden = found.ops.length === 0;
    const lanes = new NetworkLanes(network, shown, view.to);
    lanes.choose(this.kept.net);
    this.network = lanes;
    this.networkNote.replaceChildren(...networkNote(lanes));
    this.canvas.setAttribute("aria-label", `${found.ops.length} operations of ${shown.length} ranks. Left and right arrows choose one.` +
      (network !== null && network.operations.length > 0 ? " Down from it are its network operations and their steps, up the operation again." : ""));
    const ops = found.ops.filter(op => rows.has(op.rank)).sort((a, b) => readyOf(a) - readyOf(b));
    this.chosen = ops.findIndex(op => keyOf(op) === this.kept.op);  // stays chosen where it is still there
    this.redraw = () => this.paint(ops, shown, view, heard);
    if (this.sought !== null) this.chosen = this.longestOf(ops, this.sought);
    this.sought = null;
    this.detail.hidden = found.ops.length === 0;
    this.detail.textContent = lanes.chosen !== null ? lanes.sentence(lanes.chosen) : this.chosen < 0 ? kHint : sentenceOf(ops[this.chosen]);
    this.redraw();
    this.remember();
  }

  private longestOf(ops: Op[], { name, communicator }: { name: string; communicator: string }): number {
    const named = ops.map((op, i) => ({ op, i })).filter(({ op }) => nameOf(op) === name);
    const own = named.filter(({ op }) => op.comm === communicator);
    return [...(own.length > 0 ? own : named)].sort((a, b) => (b.op.wait_ns ?? 0) - (a.op.wait_ns ?? 0))[0]?.i ?? -1;
  }

  private paint(ops: Op[], shown: number[], view: View, heard: Map<number, number>): void {
    const width = Math.max(280, this.element.clientWidth || 900);
    const left = gutter(width);
    const rows = new Map<number, number>();  // where the middle of a rank's bars is
    let bottom = 0;
    for (const rank of shown) {
      rows.set(rank, bottom + this.rowHeight / 2);
      this.network.place(rank, bottom + this.rowHeight);
      bottom += this.rowHeight + this.network.heightOf(rank);
    }
    bottom = Math.max(bottom, this.rowHeight);
    const context = sized(this.canvas, width, bottom + kAxisHeight);
    const axis = new TimeAxis(view, left, width - 4);
    context.save();
    context.beginPath();
    context.rect(left, 0, axis.right - left, bottom);
    context.clip();
    this.bars = ops.map(op => ({
      op, x: axis.x(readyOf(op)), end: axis.x(op.end_ns ?? (isOpen(op) ? Math.max(op.start_ns, heard.get(op.rank) ?? 2 * Math.max(view.to, op.start_ns)) : knownUntil(op))), y: rows.get(op.rank)!,
    }));
    const named = new Map<number, number>();  // by row, up to where there are names
    const hung = new Set<number>();  // rows that are red from there on
    this.network.paint(context, axis);
    for (const bar of this.bars) this.paintWait(context, axis, bar, hung);
    this.bars.forEach((bar, i) => this.paintTransfer(context, axis, bar, i === this.chosen));
    for (const bar of this.bars) this.paintName(context, axis, bar, named);
    this.paintArrows(context, axis, rows);
    context.restore();
    for (const rank of shown) drawNames(context, ["rank " + rank], rows.get(rank)! - this.rowHeight / 2, this.rowHeight, left - 6);
    this.network.paintNames(context, left - 6);
    context.strokeStyle = colour("line");
    context.strokeRect(left - 0.5, 0.5, axis.right - left + 1, bottom);
    axis.draw(context, bottom);
  }

  private paintWait(context: CanvasRenderingContext2D, axis: TimeAxis, bar: Bar, hung: Set<number>): void {
    const { op, x, y } = bar, half = this.rowHeight * 0.3;
    const hangs = isOpen(op), waited = this.waitedUntil(axis, bar);
    context.fillStyle = hangs ? colour("bad") : colour("wait");
    context.globalAlpha = hangs ? 0.5 : 1;
    if (!hangs || !hung.has(y)) context.fillRect(x, y - half, Math.max(0, waited - x), 2 * half);
    if (hangs) hung.add(y);
    context.globalAlpha = 1;
  }

  // Above the waits: one of another operation of the rank may be as long.
  private paintTransfer(context: CanvasRenderingContext2D, axis: TimeAxis, bar: Bar, chosen: boolean): void {
    const { op, x, end, y } = bar, half = this.rowHeight * 0.3, waited = this.waitedUntil(axis, bar);
    if (op.end_ns !== null) {
      context.fillStyle = colour("transfer");
      context.fillRect(waited, y - half, Math.max(1, end - waited), 2 * half);
    }
    const error = op.error_ns > 0 ? axis.x(readyOf(op) + op.error_ns) - x : 0;
    context.strokeStyle = colour("ink");
    if (error >= 1) {  // an interval around the arrival
      context.beginPath();
      context.moveTo(x - error, y + half + 2);
      context.lineTo(x + error, y + half + 2);
      context.stroke();
    }
    if (chosen) context.strokeRect(Math.max(x, axis.left) - 1, y - half - 2, Math.min(end, axis.right) - Math.max(x, axis.left) + 2, 2 * half + 4);
  }

  private waitedUntil(axis: TimeAxis, { op, end }: Bar): number {
    return isOpen(op) ? end : axis.x(knownUntil(op));
  }

  // Above all bars; of several that are in flight where it would stand, the first has its name there.
  private paintName(context: CanvasRenderingContext2D, axis: TimeAxis, bar: Bar, named: Map<number, number>): void {
    const { op, x, end, y } = bar, waited = this.waitedUntil(axis, bar);
    const needed = context.measureText(nameOf(op)).width + 8;
    const room = (from: number, to: number) => Math.min(to, axis.right) - Math.max(from, axis.left) > needed;
    const inTransfer = room(waited, end);
    if (!inTransfer && !room(x, waited)) return;
    const at = Math.max(inTransfer ? waited : x, axis.left) + 4;
    if (at < (named.get(y) ?? 0)) return;
    named.set(y, at + needed);
    context.fillStyle = colour(inTransfer ? "on-transfer" : "ink");
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillText(nameOf(op), at, y);
  }

  private paintArrows(context: CanvasRenderingContext2D, axis: TimeAxis, rows: Map<number, number>): void {
    context.strokeStyle = context.fillStyle = colour("bad");
    const waits = this.bars.filter(({ op }) => op.wait_ns !== null && op.wait_ns > 0 && op.last_rank !== null && op.last_rank !== op.rank && rows.has(op.last_rank))
      .sort((a, b) => b.op.wait_ns! - a.op.wait_ns!).slice(0, kMostArrows);
    for (const { op, y } of waits) {
      const x = axis.x(readyOf(op) + op.wait_ns!);
      if (x - axis.x(readyOf(op)) < 6) continue;  // too short to be told apart
      const to = rows.get(op.last_rank!)!, way = to > y ? 1 : -1;
      context.globalAlpha = 0.7;
      context.beginPath();
      context.moveTo(x, y + way * 7);
      context.lineTo(x, to - way * 8);
      context.stroke();
      context.beginPath();
      context.moveTo(x, to - way * 7);
      context.lineTo(x - 3, to - way * 12);
      context.lineTo(x + 3, to - way * 12);
      context.fill();
      context.globalAlpha = 1;
    }
  }
}
