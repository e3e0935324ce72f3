// The runs of a folder that is served: what /api/run says there, and a link to each.
import { make, table } from "./dom";
import { kBadges } from "./first";
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

export function listOfRuns(said: FolderOfRuns, token: string): HTMLElement[] {
  const linked = (name: string) =>
    make("a", { href: `runs/${encodeURIComponent(name)}/#token=${encodeURIComponent(token)}` }, name);
  const rows = said.runs.map(run => [linked(run.run), verdict(run), run.job, run.state, String(run.processes), String(run.ranks), bytes(run.bytes),
    String(run.lost), run.clock, run.started]);
  return [
    make("h1", {}, counted(said.runs.length, "run") + " in " + said.folder),
    make("p", {}, "The verdict is that of who looked at a run last, on its page or by ", make("code", {}, "lockstep report"), "."),
    make("div", { class: "runs" }, table(["run", "verdict", "job", "state", "processes", "ranks", "size", "lost", "clock", "started"], rows, "Runs")),
  ];
}
