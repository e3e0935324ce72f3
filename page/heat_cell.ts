// One cell of the heat map: what it says, and the one that the keyboard is at.
import { kLost, kNobody, kNoData, kPartly, type Tiles } from "./tiles";
import { duration, instant, percent } from "./words";

export function cellSentence(tiles: Tiles, at: number): string {
  const row = tiles.rows[Math.floor(at / tiles.columns)];
  const from = tiles.from_ns + (at % tiles.columns) * tiles.bucket_ns;
  const several = row.first !== row.last, when = (ns: number) => instant(ns, tiles.bucket_ns);
  const who = row.label === undefined ? (several ? `Ranks ${row.first} to ${row.last}` : "Rank " + row.first)
    : row.label + (several ? `, first rank ${row.first}, last ${row.last}` : `, rank ${row.first}`);
  if (tiles.flags[at] & kNoData) return `${who}, ${when(from)}: nothing recorded.`;
  return `${who}, ${when(from)} to ${when(from + tiles.bucket_ns)}: ` +
    `in operations ${percent(tiles.busy[at])}, waited ${percent(tiles.waiting[at])}, ` +
    `made others wait ${percent(tiles.caused[at])}` +
    (several && tiles.worst[at] !== kNobody ? ` (most: rank ${tiles.worst[at]})` : "") +
    (tiles.longest_us[at] ? `; longest wait ${duration(tiles.longest_us[at] * 1000)}` : "") +
    (tiles.flags[at] & kLost ? "; calls were lost here" : "") + (tiles.flags[at] & kPartly ? (several ? "; not all ranks recorded" : "; recorded in part only") : "") + ".";
}

// What of the tiles is in view: rows, and columns from the first to before the last.
export interface Cells {
  tiles: Tiles;
  rows: number[];
  columns: [number, number];
}
export interface Place {
  line: number;  // of the rows in view
  column: number;
}

function nearest(cells: Cells, rank: number, label: string | undefined): number {
  const away = (row: number) => {
    const { first, last } = cells.tiles.rows[row];
    return rank < first ? first - rank : Math.max(0, rank - last);
  };
  const same = cells.rows.findIndex(row => label !== undefined && cells.tiles.rows[row].label === label);
  return same >= 0 ? same : cells.rows.reduce((best, row, line) => away(row) < away(cells.rows[best]) ? line : best, 0);
}

// Kept as a time and a rank: other tiles, of another window or a later reading, have their cells elsewhere.
export class CellCursor {
  private at: { ns: number; rank: number; label?: string } | null = null;

  get ns(): number | null {
    return this.at?.ns ?? null;
  }

  clear(): void {
    this.at = null;
  }

  set({ tiles, rows }: Cells, { line, column }: Place): void {
    const { first, label } = tiles.rows[rows[line]];
    this.at = { ns: tiles.from_ns + (column + 0.5) * tiles.bucket_ns, rank: first, label };
  }

  // To where no cell is in view: the next window has it.
  leave(ns: number, ranks: number): void {
    if (this.at !== null) this.at = { ...this.at, ns: this.at.ns + ns, rank: this.at.rank + ranks };
  }

  // Null: there is none, or it is out of view.
  place(cells: Cells): Place | null {
    if (this.at === null || cells.rows.length === 0) return null;
    const column = Math.floor((this.at.ns - cells.tiles.from_ns) / cells.tiles.bucket_ns), line = nearest(cells, this.at.rank, this.at.label);
    const { first, last, label } = cells.tiles.rows[cells.rows[line]];
    const there = this.at.label === undefined ? first <= this.at.rank && this.at.rank <= last : this.at.label === label;
    return there && column >= cells.columns[0] && column < cells.columns[1] ? { line, column } : null;
  }

  // Into a window that is another now.
  enter(cells: Cells): void {
    if (this.at === null || cells.rows.length === 0 || cells.columns[0] === cells.columns[1] || this.place(cells) !== null) return;
    const column = Math.floor((this.at.ns - cells.tiles.from_ns) / cells.tiles.bucket_ns);
    this.set(cells, { line: nearest(cells, this.at.rank, this.at.label), column: Math.min(cells.columns[1] - 1, Math.max(cells.columns[0], column)) });
  }
}

// Where what is shown is strongest: what a reader looks at first.
export function strongest({ tiles, rows, columns }: Cells, values: Float32Array): Place {
  let best = { line: 0, column: columns[0] }, most = -1;
  rows.forEach((row, line) => {
    for (let column = columns[0]; column < columns[1]; ++column) {
      if (values[row * tiles.columns + column] <= most) continue;
      most = values[row * tiles.columns + column];
      best = { line, column };
    }
  });
  return best;
}
