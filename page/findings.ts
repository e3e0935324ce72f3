// Findings with what they rest on, and what is not known.
import { lead, make, section, words } from "./dom";
import { type Marked, pairOf, pointOf } from "./marked";
import type { Place, Run, Verdict } from "./run";
import type { View } from "./view";
import { moment, percent } from "./words";

const kShown = 8;  // lines of evidence before "more"

// What a reader can be led to from a finding.
export interface Ways {
  show: (view: Partial<View>) => void;
  look: (func: string, ordinal: number, communicator: string) => void;
  ask: ((sql: string) => void) | null;  // null: there is nobody to ask, as in a file
  marked: Marked;
}

// The table's name at the line's beginning leads to its rows.
function tableOf(line: string, sql: string, ask: Ways["ask"]): [HTMLElement | string, string] {
  const named = /^([a-z_]+)(: .*)$/s.exec(line);
  if (!named || sql === "" || ask === null) return ["", line];
  return [make("button", { type: "button", class: "link rows", "aria-label": named[1] + ": show the rows in SQL", title: sql, click: () => ask(sql) }, named[1]), named[2]];
}

// A part of a line that leads somewhere.
interface Part {
  text: string;
  link: HTMLElement;
}

// An operation that a line names can be looked at, and what the plots have of it is marked there.
function partsOf(line: string, verdict: Verdict, place: Place, ways: Ways): Part[] {
  const parts: Part[] = [];
  const operation = /\b([A-Z][A-Za-z]+) #(\d+)(?: on (.+?)(?=,|$))?/.exec(line);  // on which communicator: where it is not the finding's own
  if (operation) {
    const [, func, ordinal, communicator] = operation, text = `${func} #${ordinal}`;
    parts.push({ text, link: make("button", { type: "button", class: "link", click: () => ways.look(func, Number(ordinal), communicator ?? verdict.communicator) }, text) });
  }
  const point = pointOf(place), size = /\b[A-Z][A-Za-z]+ of [\d.]+ (?:B|[KMGT]iB)\b/.exec(line);
  if (size && ways.marked.hasPoint(point)) parts.push({ text: size[0], link: lead("bandwidth", size[0], () => ways.marked.leadToPoint(point)) });
  const pair = pairOf(place), ends = /from rank \d+ on \S+ to rank \d+ on \S+/.exec(line);
  if (ends && ways.marked.hasPair(pair)) parts.push({ text: ends[0], link: lead("peers", ends[0], () => ways.marked.leadToPair(pair)) });
  return parts;
}

function linked(line: string, parts: Part[]): (HTMLElement | string)[] {
  const [first] = parts.map(part => ({ ...part, at: line.indexOf(part.text) })).filter(part => part.at >= 0).sort((a, b) => a.at - b.at);
  return first === undefined ? words(line)
    : [...words(line.slice(0, first.at)), first.link, ...linked(line.slice(first.at + first.text.length), parts.filter(part => part.link !== first.link))];
}

function lines(verdict: Verdict, from: number, to: number, ways: Ways): HTMLElement {
  return make("ul", { class: "evidence" }, ...verdict.evidence.slice(from, to).map((line, i) => {
    const [rows, rest] = tableOf(line, verdict.evidence_sql[from + i], ways.ask);
    return make("li", {}, rows, ...linked(rest, partsOf(rest, verdict, verdict.evidence_places[from + i], ways)));
  }));
}

// Where the plots have what the finding is about: the first of its evidence that they have.
export function leadsOf(verdict: Verdict, marked: Marked): HTMLElement[] {
  const point = verdict.evidence_places.map(pointOf).find(one => marked.hasPoint(one)) ?? null;
  const pair = verdict.evidence_places.map(pairOf).find(one => marked.hasPair(one)) ?? null;
  return [point && lead("bandwidth", "Bandwidth by size", () => marked.leadToPoint(point)), pair && lead("peers", "Who sends to whom", () => marked.leadToPair(pair))]
    .filter((link): link is HTMLElement => link !== null);
}

function one(verdict: Verdict, number: number, ways: Ways): HTMLElement {
  const times = verdict.at_ns;
  const leads = leadsOf(verdict, ways.marked);
  const around = times.length === 0 ? 0 : Math.max(1e6, (times[times.length - 1] - times[0]) / 20);
  return make("details", { id: "finding-" + number, class: "finding", ...(number === 1 ? { open: "" } : {}) },
    make("summary", {}, make("strong", {}, verdict.kind.replaceAll("_", " ")), ...words(` (${percent(verdict.confidence)} sure` +
      (verdict.cost_share !== null && verdict.cost_share > 0 ? `, ${percent(verdict.cost_share)} of the run\u2019s time, not counting its set-up` : "") + "): " + verdict.text)),
    times.length === 0 && leads.length === 0 ? null : make("p", { class: "leads" }, times.length === 0 ? null : make("button", { type: "button", click: () => {
      ways.show({ from: times[0] - around, to: times[times.length - 1] + around });
      document.getElementById("ranks")?.scrollIntoView();
    } }, "Show when"), ...leads),
    lines(verdict, 0, kShown, ways),
    verdict.evidence.length > kShown ? make("details", {}, make("summary", {}, `${verdict.evidence.length - kShown} more`), lines(verdict, kShown, verdict.evidence.length, ways)) : null);
}

export function findings(run: Run, ways: Ways): HTMLElement {
  return section("findings", "Findings",
    ...(run.verdicts.length === 0 ? [make("p", {}, run.operations === 0 ? "Nothing was recorded that could be judged." : "Nothing wrong found.")]
      : run.verdicts.map((verdict, i) => one(verdict, i + 1, ways))), ...foundLive(run));
}

// What `lockstep diagnose --live` said while the job ran.
function foundLive(run: Run): HTMLElement[] {
  const found = run.found_live;
  if (found === undefined) return [];
  return [make("h3", {}, "Found while it ran"),
    make("p", { class: "legend" }, "By ", make("code", {}, "lockstep diagnose --live"), `, ${moment(found.taken_unix_ns)}.`),
    make("ul", { id: "found-live" }, ...found.findings.map(one => make("li", {}, make("strong", {}, one.kind.replaceAll("_", " ")), ` (${percent(one.confidence)} sure): `, ...words(one.text))))];
}

export function notKnown(run: Run): HTMLElement {
  return section("not-known", "What is not known", run.not_known.length === 0
    ? make("p", {}, ...words(run.nothing_missing))
    : make("ul", {}, ...run.not_known.map(line => make("li", {}, ...words(line)))));
}
