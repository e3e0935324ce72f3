// The search field: "rank 512", "ranks 8-15", "AllReduce #4711", "AllReduce #4711 on dp", a host's name. Says where it found nothing.
import { make } from "./dom";
import { type Found, operationsNamed } from "./operation_search";
import type { Run } from "./run";
import type { Source } from "./source";
import type { View } from "./view";
import { duration } from "./words";

export type Show = (view: Partial<View>) => void;

// Ranks by their numbers: "rank 512", "512", "ranks 8-15", "ranks 8 to 15". Null: the text is about something else.
function ranksNamed(text: string): [number, number] | null {
  const named = /^(?:ranks?\s*)?(\d+)(?:\s*(?:-|to)\s*(\d+))?$/i.exec(text);
  if (!named) return null;
  const [first, last] = [Number(named[1]), Number(named[2] ?? named[1])];
  return [Math.min(first, last), Math.max(first, last)];
}

function ranksOfHost(text: string, run: Run): [number, number] | null {
  const ranks = run.places.filter(place => place[1].toLowerCase() === text.toLowerCase()).map(place => place[0]).filter(number => number >= 0);
  return ranks.length === 0 ? null : [Math.min(...ranks), Math.max(...ranks)];
}

function noSuchRank([first, last]: [number, number], run: Run): string {
  const known = run.places.map(place => place[0]).filter(number => number >= 0);
  const here = known.length === 0 ? "no rank is known" : `this run has ${Math.min(...known)} to ${Math.max(...known)}`;
  return `There is no rank ${first === last ? first : `from ${first} to ${last}`}: ${here}.`;
}

// The number of an operation needs its # only where the word before is no function of this run, but a host, say.
function operationNamed(text: string, run: Run): { func: string; ordinal: number; communicator: string } | null {
  const named = /^([a-z]+)\s*(#?)\s*(\d+)(?:\s+on\s+(.+))?$/i.exec(text);
  return named && (named[2] === "#" || isFunction(named[1], run)) ? { func: named[1], ordinal: Number(named[3]), communicator: named[4] ?? "" } : null;
}

function isFunction(text: string, run: Run): boolean {
  return run.kinds.some(kind => kind.func.toLowerCase() === text.toLowerCase());
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
    const ranks = ranksNamed(text), host = ranksOfHost(text, run()), operation = operationNamed(text, run());
    if (host) show({ firstRank: host[0], lastRank: host[1] });
    else if (ranks) {
      if (!run().places.some(place => place[0] >= ranks[0] && place[0] <= ranks[1])) {
        said.textContent = noSuchRank(ranks, run());
        return;
      }
      show({ firstRank: ranks[0], lastRank: ranks[1] });
    } else if (operation) {
      const { func, ordinal, communicator } = operation;
      const found = await operationsNamed(func, ordinal, communicator, run(), source, whole());
      said.textContent = found.length === 0 ? `There is no ${text} ${whereOperationsAre(run(), source)}.` : oneOf(`${func} #${ordinal}`, found);
      if (found.length === 0) return;
      showOperation(found[0]);
      return;
    } else {
      said.textContent = isFunction(text, run()) ? `Which ${text}? Its number finds it: "${text} #7".`
        : `Nothing found for "${text}". Try a rank ("rank 3"), an operation ("AllReduce #7") or a host's name.`;
      return;
    }
    document.getElementById("ranks")?.scrollIntoView();
  };
  return make("form", { class: "search", role: "search", submit: event => {
    event.preventDefault();
    find().catch((error: Error) => said.textContent = error.message);
  } }, field, make("button", { type: "submit" }, "Find"), said);
}
