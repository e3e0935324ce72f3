// Findings with what they rest on, and what is not known.
import { make, section } from "./dom";
import type { Run, Verdict } from "./run";
import type { View } from "./view";
import { moment, percent } from "./words";

const kShown = 8;  // lines of evidence before "more"

export type ShowOperation = (func: string, ordinal: number, communicator: string) => void;

// An operation that a line names can be looked at.
function lines(evidence: string[], communicator: string, look: ShowOperation): HTMLElement {
  return make("ul", { class: "evidence" }, ...evidence.map(line => {
    const named = /^(.*?)\b([A-Z][A-Za-z]+) #(\d+)(.*)$/s.exec(line);
    if (!named) return make("li", {}, line);
    const [, before, func, ordinal, after] = named;
    const elsewhere = /^ on (.+?),/.exec(after)?.[1];  // said where it is not the finding's own
    return make("li", {}, before, make("button", { type: "button", class: "link", click: () => look(func, Number(ordinal), elsewhere ?? communicator) }, `${func} #${ordinal}`), after);
  }));
}

function one(verdict: Verdict, number: number, show: (view: Partial<View>) => void, look: ShowOperation): HTMLElement {
  const times = verdict.at_ns;
  const around = times.length === 0 ? 0 : Math.max(1e6, (times[times.length - 1] - times[0]) / 20);
  return make("details", { id: "finding-" + number, class: "finding", ...(number === 1 ? { open: "" } : {}) },
    make("summary", {}, make("strong", {}, verdict.kind.replaceAll("_", " ")), ` (${percent(verdict.confidence)} sure` +
      (verdict.cost_share !== null && verdict.cost_share > 0 ? `, ${percent(verdict.cost_share)} of the run` : "") + "): " + verdict.text),
    times.length === 0 ? null : make("p", {}, make("button", { type: "button", click: () => {
      show({ from: times[0] - around, to: times[times.length - 1] + around });
      document.getElementById("ranks")?.scrollIntoView();
    } }, "Show when")),
    lines(verdict.evidence.slice(0, kShown), verdict.communicator, look),
    verdict.evidence.length > kShown ? make("details", {}, make("summary", {}, `${verdict.evidence.length - kShown} more`), lines(verdict.evidence.slice(kShown), verdict.communicator, look)) : null);
}

export function findings(run: Run, show: (view: Partial<View>) => void, look: ShowOperation): HTMLElement {
  return section("findings", "Findings",
    ...(run.verdicts.length === 0 ? [make("p", {}, run.operations === 0 ? "Nothing was recorded that could be judged." : "Nothing wrong found.")]
      : run.verdicts.map((verdict, i) => one(verdict, i + 1, show, look))), ...foundLive(run));
}

// What `lockstep diagnose --live` said while the job ran.
function foundLive(run: Run): HTMLElement[] {
  const found = run.found_live;
  if (found === undefined) return [];
  return [make("h3", {}, "Found while it ran"),
    make("p", { class: "legend" }, `By \`lockstep diagnose --live\`, ${moment(found.taken_unix_ns)}.`),
    make("ul", { id: "found-live" }, ...found.findings.map(one => make("li", {}, make("strong", {}, one.kind.replaceAll("_", " ")), ` (${percent(one.confidence)} sure): ${one.text}`)))];
}

export function notKnown(run: Run): HTMLElement {
  return section("not-known", "What is not known", run.not_known.length === 0
    ? make("p", {}, run.nothing_missing)
    : make("ul", {}, ...run.not_known.map(line => make("li", {}, line))));
}
