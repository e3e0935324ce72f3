// Whose single operations are shown where a server gives those of a few ranks only: half are those that others waited for
// most in view, the rest the first of the others, who waited.
import { kNobody, type Tiles } from "./tiles";

const kMostAsked = 16;  // that /api/ops takes

export function ranksToShow(ranks: number[], tiles: Tiles | null): number[] {
  if (ranks.length <= kMostAsked) return ranks;
  const caused = new Map<number, number>();
  tiles?.worst.forEach((rank, cell) => {
    if (rank !== kNobody) caused.set(rank, (caused.get(rank) ?? 0) + tiles.caused[cell]);
  });
  const worst = ranks.filter(rank => caused.has(rank)).sort((a, b) => caused.get(b)! - caused.get(a)!).slice(0, kMostAsked / 2);
  const others = ranks.filter(rank => !worst.includes(rank)).slice(0, kMostAsked - worst.length);
  return [...worst, ...others].sort((a, b) => a - b);
}
