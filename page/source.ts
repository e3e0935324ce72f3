// Where the data come from: out of the page itself, or from the server that sent it. The same questions either way.
import type { Comparison } from "./compare";
import { type NetworkSteps, networkStepsOf, type StepsAnswer } from "./network_steps";
import type { Stacks } from "./stacks";
import { decodeTiles, type Tiles } from "./tiles";
import { inRunTime, opsOf, type Ops, type Run, type RowsAnswer } from "./run";
import { type FolderOfRuns, isFolder } from "./runs";
import { ranksToShow } from "./shown_ranks";
import { type Group, kGroupNames, type View } from "./view";

// Whether the run goes on, and of when the answers are.
export interface Live {
  live: boolean;
  reading: number;  // the server has read the run so often
  age_ms: number;   // of the reading
  trouble: string;  // why there is no later one
}

// The server is about a run that has no records yet, and says why.
export interface Waiting {
  waiting: string;
}

export function isWaiting(said: object): said is Waiting {
  return "waiting" in said;
}

// The server is still opening the run, or has too much to do: ask again.
export class Busy extends Error {}
// It would be too much at a time: ask for a shorter one.
class TooMuch extends Error {}

export interface Source {
  served: boolean;
  inFolder: boolean;  // the server has other runs too
  look(): Promise<Run | FolderOfRuns | Waiting>;  // what the server is about
  run(): Promise<Run>;
  live(): Promise<Live>;
  groups(run: Run): Group[];  // by which rows can be
  tiles(view: View, by: Group): Promise<Tiles | null>;  // null: there are none
  ops(view: View, ranks: number[], tiles: Tiles | null): Promise<Ops>;  // of these ranks, or some of them; `tiles`: of the view
  steps(view: View, ranks: number[]): Promise<NetworkSteps | null>;  // of a short time; null: a file has none
  hasStacks(run: Run): boolean;  // now, or kept
  stacks(): Promise<Stacks>;
  others(): Promise<string[]>;  // runs of the same folder
  compare(name: string): Promise<Comparison>;
  query(sql: string): Promise<{ columns: { name: string; type: string }[]; rows: unknown[][]; truncated: boolean; elapsed_ms: number }>;
  trace(view: View): Promise<ArrayBuffer>;
}

const kMostSteps = 4000;  // of more no single one is seen on a screen

function textOf(id: string): string | null {
  return document.getElementById(id)?.textContent ?? null;
}

async function unpacked(base64: string): Promise<ArrayBuffer> {
  const zipped = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
  const stream = new Blob([zipped]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function inside(data: string): Source {
  const nowhere = () => Promise.reject(new Error("This page is a file: only a served run can be asked."));
  const tiles = new Map<string, Promise<Tiles | null>>();
  let all: Ops | null = null;
  return {
    served: false,
    inFolder: false,
    look: async () => JSON.parse(data) as Run,
    run: async () => JSON.parse(data) as Run,
    groups: () => kGroupNames.filter(by => textOf("lockstep-tiles-" + by) !== null),
    tiles: (_, by) => {
      const packed = textOf("lockstep-tiles-" + by);
      if (!tiles.has(by)) tiles.set(by, packed === null ? Promise.resolve(null) : unpacked(packed).then(decodeTiles));
      return tiles.get(by)!;
    },
    ops: async (view, ranks) => {
      all ??= opsOf(JSON.parse(textOf("lockstep-ops") ?? '{"columns":[],"rows":[],"truncated":false}'));
      const wanted = new Set(ranks);
      return { truncated: all.truncated, leftOut: 0, ops: all.ops.filter(op =>
        op.start_ns < view.to && (op.end_ns ?? Infinity) > view.from && wanted.has(op.rank)) };
    },
    steps: async () => null,
    live: nowhere,
    hasStacks: () => textOf("lockstep-stacks") !== null,
    stacks: async () => JSON.parse(textOf("lockstep-stacks")!) as Stacks,
    others: nowhere,
    compare: nowhere,
    query: nowhere,
    trace: nowhere,
  };
}

function server(token: string): Source {
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers: Record<string, string> = { Authorization: "Bearer " + token };
    if (init.body) headers["Content-Type"] = "application/json";
    const answer = await fetch(path, { ...init, headers }).catch(() => {  // each browser has words of its own
      throw new Error("The server does not answer: `lockstep serve` has ended, or the tunnel to it.");
    });
    if (answer.ok) return answer;
    if (answer.status === 401)
      throw new Error("The server refuses this page's token (401). Open the URL that `lockstep serve` printed, with all that follows its #.");
    const said = await answer.text();
    let sentence = said;
    try {
      sentence = (JSON.parse(said) as { error?: string }).error ?? said;
    } catch {
      // Not JSON: as it is.
    }
    throw new (answer.status === 503 ? Busy : answer.status === 413 ? TooMuch : Error)(sentence || "The server answers " + answer.status + ".");
  };
  const own = /\/runs\/([^/]+)\/$/.exec(location.pathname);
  const timeOf = (view: View) => `from=${Math.floor(view.from)}&to=${Math.ceil(view.to)}`;
  const windowOf = (view: View) => `ranks=${view.firstRank}-${view.lastRank}&${timeOf(view)}`;
  return {
    served: true,
    inFolder: own !== null,
    look: async () => {
      const said = await (await ask("api/run")).json() as Run | FolderOfRuns | Waiting;
      return isFolder(said) || isWaiting(said) ? said : inRunTime(said);
    },
    run: async () => inRunTime(await (await ask("api/run")).json() as Run),
    groups: run => kGroupNames.filter(by => run.serve?.groups.includes(by)),
    live: async () => (await ask("api/live")).json(),
    hasStacks: run => run.serve !== undefined && (run.serve.live || run.serve.stacks_kept),
    stacks: async () => (await ask("api/stacks")).json(),
    others: async () => {
      const folder = await (await ask("../../api/run")).json() as FolderOfRuns;
      return folder.runs.map(run => run.run).filter(name => own === null || name !== decodeURIComponent(own[1]));
    },
    compare: async name => (await ask("api/compare?with=" + encodeURIComponent(name))).json(),
    tiles: async (view, by) => {
      const answer = await ask(`api/tiles?${windowOf(view)}&by=${by}&rows=256&columns=512`);
      return decodeTiles(await answer.arrayBuffer());
    },
    ops: async (view, ranks, tiles) => {
      const shown = ranksToShow(ranks, tiles);
      try {
        const answer = await ask(`api/ops?ranks=${shown.join(",")}&${timeOf(view)}&limit=20000&choose=longest`);
        return opsOf(await answer.json() as RowsAnswer, ranks.length - shown.length);
      } catch (error) {
        if (error instanceof TooMuch) return { ops: [], truncated: false, leftOut: 0, tooMuch: error.message };
        throw error;
      }
    },
    steps: async (view, ranks) => networkStepsOf(await (await ask(`api/steps?ranks=${ranks.join(",")}&${timeOf(view)}&limit=${kMostSteps}`)).json() as StepsAnswer),
    query: async sql => (await ask("api/query", { method: "POST", body: JSON.stringify({ sql, max_rows: 1000 }) })).json(),
    trace: async view => (await ask(`api/trace?${windowOf(view)}&format=perfetto`)).arrayBuffer(),
  };
}

export function findSource(token: string): Source {
  const data = textOf("lockstep-data");
  return data === null ? server(token) : inside(data);
}
