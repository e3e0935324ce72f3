// The first screen: what is wrong and what it costs, in one sentence, and whether that can be trusted; each leads to its
// evidence further down.
import { jump, make } from "./dom";
import type { Run } from "./run";
import { counted, duration, percent } from "./words";

// A verdict about a part of the run must not be read as one about all of it.
function lastPart(run: Run): HTMLElement | null {
  const from = run.serve?.report_from_ns ?? 0;
  return from === 0 ? null : make("p", { id: "last-part" }, `This is about the last part of a large run, from ${duration(from)} on, as are all findings, tables and SQL. ` +
    "The heat map has all of it.");
}

export function headline(run: Run): HTMLElement {
  const { kind, text, cost_share, verdict } = run.headline;
  const words: Record<string, string> = { hangs: "Hangs", costs: "Slowed down", nothing: "Healthy", unknown: "Not certain" };
  const found = verdict === undefined ? null : run.verdicts[verdict];
  return make("section", { id: "headline", class: "headline " + kind, "aria-label": "Verdict" },
    make("p", { class: "badge" }, words[kind]),
    make("h1", {}, text.replaceAll(" %", "\u00a0%")),
    kind === "unknown" && run.not_known.length > 0 ? make("p", {}, run.not_known[0]) : null,
    cost_share !== null && cost_share > 0 ? make("p", { class: "cost" }, make("strong", {}, percent(cost_share)), " of the run, its set-up left out") : null,
    lastPart(run),
    make("p", {},
      found ? `${percent(found.confidence)} sure. ` : "",
      verdict === undefined ? jump("not-known", "What is not known") : jump("finding-" + (verdict + 1), "The evidence"),
      run.verdicts.length > 1 ? ` There are ${run.verdicts.length} findings: ` : "",
      run.verdicts.length > 1 ? jump("findings", "all of them") : "",
      run.verdicts.length > 1 ? "." : ""));
}

function card(title: string, value: string, text: string, target: string, link: string): HTMLElement {
  return make("div", { class: "card" }, make("h2", {}, title), make("p", { class: "value" }, value), make("p", {}, text + " ", jump(target, link)));
}

function clockCard(run: Run): HTMLElement {
  const hosts = new Set(run.places.map(place => place[1])).size;
  const value = hosts <= 1 ? "one host" : run.clock.one_clock ? "+-" + duration(run.clock.error_ns) : "not aligned";
  const text = hosts <= 1 ? "All ranks read the same clock."
    : run.clock.one_clock ? `${hosts} hosts on one clock, guaranteed.`
    : "Waits hold inside each host only: `lockstep align` puts all on one clock.";
  return card("Clock", value, text, "clock", "How exact");
}

function completeCard(run: Run): HTMLElement {
  if (run.operations === 0) return card("Recording", "no operation", "None is recorded, so there is nothing to tell.", "not-known", "What is missing");
  const lost = run.lost_memory + run.lost_disk + run.lost_unknown;
  const gaps = run.not_known.length;
  const value = lost > 0 ? counted(lost, "call") + " lost" : gaps > 0 ? counted(gaps, "gap") : "complete";
  const text = lost === 0 && gaps === 0 ? "Every call was recorded, and every operation has an end."
    : lost === 0 ? "Every call was recorded; not all can be told from it." : "They were counted, not recorded.";
  return card("Recording", value, text, "not-known", "What is missing");
}

function dominantCard(run: Run): HTMLElement {
  const kind = [...run.kinds].filter(one => one.kind !== "assembled").sort((a, b) => b.elapsed_ns - a.elapsed_ns)[0];
  const all = run.kinds.filter(one => one.kind !== "assembled").reduce((sum, one) => sum + one.elapsed_ns, 0);
  if (!kind || all === 0) return card("Most time", "not known", "No operation has an end in the recording.", "operations", "Operations");
  return card("Most time", kind.func, `${duration(kind.elapsed_ns)} of rank time, ${percent(kind.elapsed_ns / all)} of all operations' time.`,
    "operations", "All operations");
}

function waitingCard(run: Run): HTMLElement {
  const known = run.kinds.filter(one => one.kind !== "assembled");
  const wait = known.reduce((sum, one) => sum + one.wait_ns, 0);
  if (known.every(one => one.elapsed_ns === 0)) return card("Waiting", "not known", "No operation has an end in the recording.", "ranks", "Ranks over time");
  return card("Waiting", duration(wait), `of rank time was spent waiting for other ranks: ${duration(wait / Math.max(1, run.processes))} a process.`,
    "ranks", "Who waits when");
}

export function cards(run: Run): HTMLElement {
  return make("div", { class: "cards" }, dominantCard(run), waitingCard(run), clockCard(run), completeCard(run));
}

export function runFacts(run: Run): HTMLElement {
  const hosts = new Set(run.places.map(place => place[1])).size;
  const from = run.serve?.report_from_ns ?? 0;
  const time = from === 0 ? duration(run.length_ns) : `the last ${duration(run.length_ns - from)} of ${duration(run.length_ns)}`;
  const started = run.origin_unix_ns > 0 ? ", from " + new Date(run.origin_unix_ns / 1e6).toISOString().replace("T", " ").slice(0, 19) + " UTC" : "";
  return make("p", { class: "facts" }, `${run.title}: ${counted(run.processes, "process", "processes")} on ` +
    `${counted(hosts, "host")}, ${counted(run.communicators, "communicator")}, ${counted(run.operations, "operation")} in ${time}${started}.`);
}
