// Findings with what they rest on, and what is not known.
import { make, section, words } from "./dom";
import type { Run, Verdict } from "./run";
import type { View } from "./view";
import { moment, percent } from "./words";

const kShown = 8;  // lines of evidence before "more"

// What a reader can be led to from a finding.
export interface Ways {
  show: (view: Partial<View>) => void;
  look: (func: string, ordinal: number, communicator: string) => void;
  ask: ((sql: string) => void) | null;  // null: there is nobody to ask, as in a file
}

// The table's name at the line's beginning leads to its rows.
function tableOf(line: string, sql: string, ask: Ways["ask"]): [HTMLElement | string, string] {
  const named = /^([a-z_]+)(: .*)$/s.exec(line);
  if (!named || sql === "" || ask === null) return ["", line];
  return [make("button", { type: "button", class: "link rows", "aria-label": named[1] + ": show the rows in SQL", title: sql, click: () => ask(sql) }, named[1]), named[2]];
}

// An operation that a line names can be looked at.
function lines(verdict: Verdict, from: number, to: number, ways: Ways): HTMLElement {
  return make("ul", { class: "evidence" }, ...verdict.evidence.slice(from, to).map((line, i) => {
    const [rows, rest] = tableOf(line, verdict.evidence_sql[from + i], ways.ask);
    const named = /^(.*?)\b([A-Z][A-Za-z]+) #(\d+)(.*)$/s.exec(rest);
    if (!named) return make("li", {}, rows, ...words(rest));
    const [, before, func, ordinal, after] = named;
    const elsewhere = /^ on (.+?)(?:,|$)/.exec(after)?.[1];  // said where it is not the finding's own
    return make("li", {}, rows, ...words(before), make("button", { type: "button", class: "link", click: () => ways.look(func, Number(ordinal), elsewhere ?? verdict.communicator) }, `${func} #${ordinal}`), ...words(after));
  }));
}

function one(verdict: Verdict, number: number, ways: Ways): HTMLElement {
  const times = verdict.at_ns;
  const around = times.length === 0 ? 0 : Math.max(1e6, (times[times.length - 1] - times[0]) / 20);
  return make("details", { id: "finding-" + number, class: "finding", ...(number === 1 ? { open: "" } : {}) },
    make("summary", {}, make("strong", {}, verdict.kind.replaceAll("_", " ")), ...words(` (${percent(verdict.confidence)} sure` +
      (verdict.cost_share !== null && verdict.cost_share > 0 ? `, ${percent(verdict.cost_share)} of the run\u2019s time, not counting its set-up` : "") + "): " + verdict.text)),
    times.length === 0 ? null : make("p", {}, make("button", { type: "button", click: () => {
      ways.show({ from: times[0] - around, to: times[times.length - 1] + around });
      document.getElementById("ranks")?.scrollIntoView();
    } }, "Show when")),
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
