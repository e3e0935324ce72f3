// The page: reads the run from itself or from its server and puts it together. Of a run that goes on it asks every second
// whether there is more, and puts what changed in the place of what stood there (live.ts).
import { bandwidth } from "./bandwidth";
import { compared, compareWith } from "./compare";
import { jump, make } from "./dom";
import { findings, notKnown } from "./findings";
import { cards, headline, nameOf, runFacts } from "./first";
import { LiveLine } from "./live";
import { Marked } from "./marked";
import { operationsNamed } from "./operation_search";
import { drawForPaper } from "./paper";
import { peers } from "./peers";
import { redrawPlots } from "./plots";
import { Ranks } from "./ranks";
import type { Run } from "./run";
import { search } from "./search";
import * as sections from "./sections";
import { isFolder, ListOfRuns } from "./runs";
import { Slot } from "./slot";
import { Busy, findSource, isWaiting } from "./source";
import { SqlBox } from "./sql";
import { StacksSection } from "./stacks";
import { themeButton } from "./theme";
import { tokenInAddress, type View, viewInAddress } from "./view";

const token = tokenInAddress();
const source = findSource(token);
const root = document.getElementById("page")!;

function wholeOf(run: Run): View {
  const ranks = run.places.map(place => place[0]).filter(rank => rank >= 0);
  return { from: 0, to: Math.max(1000, run.length_ns), firstRank: 0, lastRank: Math.max(0, ...ranks),
    measure: run.headline.kind === "hangs" ? "busy" : "caused", by: "rank" };
}

function nameAndWayBack(): HTMLElement[] {
  const name = make("p", { class: "name" }, "lockstep");
  return source.inFolder ? [name, make("a", { href: "../../#token=" + encodeURIComponent(token) }, "All runs")] : [name];
}

class Page {
  private readonly ranks: Ranks;
  private readonly live: LiveLine;
  private readonly top = new Slot();
  private readonly contents = new Slot();
  private readonly findings = new Slot();
  private readonly rest = new Slot();
  private readonly notKnown = new Slot();
  private readonly marked = new Marked();
  private readonly stacks: StacksSection;
  private readonly sql = source.served ? new SqlBox(source) : null;

  constructor(private run: Run) {
    const whole = wholeOf(run);
    this.ranks = new Ranks(run, source, whole, viewInAddress(whole), token);
    this.stacks = new StacksSection(source);
    this.live = new LiveLine(source, this.ranks, () => this.run, next => this.show(next));
    const field = search(() => this.run, source, () => wholeOf(this.run), view => this.ranks.show(view), found => this.ranks.showOperation(found));
    root.replaceChildren(
      make("header", {}, ...nameAndWayBack(), field, themeButton(() => void this.show(this.run))),
      this.live.element, this.top.element, this.ranks.trend, this.contents.element, this.ranks.element, this.findings.element,
      this.rest.element, ...(source.hasStacks(run) ? [this.stacks.element] : []), ...(source.inFolder ? [compareWith(source)] : []), ...(this.sql ? [this.sql.element] : []), this.notKnown.element);
  }

  // Of this reading; also again, in other colours or another width.
  async show(run: Run): Promise<void> {
    this.run = run;
    document.title = "lockstep: " + nameOf(run);
    // First the plots: what they have is what others lead to.
    const { marked } = this, plots = marked.plots;
    marked.plots = { points: [], pairs: [] };
    const bandwidths = bandwidth(run, marked), matrices = peers(run, marked);
    this.top.fill(headline(run, marked), runFacts(run), cards(run, marked));
    this.findings.fill(findings(run, { show: view => this.ranks.show(view), look: (func, ordinal, communicator) => this.look(func, ordinal, communicator),
      ask: this.sql && (sql => this.sql!.show(sql)), marked }));
    const filled = this.rest.fill(sections.operations(run, marked), bandwidths, sections.criticalPath(run, marked), matrices,
      compared(run), sections.clock(run), sections.otherTables(run, marked));
    if (!filled) marked.plots = plots;  // those before still stand there
    this.notKnown.fill(notKnown(run));
    this.stacks.of(run.serve?.live ?? false);
    this.contents.fill(make("nav", { "aria-label": "Contents" }, ...[...root.querySelectorAll<HTMLElement>("section[aria-labelledby]")]
      .map(part => jump(part.id, part.querySelector("h2")!.textContent!))));
    await this.ranks.update(run, wholeOf(run));
  }

  private look(func: string, ordinal: number, communicator: string): void {
    operationsNamed(func, ordinal, communicator, this.run, source, wholeOf(this.run)).then(([found]) => {
      if (found) this.ranks.showOperation(found);
      else document.getElementById("operations")?.scrollIntoView();
    }).catch((error: Error) => this.ranks.fail(error.message));
  }

  async start(): Promise<void> {
    await this.show(this.run);
    this.marked.look();
    this.live.start();
    let width = window.innerWidth;
    window.addEventListener("resize", () => {
      if (window.innerWidth === width) return;  // a phone's address bar changes the height only
      width = window.innerWidth;
      void this.show(this.run);
    });
    drawForPaper(root, () => {
      this.ranks.repaint();
      redrawPlots(root);
    });
    window.addEventListener("hashchange", () => {
      this.ranks.goTo(viewInAddress(wholeOf(this.run)));
      this.marked.goToAddress();
    });
  }
}

const kAgainMs = 1000;

// What is the same stays as it is, so that it is not read out again.
function sayNotYet(why: string): void {
  if (root.querySelector("#not-yet")?.textContent !== why) {
    document.title = "lockstep: not yet";
    root.replaceChildren(make("header", {}, ...nameAndWayBack()), make("h1", {}, "Not yet"), make("p", { id: "not-yet", role: "status" }, why),
      make("p", { class: "legend" }, "This page asks each second, and shows the run as soon as it can."));
  }
  setTimeout(begin, kAgainMs);
}

async function start(): Promise<void> {
  const run = await source.look();
  if (isWaiting(run)) return sayNotYet(run.waiting[0].toUpperCase() + run.waiting.slice(1) + ".");
  if (isFolder(run)) {
    document.title = run.folder;
    const list = new ListOfRuns(source, token);
    root.replaceChildren(...list.elements);
    list.show(run);
    return list.follow();
  }
  await new Page(run).start();
}

function begin(): void {
  start().catch((error: Error) => {
    if (error instanceof Busy) return sayNotYet(error.message);
    root.replaceChildren(make("header", {}, ...nameAndWayBack()), make("h1", {}, "This page cannot show the run"), make("p", { role: "alert" }, error.message));
  });
}

begin();
