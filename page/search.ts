// The search field: "rank 512", "AllReduce #4711", a host's name, a section's title. Says where it found nothing.
import { make } from "./dom";
import type { Run } from "./run";
import type { Source } from "./source";
import type { View } from "./view";

export type Show = (view: Partial<View>) => void;

// A rank's window, or a host's ranks.
function ranksOf(text: string, run: Run): [number, number] | null {
  const rank = /^rank\s+(\d+)$/i.exec(text);
  if (rank) {
    const number = Number(rank[1]);
    return run.places.some(place => place[0] === number) ? [number, number] : null;
  }
  const host = run.places.filter(place => place[1].toLowerCase() === text.toLowerCase()).map(place => place[0]).filter(number => number >= 0);
  return host.length === 0 ? null : [Math.min(...host), Math.max(...host)];
}

// When the operation of that name was, and a little around it; null where it is not known here.
export async function operationAt(func: string, ordinal: number, run: Run, source: Source, whole: View): Promise<[number, number] | null> {
  const wide = (from: number, to: number): [number, number] => {
    const around = Math.max(1000, (to - from) * 0.4);
    return [from - around, to + around];
  };
  if (source.served) {
    const known = run.kinds.find(kind => kind.func.toLowerCase() === func.toLowerCase());
    if (!known || !/^[A-Za-z]+$/.test(known.func)) return null;
    const answer = await source.query(`SELECT min(start_ns) - (SELECT min(first_ns) FROM processes), max(coalesce(finish_ns, start_ns)) - ` +
      `(SELECT min(first_ns) FROM processes) FROM matches WHERE func = '${known.func}' AND ordinal = ${ordinal} AND start_ns IS NOT NULL`);
    const row = answer.rows[0];
    return row && row[0] !== null ? wide(Number(row[0]), Number(row[1])) : null;
  }
  const found = (await source.ops(whole)).ops.filter(op => op.func.toLowerCase() === func.toLowerCase() && op.ordinal === ordinal);
  if (found.length === 0) return null;
  return wide(Math.min(...found.map(op => op.start_ns)), Math.max(...found.map(op => op.end_ns ?? op.start_ns + (op.wait_ns ?? 0))));
}

export function search(run: () => Run, source: Source, whole: () => View, show: Show): HTMLElement {
  const field = make("input", { id: "search", type: "search", placeholder: "rank 3, AllReduce #7, a host", "aria-label": "Search: a rank, an operation or a host" });
  const said = make("p", { class: "said", role: "status" });
  const find = async () => {
    const text = field.value.trim();
    said.textContent = "";
    if (text === "") return;
    const operation = /^([a-z]+)\s*#\s*(\d+)$/i.exec(text);
    const ranks = ranksOf(text, run());
    if (ranks) show({ firstRank: ranks[0], lastRank: ranks[1] });
    else if (operation) {
      const span = await operationAt(operation[1], Number(operation[2]), run(), source, whole());
      if (span) show({ from: span[0], to: span[1] });
      else said.textContent = `There is no ${text} ` + (source.served ? "in this run." : "among the operations in this page; `lockstep query` knows all of them.");
      if (!span) return;
    } else {
      said.textContent = `Nothing found for "${text}". Try a rank ("rank 3"), an operation ("AllReduce #7") or a host's name.`;
      return;
    }
    document.getElementById("ranks")?.scrollIntoView();
  };
  return make("form", { class: "search", role: "search", submit: event => {
    event.preventDefault();
    find().catch((error: Error) => said.textContent = error.message);
  } }, field, make("button", { type: "submit" }, "Find"), said);
}
