// Ranks over time: controls, heat map, trend and, for the window in view, the operations one by one.
import { make, section, unbroken } from "./dom";
import { HeatMap, kMeasures } from "./heat";
import { type Found, viewOf } from "./operation_search";
import { LogLines } from "./logs";
import { perfettoButton } from "./perfetto";
import { isWide, kMostNs, networkNote } from "./network_note";
import * as plots from "./plots";
import type { Run } from "./run";
import { ranksTable } from "./sections";
import { Slot } from "./slot";
import type { Source } from "./source";
import { heardUntil, upTo } from "./tiles";
import { Timeline } from "./timeline";
import { along, type Group, kGroups, type Measure, putInAddress, sameWindow, type View, within, zoomed } from "./view";
import { WaitedFor } from "./waited_for";
import { instant } from "./words";

const kLateMs = 300;  // what takes longer is said to be under way

export class Ranks {
  readonly element: HTMLElement;
  readonly trend = make("div", { id: "trend" });
  follows = true;  // of a run that goes on: the window ends where the run does
  followed = () => {};  // called when that changes
  private heat: HeatMap;
  private timeline = new Timeline();
  private operations = make("h3", {}, "Operations in view");
  private logs = new LogLines();
  private window = make("p", { class: "legend", id: "window" });
  private failure = make("p", { class: "said", role: "status" });
  private body = make("div");
  private table = new Slot();
  private asked = 0;
  private members: number[] = [];  // whose operations are wanted before those of others
  private waitedFor = new WaitedFor(change => this.show(change));

  constructor(private run: Run, private source: Source, private whole: View, private view: View, private token: string) {
    this.follows = view.to === whole.to;
    this.view = this.withKnownRows(view);
    this.heat = new HeatMap(run, change => this.show(change));
    this.body.append(this.heat.element, this.waitedFor.element);
    this.element = section("ranks", "Ranks over time",
      make("p", {}, "Drag or click to zoom; with the keyboard: arrows go from cell to cell, Enter looks closer, Shift and arrows move, + and - zoom, 0 shows all."),
      this.controls(), this.window, this.failure, this.body,
      this.operations, this.timeline.element, this.logs.element, this.table.element);
    this.element.addEventListener("keydown", event => this.key(event));
  }

  // The same once more, at once: in other colours, or another width.
  repaint(): void {
    this.heat.repaint();
    this.timeline.repaint();
  }

  fail(sentence: string): void {
    this.failure.textContent = sentence;
  }

  // With the ranks that are in it, and chosen in the timeline, which the reader is brought to.
  showOperation(found: Found): void {
    const before = this.view;
    this.members = found.ranks;
    this.timeline.seek(found.name, found.communicator);
    this.view = within({ ...before, ...viewOf(found) }, this.whole);
    this.setFollows(false);
    putInAddress(this.view, this.whole, this.token);
    this.draw().then(() => this.lookAtTimeline()).catch((error: Error) => this.fail(error.message));
  }

  // With the heat map above it, where both have room.
  private lookAtTimeline(): void {
    const height = this.timeline.element.getBoundingClientRect().bottom - this.element.getBoundingClientRect().top;
    (height <= window.innerHeight ? this.element : this.operations).scrollIntoView();
  }

  show(change: Partial<View>): void {
    this.goTo(within({ ...this.view, ...change }, this.whole));
    putInAddress(this.view, this.whole, this.token);
  }

  // A window that the reader chose stays where it is, unless it is all of the run.
  goTo(asked: View): void {
    const view = this.withKnownRows(asked);
    if (!sameWindow(view, this.view)) this.members = [];
    if (view.from !== this.view.from || view.to !== this.view.to) this.setFollows(view.from === this.whole.from && view.to === this.whole.to);
    this.view = view;
    this.draw().catch((error: Error) => this.fail(error.message));
  }

  // A window of the same length at the run's end, which moves with it.
  follow(on: boolean): void {
    this.setFollows(on);
    if (!on) return;
    this.view = along(this.view, this.whole, this.whole);
    putInAddress(this.view, this.whole, this.token);
    this.draw().catch((error: Error) => this.fail(error.message));
  }

  private withKnownRows(view: View): View {
    return this.source.groups(this.run).includes(view.by) ? view : { ...view, by: "rank" };
  }

  private setFollows(on: boolean): void {
    this.follows = on;
    this.followed();
  }

  // The same view of another reading of the run.
  async update(run: Run, whole: View): Promise<void> {
    this.view = this.follows ? along(this.view, this.whole, whole) : within(this.view, whole);
    this.run = run;
    this.whole = whole;
    this.heat.run = run;
    this.table.fill(ranksTable(run));
    await this.draw();
  }

