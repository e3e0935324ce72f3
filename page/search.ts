// The search field: "rank 512", "AllReduce #4711", "AllReduce #4711 on dp", a host's name. Says where it found nothing.
import { make } from "./dom";
import { type Found, operationsNamed } from "./operation_search";
import type { Run } from "./run";
import type { Source } from "./source";
import type { View } from "./view";
import { duration } from "./words";

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

function whereOperationsAre(run: Run, source: Source): string {
  if (!source.served) return "among the operations in this page; `lockstep query` knows all of them";
  const from = run.serve?.report_from_ns ?? 0;
  return from > 0 ? `after ${duration(from)}: of so large a run only the last part is searched` : "in this run";
}

// What is said where the name means several: which one is shown, and how to ask for another.
function oneOf(text: string, found: Found[]): string {
  return found.length < 2 ? "" : `${found.length} communicators have ${text}. This is that of ${found[0].communicator}; ` +
    `for another one: "${text} on ${found[1].communicator}".`;
}

export function search(run: () => Run, source: Source, whole: () => View, show: Show, showOperation: (found: Found) => void): HTMLElement {
  const field = make("input", { id: "search", type: "search", placeholder: "rank 3, AllReduce #7, a host", "aria-label": "Search: a rank, an operation or a host" });
  const said = make("p", { class: "said", role: "status" });
  const find = async () => {
    const text = field.value.trim();
    said.textContent = "";
    if (text === "") return;
    const operation = /^([a-z]+)\s*#\s*(\d+)(?:\s+on\s+(.+))?$/i.exec(text);
    const ranks = ranksOf(text, run());
    if (ranks) show({ firstRank: ranks[0], lastRank: ranks[1] });
    else if (operation) {
      const found = await operationsNamed(operation[1], Number(operation[2]), operation[3] ?? "", run(), source, whole());
      said.textContent = found.length === 0 ? `There is no ${text} ${whereOperationsAre(run(), source)}.` : oneOf(text, found);
      if (found.length === 0) return;
      showOperation(found[0]);
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
