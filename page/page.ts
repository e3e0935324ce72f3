// The page: reads the run from itself or from its server and puts it together. With a run that still goes on it looks
// again every second.
import { jump, make } from "./dom";
import { findings, notKnown } from "./findings";
import { cards, headline, runFacts } from "./first";
import { peers } from "./peers";
import { Ranks } from "./ranks";
import type { Run } from "./run";
import { operationAt, search } from "./search";
import * as sections from "./sections";
import { findSource } from "./source";
import { sqlBox } from "./sql";
import { themeButton } from "./theme";
import { tokenInAddress, type View, viewInAddress } from "./view";

const kRefreshMs = 1000;

const token = tokenInAddress();
const source = findSource(token);
const root = document.getElementById("page")!;

function wholeOf(run: Run): View {
  const ranks = run.places.map(place => place[0]).filter(rank => rank >= 0);
  return { from: 0, to: Math.max(1000, run.length_ns), firstRank: 0, lastRank: Math.max(0, ...ranks),
    measure: run.headline.kind === "hangs" ? "busy" : "caused", by: "rank" };
}

function contents(parts: HTMLElement[]): HTMLElement {
  return make("nav", { "aria-label": "Contents" }, ...parts.map(part => jump(part.id, part.querySelector("h2")!.textContent!)));
}

async function render(run: Run): Promise<void> {
  document.title = run.title;
  const whole = wholeOf(run);
  const ranks = new Ranks(run, source, whole, viewInAddress(whole), token);
  const show = (view: Partial<View>) => ranks.show(view);
  const look = (func: string, ordinal: number) => {
    operationAt(func, ordinal, run, source, whole).then(span => {
      if (span) show({ from: span[0], to: span[1] });
      document.getElementById(span ? "ranks" : "operations")?.scrollIntoView();
    }).catch((error: Error) => ranks.fail(error.message));
  };
  const parts = [
    ranks.element, findings(run, show, look), sections.operations(run), sections.bandwidth(run), sections.criticalPath(run), peers(run),
    sections.compared(run), sections.clock(run), sections.otherTables(run), source.served ? sqlBox(source) : null, notKnown(run),
  ].filter((part): part is HTMLElement => part !== null);
  root.replaceChildren(
    make("header", {}, make("p", { class: "name" }, "lockstep"), search(run, source, whole, show), themeButton(() => void render(run))),
    headline(run), runFacts(run), cards(run), ranks.trend, contents(parts), ...parts);
  await ranks.draw();
}

function follow(run: Run): void {
  if (!run.serve?.live) return;
  setTimeout(async () => {
    try {
      const next = await source.run();
      if (next.operations !== run.operations && !root.contains(document.activeElement)) await render(next);
      follow(next);
    } catch {
      follow(run);  // the server may be busy; the next look tells
    }
  }, kRefreshMs);
}

async function start(): Promise<void> {
  const run = await source.run();
  await render(run);
  follow(run);
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;  // a phone's address bar changes the height only
    width = window.innerWidth;
    void render(run);
  });
  window.addEventListener("hashchange", () => void render(run));
}

start().catch((error: Error) => {
  root.replaceChildren(make("h1", {}, "This page cannot show the run"), make("p", { role: "alert" }, error.message));
});
