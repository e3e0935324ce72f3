// The runs of a folder that is served: what /api/run says there, and a link to each. While somebody looks it is asked again, as
// jobs begin, end and get their verdicts.
import { make, table } from "./dom";
import { kBadges } from "./first";
import { Slot } from "./slot";
import type { Source } from "./source";
import { bytes, counted } from "./words";

export interface FolderOfRuns {
  folder: string;
  runs: { run: string; job: string; state: string; processes: number; ranks: number; bytes: number; lost: number; clock: string; started: string;
    headline?: { kind: string; text: string; last_part_only?: boolean } }[];
}

// What whoever looked at it last was told: nobody reads a run for the list.
function verdict({ headline }: FolderOfRuns["runs"][number]): HTMLElement {
  if (headline === undefined) return make("div", { class: "verdict legend" }, "not looked at yet");
  return make("div", { class: "verdict " + headline.kind }, make("span", { class: "badge" }, kBadges[headline.kind] ?? headline.kind), ": " + headline.text +
    (headline.last_part_only ? " This is about its last part." : ""));
}

export function isFolder(said: object): said is FolderOfRuns {
  return "runs" in said && "folder" in said;
}

function linkTo(name: string, token: string): HTMLElement {
  return make("a", { href: `runs/${encodeURIComponent(name)}/#token=${encodeURIComponent(token)}` }, name);
}

function tableOf(said: FolderOfRuns, token: string): HTMLElement {
  const rows = said.runs.map(run => [linkTo(run.run, token), verdict(run), run.job, run.state, String(run.processes), String(run.ranks), bytes(run.bytes),
    String(run.lost), run.clock, run.started]);
  return make("div", { class: "runs" }, table(["run", "verdict", "job", "state", "processes", "ranks", "size", "lost", "clock", "started"], rows, "Runs"));
}

const kAgainMs = 2000;

export class ListOfRuns {
  readonly elements: HTMLElement[];
  private heading = make("h1");
  private trouble = make("p", { class: "said", role: "status" });
  private runs = new Slot();
  private shown = "";

  constructor(private source: Source, private token: string) {
    this.elements = [this.heading,
      make("p", {}, "The verdict is that of who looked at a run last, on its page or by ", make("code", {}, "lockstep report"), "."),
      this.trouble, this.runs.element];
  }

  show(said: FolderOfRuns): void {
    const now = JSON.stringify(said);
    if (now === this.shown || !this.runs.fill(tableOf(said, this.token))) return;
    this.heading.textContent = counted(said.runs.length, "run") + " in " + said.folder;
    this.shown = now;
  }

  // Of a large folder the server is busy with the list no more than half of the time.
  follow(): void {
    const begun = performance.now();
    this.ask().finally(() => setTimeout(() => this.follow(), Math.max(kAgainMs, performance.now() - begun)));
  }

  private async ask(): Promise<void> {
    if (document.hidden) return;
    try {
      const said = await this.source.look();
      if (isFolder(said)) this.show(said);
      this.trouble.textContent = "";
    } catch (error) {
      this.trouble.textContent = (error as Error).message;
    }
  }
}
