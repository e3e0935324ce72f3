// Whom others waited for in view: the answer in words, also for who cannot point at a cell.
import { make, unbroken } from "./dom";
import { kNobody, type Tiles } from "./tiles";
import type { View } from "./view";
import { percent } from "./words";

const kMostNamed = 4, kLeastShare = 0.005;
const kLeastCells = 4;  // in view: what lies in fewer may have been before or behind it

// Of the time in view, the share in which somebody waited for that rank; the most first.
function sharesOf(tiles: Tiles, view: View): [number, number][] {
  const sums = new Map<number, number>();
  const first = Math.max(0, Math.floor((view.from - tiles.from_ns) / tiles.bucket_ns));
  const last = Math.min(tiles.columns, Math.ceil((view.to - tiles.from_ns) / tiles.bucket_ns));
  if (last - first < kLeastCells) return [];
  for (let row = 0; row < tiles.rows.length; ++row)
    for (let column = first; column < last; ++column) {
      const at = row * tiles.columns + column, rank = tiles.worst[at];
      if (rank !== kNobody && rank >= view.firstRank && rank <= view.lastRank) sums.set(rank, (sums.get(rank) ?? 0) + tiles.caused[at]);
    }
  return [...sums].map(([rank, sum]): [number, number] => [rank, Math.min(1, sum / Math.max(1, last - first))]).sort((a, b) => b[1] - a[1]);
}

export class WaitedFor {
  readonly element = make("p", { id: "waited-for" });

  constructor(private show: (view: Partial<View>) => void) {}

  // Rows of communicators have a rank several times, once for each.
  draw(tiles: Tiles, view: View): void {
    const named = view.by === "rank" || view.by === "host" ? sharesOf(tiles, view).filter(([, share]) => share >= kLeastShare).slice(0, kMostNamed) : [];
    this.element.hidden = named.length === 0;
    this.element.replaceChildren("Others waited most for ", ...named.flatMap(([rank, share], i) => [i === 0 ? "" : ", ",
      make("button", { type: "button", class: "link", click: () => this.show({ firstRank: rank, lastRank: rank }) }, "rank " + rank),
      unbroken(` (${percent(share)}`) + `${i === 0 ? " of the time in view" : ""})`]), ".");
  }
}