  async draw(): Promise<void> {
    const turn = ++this.asked, view = this.view, length = view.to - view.from;
    for (const radio of this.element.querySelectorAll<HTMLInputElement>(".controls input")) radio.checked = radio.value === view.measure || radio.value === view.by;
    this.window.textContent = unbroken(`Shown: ${instant(view.from, length)} to ${instant(view.to, length)}, `) +
      (view.firstRank === view.lastRank ? `rank ${view.firstRank}` : `ranks ${view.firstRank} to ${view.lastRank}`) + (sameWindow(view, this.whole) ? ": all of it." : ".");
    const whole = await this.source.tiles(view, view.by), tiles = whole && upTo(whole, this.whole.to);
    if (turn !== this.asked) return;  // a later window is already asked for
    this.failure.textContent = "";
    if (tiles === null) {
      this.body.replaceChildren(make("p", {}, "No rank is known in this recording, so there is nothing to draw."));
      return;
    }
    this.heat.draw(tiles, view);
    this.waitedFor.draw(tiles, view);
    this.logs.draw(this.run.logs, view);
    if (sameWindow(view, this.whole) || this.trend.childElementCount === 0) {
      plots.dropPlots(this.trend);
      this.trend.replaceChildren(make("h2", {}, "How the run went"), make("p", {}, unbroken(plots.trendSentence(tiles, this.run))),
        ...(this.run.operations === 0 ? [] : [plots.trend(tiles, this.whole.to)]));
    }
    const late = setTimeout(() => this.timeline.reading(), kLateMs);
    const read = async () => {
      const ops = await this.source.ops(view, this.ranksIn(view), tiles);
      const wide = isWide(ops.ops, view) && length <= kMostNs;
      return { ops, wide, network: wide ? await this.source.steps(view, [...new Set(ops.ops.map(op => op.rank))]) : null };
    };
    const { ops, wide, network } = await read().finally(() => clearTimeout(late));
    if (turn === this.asked) this.timeline.draw(ops, view, heardUntil(tiles), network, lanes => wide ? networkNote(network, lanes) : []);
  }

  private ranksIn(view: View): number[] {
    const known = this.run.serve?.ranks.map(one => one.rank) ?? this.run.places.map(place => place[0]);
    const inView = [...new Set(known)].filter(rank => rank >= view.firstRank && rank <= view.lastRank).sort((a, b) => a - b);
    const wanted = inView.filter(rank => this.members.includes(rank));
    return wanted.length === 0 ? inView : wanted;
  }

  private controls(): HTMLElement {
    const choice = (name: string, values: [string, string][], chosen: string, change: (value: string) => void) =>
      make("fieldset", {}, make("legend", {}, name), ...values.map(([value, text]) => {
        const radio = make("input", { type: "radio", name, value, change: () => change(value) });
        radio.checked = value === chosen;
        return make("label", {}, radio, text);
      }));
    const button = (text: string, label: string, press: () => void) => make("button", { type: "button", "aria-label": label, click: press }, text);
    return make("div", { class: "controls" },
      choice("Show", Object.entries(kMeasures), this.view.measure, value => this.show({ measure: value as Measure })),
      choice("Rows", this.source.groups(this.run).map(by => [by, kGroups[by]]), this.view.by, value => this.show({ by: value as Group })),
      make("span", { class: "buttons" },
        button("+", "Zoom in", () => this.zoom(0.5)), button("−", "Zoom out", () => this.zoom(2)),
        button("All", "Show all of the run", () => this.show(this.wholeWindow())),
        this.source.served ? perfettoButton(this.source, this.run.serve?.perfetto_ui, this.run.title, () => this.view) : null));
  }

  private wholeWindow(): Partial<View> {
    const { from, to, firstRank, lastRank } = this.whole;
    return { from, to, firstRank, lastRank };
  }

  private zoom(factor: number, around = (this.view.from + this.view.to) / 2): void {
    this.show(zoomed(this.view, factor, around));
  }

  private key(event: KeyboardEvent): void {
    if (!(event.target instanceof HTMLCanvasElement) || event.ctrlKey || event.metaKey || event.altKey) return;
    const length = this.view.to - this.view.from, ranks = this.view.lastRank - this.view.firstRank + 1;
    const inTimeline = event.target.id === "timeline";
    if (!inTimeline && !event.shiftKey && this.heat.key(event.key)) return event.preventDefault();
    const around = inTimeline ? undefined : this.heat.at_ns ?? undefined;
    const move = (share: number) => this.show({ from: this.view.from + share * length, to: this.view.to + share * length });
    const keys: Record<string, () => void> = {
      "+": () => this.zoom(0.5, around), "=": () => this.zoom(0.5, around), "-": () => this.zoom(2, around),
      "0": () => this.show(this.wholeWindow()),
      ...(inTimeline ? {} : {
        ArrowLeft: () => move(-0.25), ArrowRight: () => move(0.25),
        ArrowUp: () => this.show({ firstRank: this.view.firstRank - ranks, lastRank: this.view.lastRank - ranks }),
        ArrowDown: () => this.show({ firstRank: this.view.firstRank + ranks, lastRank: this.view.lastRank + ranks }),
      }),
    };
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  }
}
