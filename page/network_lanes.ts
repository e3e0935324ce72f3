// Network operations and their steps beneath the bars of each rank: a lane for each channel and direction, in it a rectangle for each
// network operation, and on that its steps, in the colours of their states. What is in flight at a time stands below each other.
import { colour } from "./dom";
import { kStates, type NetworkOperation, type NetworkStep, type NetworkSteps, partsOf, sentenceOfOperation, sentenceOfStep, type State } from "./network_steps";
import type { TimeAxis } from "./time_axis";

const kStep = 5;  // px from one step to the one below it
const kLeast = 14;  // of a network operation, for the lane's name
export const kMostInFlight = 8;  // steps that are drawn below each other: NCCL has no more buffers on a connection
export const kMostBands = 2;  // network operations below each other: one moves, the next begins; later ones are posted already, and only wait
const kMostHeight = 960;  // px of the lanes of all ranks: more is not seen at once
const kNearest = 4;  // px: a click beside a step still means it

// CSS variables.
const kColours: Record<State, string> = { posting: "muted", gpu: "series-4", peer: "series-2", network: "series-1", data: "series-6", flush: "series-3" };

// A network operation, or one of its steps.
export interface Item {
  lane: Lane;
  op: NetworkOperation;
  step: NetworkStep | null;
  from: number;  // ns: drawn from there
  top: number;  // px, in the lane
  height: number;
}
interface Lane {
  rank: number;
  channel: number;
  direction: "send" | "receive";
  items: Item[];  // those that are drawn, in the order of time
  height: number;
  top: number;
  operationsCut: number;
  operationsLeftOut: number;
  stepsLeftOut: number;
}

function startOf({ op, step }: Item): number {
  return (step ?? op).start_ns;
}
function endOf({ op, step }: Item): number {
  return (step ?? op).end_ns ?? Infinity;
}

// The same in every reading of the run.
export function keyOfItem({ op, step }: Item): string {
  return [op.rank, op.channel, op.direction, op.start_ns, ...(step === null ? [] : [step.step, step.start_ns])].join(" ");
}

export class NetworkLanes {
  readonly states = new Set<State>();  // that are drawn
  lanesLeftOut = 0;
  operationsCut = 0;  // drawn later than they began
  operationsLeftOut = 0;  // more in flight at a time than have room
  stepsLeftOut = 0;  // likewise
  chosen: Item | null = null;
  private lanes: Lane[] = [];
  private axis: TimeAxis | null = null;  // of the last drawing

  constructor(found: NetworkSteps | null, ranks: number[], to: number) {
    if (found === null) return;
    const all = new Map<string, { lane: Lane; groups: Item[][] }>();
    const groups = found.operations.map(op => {
      const key = `${op.rank} ${op.channel} ${op.direction}`;
      const one = all.get(key) ?? { lane: { rank: op.rank, channel: op.channel, direction: op.direction, items: [], height: 0, top: 0, operationsCut: 0, operationsLeftOut: 0, stepsLeftOut: 0 }, groups: [] };
      all.set(key, one);
      const group: Item[] = [{ lane: one.lane, op, step: null, from: 0, top: 0, height: 0 }];
      one.groups.push(group);
      return group;
    });
    for (const step of found.steps) {
      const group = groups[step.network_operation];
      group.push({ ...group[0], step });
    }
    for (const rank of ranks) {
      let height = 0;
      [...all.values()].filter(({ lane }) => lane.rank === rank).forEach((one, i) => {
        this.layOut(one.lane, one.groups, to);
        height += one.lane.height;
        if (i < 2 || height <= kMostHeight / ranks.length) this.add(one.lane);
        else ++this.lanesLeftOut;
      });
    }
  }

  private add(lane: Lane): void {
    this.lanes.push(lane);
    this.operationsCut += lane.operationsCut;
    this.operationsLeftOut += lane.operationsLeftOut;
    this.stepsLeftOut += lane.stepsLeftOut;
    for (const { step } of lane.items) if (step !== null) for (const { state } of partsOf(step, lane.direction)) this.states.add(state);
  }

  // Operations in flight at a time below each other, and on each its steps, in the first row that is free when they begin. One that
  // was posted behind others is drawn from when one of those ended.
  private layOut(lane: Lane, groups: Item[][], to: number): void {
    const free: { from: number; rows: number; items: Item[] }[] = [];  // bands, each with operations that follow each other
    for (const [operation, ...steps] of groups) {
      const rows: number[] = [];  // until when they are taken
      const drawn = steps.filter(item => {
        const row = rows.findIndex(ns => ns <= startOf(item));
        item.top = row < 0 ? rows.length : row;
        if (item.top < kMostInFlight) rows[item.top] = endOf(item);
        return item.top < kMostInFlight;
      });
      let band = free.find(one => one.from <= startOf(operation));
      if (band === undefined && free.length < kMostBands) free.push(band = { from: 0, rows: 0, items: [] });
      band ??= free.reduce((first, one) => one.from < first.from ? one : first);
      const from = band.from;
      if (endOf(operation) <= from || from >= to) {
        ++lane.operationsLeftOut;
        continue;
      }
      if (from > startOf(operation)) ++lane.operationsCut;
      const seen = [operation, ...drawn.filter(item => endOf(item) > from)];
      for (const item of seen) item.from = Math.max(startOf(item), from);
      band.from = endOf(operation);
      band.rows = Math.max(band.rows, rows.length);
      band.items.push(...seen);
      lane.stepsLeftOut += steps.length - drawn.length;
    }
    for (const { rows, items } of free) {
      const height = Math.max(kLeast, rows * kStep + 5);
      for (const item of items) {
        item.top = lane.height + (item.step === null ? 1 : 3 + item.top * kStep);
        item.height = item.step === null ? height - 2 : kStep - 1;
      }
      lane.items.push(...items);
      lane.height += height;
    }
    lane.items.sort((a, b) => startOf(a) - startOf(b) || Number(a.step !== null) - Number(b.step !== null));
  }

