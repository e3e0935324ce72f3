// The first screen: what is wrong and what it costs, in one sentence, and whether that can be trusted; each leads to its
// evidence further down.
import { jump, lead, make, unbroken, words } from "./dom";
import { leadsOf } from "./findings";
import type { Marked } from "./marked";
import type { Run } from "./run";
import { counted, duration, moment, percent } from "./words";

// A verdict about a part of the run must not be read as one about all of it.
function lastPart(run: Run): HTMLElement | null {
  const from = run.serve?.report_from_ns ?? 0;
  return from === 0 ? null : make("p", { id: "last-part" }, unbroken(`This is about the last part of a large run, from ${duration(from)} on, as are all findings, tables and SQL. `) +
    "The heat map has all of it.");
}

export const kBadges: Record<string, string> = { hangs: "Hangs", costs: "Slowed down", nothing: "Healthy", unknown: "Not certain" };

export function headline(run: Run, marked: Marked): HTMLElement {
  const { kind, text, cost_share, verdict } = run.headline;
  const found = verdict === undefined ? null : run.verdicts[verdict];
  return make("section", { id: "headline", class: "headline " + kind, "aria-label": "Verdict" },
    make("p", { class: "badge" }, kBadges[kind]),
    make("h1", {}, unbroken(text)),
    kind === "unknown" && run.not_known.length > 0 ? make("p", {}, ...words(run.not_known[0])) : null,
    cost_share !== null && cost_share > 0 ? make("p", { class: "cost" }, make("strong", {}, unbroken(percent(cost_share))), " of the run\u2019s time, not counting its set-up") : null,
    lastPart(run),
    make("p", {},
      found ? unbroken(`${percent(found.confidence)} sure. `) : "",
      verdict === undefined ? jump("not-known", kind === "nothing" ? "How complete the recording is" : "What is not known") : jump("finding-" + (verdict + 1), "The evidence"),
      run.verdicts.length > 1 ? ` There are ${run.verdicts.length} findings: ` : "",
      run.verdicts.length > 1 ? jump("findings", "all of them") : "",
      run.verdicts.length > 1 ? "." : "",
      ...(found ? leadsOf(found, marked).flatMap(link => [" · ", link]) : [])));
}

function card(title: string, value: string, text: string, target: string, link: string, more: HTMLElement | null = null): HTMLElement {
  return make("div", { class: "card" }, make("h2", {}, title), make("p", { class: "value" }, unbroken(value)), make("p", {}, ...words(text), " ", jump(target, link), ...(more ? [" · ", more] : [])));
}

function clockCard(run: Run): HTMLElement {
  const hosts = new Set(run.places.map(place => place[1])).size;
  const value = hosts <= 1 ? "one host" : run.clock.one_clock ? "\u00b1" + duration(run.clock.error_ns) : "not aligned";
  const text = hosts <= 1 ? "All ranks read the same clock."
    : run.clock.one_clock ? `${hosts} hosts on one clock, guaranteed.`
    : "Waits hold inside each host only: `lockstep align` puts all on one clock.";
  return card("Clock", value, text, "clock", "How exact");
}

// The least that is said is true of all of the run.
function completeCard(run: Run): HTMLElement {
  const say = (value: string, text: string) => card("Recording", value, text, "not-known", "What is missing");
  if (run.operations === 0) return say("no operation", "None is recorded, so there is nothing to tell.");
  const lost = run.lost_memory + run.lost_disk + run.lost_unknown;
  if (lost > 0) return say(counted(lost, "call") + " lost", "They were counted, not recorded.");
  if (run.damage.length > 0) return say("damaged", "Part of the recording cannot be read.");
  const open = run.serve?.live ? `${counted(run.without_end, "call of a rank is", "calls of ranks are")} under way` : `${counted(run.without_end, "call of a rank has", "calls of ranks have")} no end`;
  const ended = run.without_end === 0 ? "every operation has an end" : open;
  return run.not_known.length === 0 ? say("complete", `Every call was recorded, and ${ended}.`)
    : say(counted(run.not_known.length, "gap"), run.without_end > 0 ? `Not all can be told from it; ${ended}.` : "Every call was recorded; not all can be told from it.");
}

function dominantCard(run: Run, marked: Marked): HTMLElement {
  const known = run.kinds.filter(one => one.kind !== "assembled");
  const kind = [...known].sort((a, b) => b.elapsed_ns - a.elapsed_ns)[0];
  const all = known.reduce((sum, one) => sum + one.elapsed_ns, 0);
  if (!kind || all === 0)
    return card("Most time", "not known", run.operations === 0 ? "No operation is recorded." : "No operation has an end in the recording.", "operations", "Operations");
  const { func, nranks, size_bytes } = kind;
  const plotted = marked.hasPoint(kind) ? lead("bandwidth", "Its bandwidth", () => marked.leadToPoint({ func, nranks, size_bytes })) : null;
  return card("Most time", kind.func, `${percent(kind.elapsed_ns / all)} of the time from call to end of all operations${run.headline.kind === "hangs" ? " that ended" : ""}: ` +
    `${duration(kind.elapsed_ns)}, summed over ranks.`, "operations", "All operations", plotted);
}

// What stands still has no wait that ended: it counts by the ranks that stand there, and since when.
function hangCard(since_s: number, ranks: number): HTMLElement {
  return card("Waiting", duration(since_s * 1e9), "since anything moved" + (ranks > 0 ? `; ${counted(ranks, "rank is", "ranks are")} waiting.` : "."), "ranks", "Who stands where");
}

function waitingCard(run: Run): HTMLElement {
  const { kind, verdict, waiting_ranks } = run.headline;
  if (kind === "hangs" && verdict !== undefined) return hangCard(run.verdicts[verdict].since_s, waiting_ranks ?? 0);
  const known = run.kinds.filter(one => one.kind !== "assembled");
  const wait = known.reduce((sum, one) => sum + one.wait_ns, 0);
  if (known.every(one => one.elapsed_ns === 0))
    return card("Waiting", "not known", run.operations === 0 ? "No operation is recorded." : "No operation has an end in the recording.", "ranks", "Ranks over time");
  const each = wait / Math.max(1, run.processes), whole = run.length_ns - (run.serve?.report_from_ns ?? 0);
  return card("Waiting", duration(each), `of its ${duration(whole)} a rank waited for others, on average: ${duration(wait)} in all.`, "ranks", "Who waits when");
}

export function cards(run: Run, marked: Marked): HTMLElement {
  return make("div", { class: "cards" }, dominantCard(run, marked), waitingCard(run), clockCard(run), completeCard(run));
}

// The name of its folder: where that lies is nobody's business on a wall.
export function nameOf(run: Run): string {
  const name = (run.serve?.run || run.title).replace(/^lockstep: /, "").replace(/\/+$/, "").split("/").pop()!;
  return /^\.*$/.test(name) ? "this run" : name;
}

export function runFacts(run: Run): HTMLElement {
  const hosts = new Set(run.places.map(place => place[1])).size;
  const from = run.serve?.report_from_ns ?? 0;
  const time = from === 0 ? duration(run.length_ns) : `the last ${duration(run.length_ns - from)} of ${duration(run.length_ns)}`;
  const started = run.origin_unix_ns > 0 ? ", from " + moment(run.origin_unix_ns) : "";
  return make("p", { class: "facts" }, make("strong", {}, nameOf(run)), unbroken(`: ${counted(run.processes, "process", "processes")} on ` +
    `${counted(hosts, "host")}, ${counted(run.communicators, "communicator")}, ${counted(run.operations, "operation")} in ${time}${started}.`));
}
