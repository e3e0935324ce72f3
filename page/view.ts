// What the page shows: a span of time, a range of ranks, a measure, a run to compare with, what is chosen in the timeline. It stands in the
// address bar, so that a link restores it; the server's token stands there too and stays.

export type Measure = "caused" | "waiting" | "busy";
// By what rows are put together, and what they are called. The last are the communicators of one parallel dimension.
export const kGroups = {
  rank: "ranks", host: "hosts", communicator: "communicators",
  tensor: "tensor parallel", pipeline: "pipeline parallel", data: "data parallel", expert: "expert parallel", context: "context parallel",
};
export type Group = keyof typeof kGroups;
export const kGroupNames = Object.keys(kGroups) as Group[];
export interface View {
  from: number;  // ns of the run
  to: number;
  firstRank: number;
  lastRank: number;
  measure: Measure;
  by: Group;
}

const kLeastNs = 1000;  // a narrower window shows nothing more

// What follows the # alone may be the token.
export function parameters(): URLSearchParams {
  const hash = location.hash.slice(1);
  return hash === "" || hash.includes("=") ? new URLSearchParams(hash) : new URLSearchParams([["token", hash]]);
}

export function tokenInAddress(): string {
  return parameters().get("token") ?? "";
}

// The run that this one is compared with; empty: none.
export function comparedInAddress(): string {
  return parameters().get("with") ?? "";
}

export function putComparedInAddress(name: string): void {
  const said = parameters();
  said.set("with", name);
  replaceAddress(said);
}

// What is chosen in the timeline: an operation, and beneath it a network operation or a step, each by a key of its own; empty: none.
export interface Chosen {
  op: string;
  net: string;
}

export function chosenInAddress(): Chosen {
  const said = parameters();
  return { op: said.get("op") ?? "", net: said.get("net") ?? "" };
}

export function putChosenInAddress(chosen: Chosen): void {
  const before = chosenInAddress();
  if (chosen.op === before.op && chosen.net === before.net) return;
  const said = parameters();
  addChosen(said, chosen);
  replaceAddress(said);
}

function addChosen(said: URLSearchParams, { op, net }: Chosen): void {
  for (const [name, key] of [["op", op], ["net", net]]) {
    if (key) said.set(name, key);
    else said.delete(name);
  }
}

export function replaceAddress(said: URLSearchParams): void {
  history.replaceState(null, "", location.pathname + location.search + (said.toString() ? "#" + said : ""));
}

// The whole run, or what the address asks for.
export function viewInAddress(whole: View): View {
  const asked = parameters();
  const range = (name: string, from: number, to: number) => {
    const match = /^(\d+)-(\d+)$/.exec(asked.get(name) ?? "");
    return match ? [Number(match[1]), Number(match[2])] : [from, to];
  };
  const [from, to] = range("t", whole.from, whole.to);
  const [firstRank, lastRank] = range("r", whole.firstRank, whole.lastRank);
  const measure = asked.get("m"), by = asked.get("by");
  return within({
    from, to, firstRank, lastRank,
    measure: measure === "waiting" || measure === "busy" || measure === "caused" ? measure : whole.measure,
    by: kGroupNames.find(group => group === by) ?? "rank",
  }, whole);
}

// Inside the run, never empty.
export function within(view: View, whole: View): View {
  const length = Math.min(Math.max(view.to - view.from, kLeastNs), whole.to - whole.from);
  const from = Math.min(Math.max(view.from, whole.from), whole.to - length);
  const ranks = Math.min(Math.max(view.lastRank - view.firstRank, 0), whole.lastRank - whole.firstRank);
  const firstRank = Math.min(Math.max(view.firstRank, whole.firstRank), whole.lastRank - ranks);
  return { ...view, from, to: from + length, firstRank, lastRank: firstRank + ranks };
}

// The view of a run that has become longer: all of it where all was in view, else as long a window at its end.
export function along(view: View, before: View, now: View): View {
  const all = view.from === before.from && view.to === before.to;
  const ranks = view.firstRank === before.firstRank && view.lastRank === before.lastRank;
  return within({
    ...view, from: all ? now.from : now.to - (view.to - view.from), to: now.to,
    ...(ranks ? { firstRank: now.firstRank, lastRank: now.lastRank } : {}),
  }, now);
}

export function sameWindow(a: View, b: View): boolean {
  return a.from === b.from && a.to === b.to && a.firstRank === b.firstRank && a.lastRank === b.lastRank;
}

export function putInAddress(view: View, whole: View, token: string): void {
  const said = new URLSearchParams();
  if (token) said.set("token", token);
  if (view.from !== whole.from || view.to !== whole.to) said.set("t", Math.round(view.from) + "-" + Math.round(view.to));
  if (view.firstRank !== whole.firstRank || view.lastRank !== whole.lastRank) said.set("r", view.firstRank + "-" + view.lastRank);
  if (view.measure !== whole.measure) said.set("m", view.measure);
  if (view.by !== "rank") said.set("by", view.by);
  if (comparedInAddress()) said.set("with", comparedInAddress());
  addChosen(said, chosenInAddress());
  replaceAddress(said);
}

export function zoomed(view: View, factor: number, around: number): View {
  return { ...view, from: around - (around - view.from) * factor, to: around + (view.to - around) * factor };
}
