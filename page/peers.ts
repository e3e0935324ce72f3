// Who sends how much to whom: one square per communicator that sends and receives, rows send, columns receive. A pair can be marked,
// by a click or with the arrow keys.
import { arrowOf } from "./arrows";
import { colour, make, section, sized } from "./dom";
import type { Marked, Pair } from "./marked";
import type { Peers, Run } from "./run";
import { drawNames } from "./time_axis";
import { bytes, counted } from "./words";

const kLeft = 66, kTop = 20;  // pixels for names
const kLeastWidth = 84;  // that of a column's name

class Matrix {
  readonly element: HTMLElement;
  private canvas = make("canvas", { class: "peers", tabindex: "0", role: "application" });
  private readout = make("p", { class: "readout", "aria-live": "polite" });
  private side: number;  // of a cell, pixels
  private most: number;

  constructor(private peers: Peers, private marked: Marked) {
    this.side = Math.max(4, Math.min(28, Math.floor(400 / peers.side)));
    this.most = Math.max(...peers.cells.map(cell => cell[2]), 1);
    this.element = make("figure", {}, make("figcaption", {},
      `${peers.communicator}: darkest ${bytes(this.most)}` + (peers.ranks_per_cell > 1 ? `; a cell is ${peers.ranks_per_cell} x ${peers.ranks_per_cell} ranks` : "")), this.canvas, this.readout);
    this.canvas.setAttribute("aria-label", `Bytes sent between ${counted(peers.side, "group")} of ranks of ${peers.communicator}. Arrow keys go from pair to pair; ` +
      "the table \"Pairs of ranks that send most\" has the largest.");
    this.canvas.addEventListener("pointermove", event => this.say(this.cellAt(event)));
    this.canvas.addEventListener("click", event => {
      const cell = this.cellAt(event);
      if (cell !== null) this.mark(cell);
    });
    this.canvas.addEventListener("keydown", event => this.key(event));
    marked.plots.pairs.push({ element: this.canvas, has: pair => this.cellOf(pair) !== null, repaint: () => this.repaint() });
    requestAnimationFrame(() => this.repaint());
  }

  private repaint(): void {
    const { peers, side } = this, cell = this.marked.pair && this.cellOf(this.marked.pair);
    const context = sized(this.canvas, kLeft + Math.max(kLeastWidth, peers.side * side) + 4, kTop + peers.side * side + 4);
    const ramp = colour("heat-busy").split(" ").join(",");
    for (const [from, to, sent] of peers.cells) {
      context.fillStyle = `rgba(${ramp},${(0.1 + 0.9 * Math.sqrt(sent / this.most)).toFixed(3)})`;
      context.fillRect(kLeft + to * side, kTop + from * side, side - 1, side - 1);
    }
    context.strokeStyle = colour("line");
    context.strokeRect(kLeft - 0.5, kTop - 0.5, peers.side * side + 1, peers.side * side + 1);
    const names = Array.from({ length: peers.side }, (_, i) => "rank " + i * peers.ranks_per_cell);
    drawNames(context, names, kTop, side, kLeft - 6, cell ? new Map([[cell[0], names[cell[0]]]]) : undefined);
    context.textAlign = "left";
    context.textBaseline = "middle";
    if (cell) this.frame(context, cell, names);
    else context.fillText("to rank 0 \u2026", kLeft, 10);
    if (cell) this.say(cell);
    else this.readout.textContent = "";  // what was marked is in another square now
  }

  // Light and dark, so that it is seen on every colour; its column's name above.
  private frame(context: CanvasRenderingContext2D, [from, to]: [number, number], names: string[]): void {
    for (const [name, width, out] of [["paper", 5, 2], ["ink", 2, 1.5]] as const) {
      context.strokeStyle = colour(name);
      context.lineWidth = width;
      context.strokeRect(kLeft + to * this.side - out, kTop + from * this.side - out, this.side - 1 + 2 * out, this.side - 1 + 2 * out);
    }
    context.font = "bold " + context.font;
    context.fillStyle = colour("bad");
    const text = "to " + names[to], width = context.measureText(text).width;
    context.fillText(text, Math.min(kLeft + to * this.side, Math.max(0, kLeft + this.peers.side * this.side - width)), 8);
  }

  private cellOf({ communicator, from, to }: Pair): [number, number] | null {
    const { peers } = this, row = Math.floor(from / peers.ranks_per_cell), column = Math.floor(to / peers.ranks_per_cell);
    return communicator === peers.communicator && row < peers.side && column < peers.side ? [row, column] : null;
  }

  private cellAt(event: MouseEvent): [number, number] | null {
    const to = Math.floor((event.offsetX - kLeft) / this.side), from = Math.floor((event.offsetY - kTop) / this.side);
    return from >= 0 && to >= 0 && from < this.peers.side && to < this.peers.side ? [from, to] : null;
  }

  private mark([from, to]: [number, number]): void {
    const { communicator, ranks_per_cell } = this.peers;
    this.marked.markPair({ communicator, from: from * ranks_per_cell, to: to * ranks_per_cell });
  }

  // The first arrow goes to where most is sent.
  private key(event: KeyboardEvent): void {
    const step = arrowOf(event);
    if (!step) return;
    event.preventDefault();
    const at = this.marked.pair && this.cellOf(this.marked.pair), last = this.peers.side - 1;
    const [from, to] = at ?? this.peers.cells.reduce((best, cell) => cell[2] > best[2] ? cell : best, this.peers.cells[0] ?? [0, 0, 0, 0]);
    const within = (place: number) => Math.min(last, Math.max(0, place));
    this.mark(at ? [within(from + step[1]), within(to + step[0])] : [from, to]);
  }

  private say(place: [number, number] | null): void {
    if (place === null) return;
    const [from, to] = place, { ranks_per_cell, cells } = this.peers;
    const cell = cells.find(one => one[0] === from && one[1] === to);
    const name = (i: number) => ranks_per_cell === 1 ? "rank " + i : `ranks ${i * ranks_per_cell} to ${(i + 1) * ranks_per_cell - 1}`;
    this.readout.textContent = `From ${name(from)} to ${name(to)}: ${cell ? bytes(cell[2]) + " in " + counted(cell[3], "send") : "nothing"}.`;
  }
}

export function peers(run: Run, marked: Marked): HTMLElement | null {
  return run.peers.length === 0 ? null : section("peers", "Who sends to whom",
    make("p", {}, "By calls of send and receive, of which an all-to-all is made. Rows send, columns receive. Ranks are those of the communicator that is named."),
    make("div", { class: "figures" }, ...run.peers.map(one => new Matrix(one, marked).element)));
}
