// The axis of time that heat map and timeline share: a gutter for names on the left, marks below.
import { colour } from "./dom";
import { tickStep, timeMark } from "./words";
import type { View } from "./view";

export const kAxisHeight = 22;
const kNameHeight = 14;

// The width of the names on the left: what a phone has room for holds "finding 1" and "rank 1023".
export function gutter(width: number): number {
  return width < 500 ? 68 : 84;
}

export interface Mark {
  ns: number;
  text: string;
}

// As many as have room on so many pixels.
export function timeMarks(from: number, to: number, width: number): Mark[] {
  const step = tickStep(to - from, width / 90), marks: Mark[] = [];
  for (let ns = Math.ceil(from / step) * step; ns <= to; ns += step) marks.push({ ns, text: timeMark(ns, step, to) });
  return marks;
}

export class TimeAxis {
  constructor(private view: View, readonly left: number, readonly right: number) {}

  x(ns: number): number {
    return this.left + (ns - this.view.from) / (this.view.to - this.view.from) * (this.right - this.left);
  }
  ns(x: number): number {
    return this.view.from + (x - this.left) / (this.right - this.left) * (this.view.to - this.view.from);
  }

  draw(context: CanvasRenderingContext2D, top: number): void {
    context.fillStyle = colour("muted");
    context.strokeStyle = colour("line");
    context.textBaseline = "top";
    for (const { ns, text } of timeMarks(this.view.from, this.view.to, this.right - this.left)) {
      const x = this.x(ns);
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, top + 4);
      context.stroke();
      const width = context.measureText(text).width;
      context.textAlign = "left";
      context.fillText(text, Math.min(Math.max(x - width / 2, 0), this.right - width), top + 7);
    }
  }
}

// Names of rows beside them, as many as fit: first those that a reader looks for, by row, which stand out.
export function drawNames(context: CanvasRenderingContext2D, names: string[], top: number, height: number, right: number, sought = new Map<number, string>()): void {
  const every = 2 ** Math.max(0, Math.ceil(Math.log2(kNameHeight / height)));
  context.textBaseline = "middle";
  context.textAlign = "right";
  const taken: number[] = [];
  const draw = (name: string, row: number) => {
    const y = top + (row + 0.5) * height;
    if (height < kNameHeight && taken.some(other => Math.abs(other - y) < kNameHeight)) return;
    let text = name;
    while (text.length > 4 && context.measureText(text).width > right - 2) text = text.slice(0, -2) + "…";
    context.fillText(text, right, y);
    taken.push(y);
  };
  const font = context.font;
  context.font = "bold " + font;
  context.fillStyle = colour("bad");
  sought.forEach(draw);
  context.font = font;
  context.fillStyle = colour("muted");
  names.forEach((name, row) => {
    if (row % every === 0 && !sought.has(row)) draw(name, row);
  });
}