  heightOf(rank: number): number {
    return this.lanes.filter(lane => lane.rank === rank).reduce((sum, lane) => sum + lane.height, 0);
  }

  // Beneath a rank's bars, which end there.
  place(rank: number, top: number): void {
    for (const lane of this.lanes) {
      if (lane.rank !== rank) continue;
      lane.top = top;
      top += lane.height;
    }
  }

  paint(context: CanvasRenderingContext2D, axis: TimeAxis): void {
    this.axis = axis;
    const colours = Object.fromEntries((Object.keys(kStates) as State[]).map(state => [state, colour(kColours[state])])) as Record<State, string>;
    const behind = colour("unknown"), around = colour("muted");
    for (const lane of this.lanes) {
      for (const item of lane.items) if (item.step === null) this.paintOperation(context, axis, item, behind, around);
      for (const item of lane.items) if (item.step !== null) this.paintStep(context, axis, item, item.step, colours);
    }
    if (this.chosen === null) return;
    const { x, width, y, height } = this.boxOf(this.chosen, axis);
    context.strokeStyle = colour("ink");
    context.lineWidth = 2;
    context.strokeRect(x - 1, y - 1, width + 2, height + 2);
    context.lineWidth = 1;
  }

  paintNames(context: CanvasRenderingContext2D, right: number): void {
    const font = context.font;
    context.font = "10px system-ui, sans-serif";
    context.fillStyle = colour("muted");
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const lane of this.lanes) context.fillText(`ch ${lane.channel} ${lane.direction}`, right, lane.top + lane.height / 2, right);
    context.font = font;
  }

  // At a place of the canvas: a step before the network operation that it lies on.
  at(x: number, y: number): Item | null {
    const lane = this.lanes.find(one => y >= one.top && y < one.top + one.height), axis = this.axis;
    if (lane === undefined || axis === null) return null;
    const hits = lane.items.filter(item => {
      const box = this.boxOf(item, axis);
      return x >= box.x - (item.step ? kNearest : 0) && x <= box.x + box.width + (item.step ? kNearest : 0) && y >= box.y - 1 && y <= box.y + box.height + 1;
    });
    return hits.find(item => item.step !== null && axis.x(item.from) <= x && x <= axis.x(endOf(item))) ?? hits.find(item => item.step !== null) ?? hits[0] ?? null;
  }

  // The first that works for an operation of this rank, else the first beneath it.
  firstOf(rank: number, func: string, ordinal: number): Item | null {
    const own = this.lanes.filter(lane => lane.rank === rank).flatMap(lane => lane.items);
    return own.find(({ op }) => op.func === func && op.ordinal === ordinal) ?? own[0] ?? null;
  }

  // From what is chosen, by an arrow key; null: above it are the operations.
  beside(item: Item, key: string): Item | null {
    const { lane } = item;
    const step = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
    if (key === "ArrowLeft" || key === "ArrowRight") return lane.items[lane.items.indexOf(item) + step] ?? item;
    const own = this.lanes.filter(one => one.rank === lane.rank), next = own[own.indexOf(lane) + step];
    if (next === undefined) return step < 0 ? null : item;
    const alike = next.items.filter(one => (one.step === null) === (item.step === null));
    const distance = (one: Item) => Math.abs(startOf(one) - startOf(item));
    return (alike.length > 0 ? alike : next.items).reduce((best, one) => distance(one) < distance(best) ? one : best);
  }

  // What has this key in these lanes, if anything; of another reading or window.
  choose(key: string): void {
    this.chosen = key === "" ? null : this.lanes.flatMap(lane => lane.items).find(item => keyOfItem(item) === key) ?? null;
  }

  sentence({ lane, op, step }: Item): string {
    return step !== null ? sentenceOfStep(step, op) : sentenceOfOperation(op, lane.items.filter(one => one.op === op && one.step !== null).length);
  }

  private boxOf(item: Item, axis: TimeAxis): { x: number; width: number; y: number; height: number } {
    const x = Math.max(axis.left, axis.x(item.from)), end = Math.min(axis.right, axis.x(endOf(item))), { lane } = item;
    return { x, width: Math.max(1, end - x), y: lane.top + item.top, height: item.height };
  }

  private paintOperation(context: CanvasRenderingContext2D, axis: TimeAxis, item: Item, behind: string, around: string): void {
    const { x, width, y, height } = this.boxOf(item, axis);
    context.fillStyle = behind;
    context.fillRect(x, y, width, height);
    context.strokeStyle = around;
    context.strokeRect(x + 0.5, y + 0.5, Math.max(0, width - 1), height - 1);
  }

  // One of less than a pixel is seen all the same, in the colour of its longest state.
  private paintStep(context: CanvasRenderingContext2D, axis: TimeAxis, item: Item, step: NetworkStep, colours: Record<State, string>): void {
    const { x, width, y, height } = this.boxOf(item, axis), parts = partsOf(step, item.lane.direction);
    const longest = parts.reduce((most, part) => part.ns > most.ns ? part : most, { state: "posting" as State, ns: 0 });
    context.fillStyle = colours[longest.state];
    context.fillRect(x, y, width, height);
    let from = step.start_ns;
    for (const { state, ns } of width < 2 ? [] : parts) {
      const left = Math.max(x, axis.x(from)), right = Math.min(axis.right, axis.x(from + ns));
      context.fillStyle = colours[state];
      if (right > left) context.fillRect(left, y, right - left, height);
      from += ns;
    }
  }
}
