// What a reader was led to, or went to with the keyboard, in a plot: a point of bandwidth by size, or a pair of ranks of which one
// sends to the other. It stands in the address bar, so that a link leads there again, until another window of time is shown.
import type { Place } from "./run";
import { parameters, replaceAddress } from "./view";

export interface Point {
  func: string;
  nranks: number;
  size_bytes: number;
}
export interface Pair {
  communicator: string;
  from: number;  // ranks
  to: number;
}

export function pointOf({ func, nranks, size_bytes }: Place): Point | null {
  return func === undefined || nranks === undefined || size_bytes === undefined ? null : { func, nranks, size_bytes };
}

export function pairOf({ communicator, from, to }: Place): Pair | null {
  return communicator === undefined || from === undefined || to === undefined ? null : { communicator, from, to };
}

// What can show a mark.
export interface Markable<What> {
  element: HTMLElement;  // takes the keyboard
  has: (what: What) => boolean;
  repaint: () => void;
}
// Made anew with each reading of a run that goes on.
export interface Plots {
  points: Markable<Point>[];
  pairs: Markable<Pair>[];
}

export class Marked {
  point: Point | null = null;
  pair: Pair | null = null;
  plots: Plots = { points: [], pairs: [] };

  constructor() {
    this.read();
  }

  hasPoint(point: Point | null): point is Point {
    return point !== null && this.plots.points.some(plot => plot.has(point));
  }
  hasPair(pair: Pair | null): pair is Pair {
    return pair !== null && this.plots.pairs.some(plot => plot.has(pair));
  }

  // One thing at a time.
  markPoint(point: Point): void {
    this.mark(point, null);
  }
  markPair(pair: Pair): void {
    this.mark(null, pair);
  }

  // Brings the reader and the keyboard there, too.
  leadToPoint(point: Point): void {
    this.mark(point, null);
    this.look();
  }
  leadToPair(pair: Pair): void {
    this.mark(null, pair);
    this.look();
  }

  // At what is marked; where nothing is, or this run has no such place, the reader stays where he is.
  look(): void {
    const plot = this.plots.points.find(one => this.point !== null && one.has(this.point)) ??
      this.plots.pairs.find(one => this.pair !== null && one.has(this.pair));
    plot?.element.focus({ preventScroll: true });
    plot?.element.scrollIntoView({ block: "center" });
  }

  // A link that is followed in this tab.
  goToAddress(): void {
    this.read();
    this.repaint();
    this.look();
  }

  private mark(point: Point | null, pair: Pair | null): void {
    this.point = point;
    this.pair = pair;
    this.repaint();
    const said = parameters();
    said.delete("size");
    said.delete("pair");
    if (point) said.set("size", `${point.func}-${point.nranks}-${point.size_bytes}`);
    if (pair) said.set("pair", `${pair.from}-${pair.to}-${pair.communicator}`);
    replaceAddress(said);
  }

  private repaint(): void {
    for (const plot of [...this.plots.points, ...this.plots.pairs]) plot.repaint();
  }

  private read(): void {
    const said = parameters();
    const size = /^([A-Za-z]+)-(\d+)-(\d+)$/.exec(said.get("size") ?? ""), pair = /^(\d+)-(\d+)-(.+)$/s.exec(said.get("pair") ?? "");
    this.point = size && { func: size[1], nranks: Number(size[2]), size_bytes: Number(size[3]) };
    this.pair = pair && { from: Number(pair[1]), to: Number(pair[2]), communicator: pair[3] };
  }
}
