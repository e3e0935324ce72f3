// The runs of a folder that is served: what /api/run says there, and a link to each.
import { make, table } from "./dom";
import { bytes, counted } from "./words";

export interface FolderOfRuns {
  folder: string;
  runs: { run: string; job: string; state: string; processes: number; ranks: number; bytes: number; lost: number; clock: string; started: string }[];
}

export function isFolder(said: object): said is FolderOfRuns {
  return "runs" in said && "folder" in said;
}

export function listOfRuns(said: FolderOfRuns, token: string): HTMLElement[] {
  const linked = (name: string) =>
    make("a", { href: `runs/${encodeURIComponent(name)}/#token=${encodeURIComponent(token)}` }, name);
  const rows = said.runs.map(run => [linked(run.run), run.job, run.state, String(run.processes), String(run.ranks), bytes(run.bytes),
    String(run.lost), run.clock, run.started]);
  return [
    make("h1", {}, counted(said.runs.length, "run") + " in " + said.folder),
    table(["run", "job", "state", "processes", "ranks", "size", "lost", "clock", "started"], rows, "Runs"),
  ];
}
